package schema_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// TestCloudCredentials holds that the credentials of cloud connectors are looked into:
// a field nobody knows is a warning, with what may have been meant.
func TestCloudCredentials(t *testing.T) {
	tests := map[string]struct{ typ, credential, want string }{
		"aws":       {"Aws", "{type: ManualConfig, spec: {accessKey: a, secretKeyRef: s}}", ""},
		"aws typo":  {"Aws", "{type: ManualConfig, spec: {accessKey: a, secretKeyReff: s}}", `did you mean "secretKeyRef"?`},
		"aws irsa":  {"Aws", "{type: Irsa, spec: {anything: a}}", ""},
		"aws oidc":  {"Aws", "{type: OidcAuthentication, spec: {iamRoleAr: a}}", `did you mean "iamRoleArn"?`},
		"gcp":       {"Gcp", "{type: ManualConfig, spec: {secretKeyRef: s}}", ""},
		"gcp typo":  {"Gcp", "{type: ManualConfig, spec: {secretKey: s}}", `did you mean "secretKeyRef"?`},
		"no map":    {"Gcp", "{type: ManualConfig, spec: s}", "expected a map"},
		"delegates": {"Gcp", "{type: InheritFromDelegate}", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs, _ := yamldoc.Parse("c.yaml", []byte("connector: {name: c, identifier: c, type: "+tc.typ+", spec: {credential: "+tc.credential+"}}\n"))
			var said []string
			for _, d := range schema.Check(docs[0]).Diagnostics {
				if !strings.Contains(d.Message, "not supported yet") {
					said = append(said, d.String())
				}
			}
			if got := strings.Join(said, "\n"); (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestConnectorSecrets holds that whatever names a secret may be a secret's name.
func TestConnectorSecrets(t *testing.T) {
	for _, ref := range []string{"s", "org.s", "account.S_1$", "<+input>", "<+secrets.getValue('x')>", "hashicorpvault://vault/path#key"} {
		docs, _ := yamldoc.Parse("c.yaml", []byte(`connector: {name: c, identifier: c, type: PagerDuty, spec: {apiTokenRef: "`+ref+`"}}`))
		if got := schema.Check(docs[0]).Diagnostics.String(); strings.Contains(got, "apiTokenRef") {
			t.Errorf("%s: %s", ref, got)
		}
	}
}

// TestConnectorNeeds holds that each type says what it lacks, and what cannot be in it.
func TestConnectorNeeds(t *testing.T) {
	tests := map[string]struct{ typ, spec, want string }{
		"registry":      {"DockerRegistry", "{auth: {type: Anonymous}}", "add dockerRegistryUrl:"},
		"login":         {"DockerRegistry", "{dockerRegistryUrl: u, auth: {spec: {}}}", "add type:"},
		"code":          {"Github", "{url: u, authentication: {type: Http, spec: {type: Anonymous}}}", "add type:"},
		"code's token":  {"Gitlab", "{url: u, type: Repo, authentication: {type: Http, spec: {type: UsernameToken, spec: {username: u}}}}", "add tokenRef:"},
		"api token":     {"Bitbucket", "{url: u, type: Repo, authentication: {type: Http, spec: {type: EmailAndApiToken, spec: {email: e}}}}", "add tokenRef:"},
		"datadog":       {"Datadog", "{url: u, apiKeyRef: s}", "add applicationKeyRef:"},
		"new relic":     {"NewRelic", "{url: u, apiKeyRef: s}", "add newRelicAccountId:"},
		"sumo logic":    {"SumoLogic", "{url: u, accessIdRef: s}", "add accessKeyRef:"},
		"costs":         {"GcpCloudCost", "{projectId: p, featuresEnabled: [BILLING]}", "add serviceAccountEmail:"},
		"features":      {"CEAws", "{featuresEnabled: BILLING}", "expected a list"},
		"on-call":       {"PagerDuty", "{apiToken: s}", `did you mean apiTokenRef`},
		"database":      {"JDBC", "{auth: {type: ServiceAccount, spec: {}}}", "add url:"},
		"selectors":     {"Prometheus", "{url: u, delegateSelectors: d}", "expected a list"},
		"flag":          {"Splunk", "{splunkUrl: u, accountId: a, executeOnDelegate: often}", "executeOnDelegate"},
		"credential":    {"Spot", "{credential: {spec: {}}}", "add type:"},
		"key ring":      {"GcpKms", "{projectId: p, region: r, keyName: k}", "add keyRing:"},
		"cluster":       {"K8sCluster", "{credential: {type: ManualConfig, spec: {masterUrl: u, auth: {type: ServiceAccount, spec: {}}}}}", "add serviceAccountTokenRef:"},
		"misspelt":      {"ElasticSearch", "{url: u, paswordRef: s}", `did you mean "passwordRef"?`},
		"no secret":     {"PagerDuty", `{apiTokenRef: ""}`, `"" cannot be the apiTokenRef of spec of connector c (name it as x, org.x or account.x)`},
		"no name":       {"PagerDuty", "{apiTokenRef: account.my token}", `"account.my token" cannot be the apiTokenRef`},
		"all that lack": {"AppDynamics", "{username: u}", "add controllerUrl:"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs, _ := yamldoc.Parse("c.yaml", []byte("connector: {name: c, identifier: c, type: "+tc.typ+", spec: "+tc.spec+"}\n"))
			if got := schema.Check(docs[0]).Diagnostics.String(); !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
