package ng

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// connectorFilter is Harness's ConnectorFilterProperties.
type connectorFilter struct {
	Names       []string          `json:"connectorNames"`
	Identifiers []string          `json:"connectorIdentifiers"`
	Description string            `json:"description"`
	Types       []string          `json:"types"`
	Categories  []string          `json:"categories"`
	Tags        map[string]string `json:"tags"`
}

// check refuses what is not understood: what it would leave out must not be listed.
func (f connectorFilter) check() error {
	for _, c := range f.Categories {
		if !slices.ContainsFunc(connectorCatalogue, func(g connectorCategory) bool { return g.Category == c }) {
			return fault.New(fault.Unsupported, "not supported yet: connectors of category %s", c)
		}
	}
	return nil
}

func (f connectorFilter) passes(row core.EntityRow) bool {
	among := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	inCategory := func(g connectorCategory) bool {
		return slices.Contains(f.Categories, g.Category) && slices.Contains(g.Connectors, row.Type)
	}
	return tagged(row, f.Tags) && among(f.Names, row.Name) && among(f.Identifiers, row.Identifier) && among(f.Types, row.Type) &&
		contains(row.Description, f.Description) && (len(f.Categories) == 0 || slices.ContainsFunc(connectorCatalogue, inCategory))
}

// connectorCategory is Harness's ConnectorCatalogueItem.
type connectorCategory struct {
	Category   string   `json:"category"`
	Connectors []string `json:"connectors"`
}

// connectorCatalogue are the kinds of systems that connectors reach, and their types.
var connectorCatalogue = []connectorCategory{
	{"CLOUD_PROVIDER", []string{"K8sCluster", "Gcp", "Aws", "Azure", "Pdc", "Rancher", "Spot", "Tas", "TerraformCloud"}},
	{"SECRET_MANAGER", []string{"Local", "Vault", "AwsKms", "AwsSecretManager", "GcpKms", "GcpSecretManager", "AzureKeyVault", "CustomSecretManager"}},
	{"CLOUD_COST", []string{"CEAws", "CEAzure", "CEK8sCluster", "GcpCloudCost"}},
	{"ARTIFACTORY", []string{"DockerRegistry", "Artifactory", "Nexus", "HttpHelmRepo", "OciHelmRepo", "Jenkins", "Bamboo", "AzureArtifacts"}},
	{"CODE_REPO", []string{"Git", "Github", "Gitlab", "Bitbucket", "Codecommit", "AzureRepo", "Harness"}},
	{"MONITORING", []string{"Splunk", "AppDynamics", "Prometheus", "Dynatrace", "NewRelic", "Datadog", "SumoLogic", "PagerDuty", "CustomHealth",
		"ElasticSearch", "SignalFX", "ErrorTracking"}},
	{"TICKETING", []string{"Jira", "ServiceNow"}},
	{"DATABASE", []string{"JDBC"}},
}
