package ng

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// connectorFilter is Harness's ConnectorFilterProperties.
type connectorFilter struct {
	Names        []string          `json:"connectorNames"`
	Identifiers  []string          `json:"connectorIdentifiers"`
	Description  string            `json:"description"`
	Types        []string          `json:"types"`
	Categories   []string          `json:"categories"`
	Tags         map[string]string `json:"tags"`
	Statuses     []string          `json:"connectivityStatuses"`
	Modes        []string          `json:"connectivityModes"`
	FromDelegate *bool             `json:"inheritingCredentialsFromDelegate"`
	CloudCost    any               `json:"ccmConnectorFilter"`
}

// check refuses what is not understood: what it would leave out must not be listed.
func (f connectorFilter) check() error {
	for name, given := range map[string]bool{"connectivityStatuses": len(f.Statuses) > 0, "connectivityModes": len(f.Modes) > 0,
		"inheritingCredentialsFromDelegate": f.FromDelegate != nil && *f.FromDelegate, "ccmConnectorFilter": f.CloudCost != nil} {
		if given {
			return fault.New(fault.Unsupported, "not supported yet: filtering connectors by %s", name)
		}
	}
	for _, c := range f.Categories {
		if _, ok := connectorCategories[c]; !ok {
			return fault.New(fault.Unsupported, "not supported yet: connectors of category %s", c)
		}
	}
	return nil
}

func (f connectorFilter) passes(row core.EntityRow) bool {
	among := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return tagged(row, f.Tags) && among(f.Names, row.Name) && among(f.Identifiers, row.Identifier) && among(f.Types, row.Type) &&
		strings.Contains(strings.ToLower(row.Description), strings.ToLower(f.Description)) &&
		(len(f.Categories) == 0 || slices.ContainsFunc(f.Categories, func(c string) bool { return slices.Contains(connectorCategories[c], row.Type) }))
}

// connectorCategories are the kinds of systems that connectors reach, and their types.
var connectorCategories = map[string][]string{
	"CLOUD_PROVIDER": {"K8sCluster", "Gcp", "Aws", "Azure", "Pdc", "Rancher", "Spot", "Tas", "TerraformCloud"},
	"SECRET_MANAGER": {"Local", "Vault", "AwsKms", "AwsSecretManager", "GcpKms", "GcpSecretManager", "AzureKeyVault", "CustomSecretManager"},
	"CLOUD_COST":     {"CEAws", "CEAzure", "CEK8sCluster", "GcpCloudCost"},
	"ARTIFACTORY":    {"DockerRegistry", "Artifactory", "Nexus", "HttpHelmRepo", "OciHelmRepo", "Jenkins", "Bamboo", "AzureArtifacts"},
	"CODE_REPO":      {"Git", "Github", "Gitlab", "Bitbucket", "Codecommit", "AzureRepo", "Harness"},
	"MONITORING": {"Splunk", "AppDynamics", "Prometheus", "Dynatrace", "NewRelic", "Datadog", "SumoLogic", "PagerDuty", "CustomHealth",
		"ElasticSearch", "ELK", "SignalFX", "ErrorTracking"},
	"TICKETING": {"Jira", "ServiceNow"},
	"DATABASE":  {"JDBC"},
}
