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
