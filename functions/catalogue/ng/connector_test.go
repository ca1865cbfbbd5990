package ng_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

const sharedSecret = `{"secret":{"type":"SecretText","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager","valueType":"Inline","value":"v"}}}`

// connectorSpecs are the specs of connectors of each type and way to sign in that
// Harness's clients make, by "type" or "type and what is particular".
func connectorSpecs(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/connectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var specs map[string]any
	if err := json.Unmarshal(text, &specs); err != nil {
		t.Fatal(err)
	}
	return specs
}

// said is a value without what nobody said: nulls.
func said(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e != nil {
				out[k] = said(e)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = said(v[i])
		}
	}
	return v
}

// TestConnectorTypes creates a connector of each type and reads back what was sent,
// field for field. What is kept is a document without fault.
func TestConnectorTypes(t *testing.T) {
	f := apitest.Start(t)
	send := func(method, path, body string) apitest.Response {
		return f.Do(apitest.Request{Method: method, Path: "/ng/api/" + path, Body: body, User: "admin"})
	}
	send("POST", "v2/secrets", sharedSecret).Into(t, 200, nil)
	type answer struct {
		Data struct {
			Connector struct {
				Type string
				Spec any
			}
		}
	}
	for name, spec := range connectorSpecs(t) {
		t.Run(name, func(t *testing.T) {
			typ, _, _ := strings.Cut(name, " ")
			text, err := json.Marshal(map[string]any{"connector": map[string]any{"name": "x", "identifier": "x", "type": typ, "spec": spec, "_": nil}})
			if err != nil {
				t.Fatal(err)
			}
			var created, read answer
			send("POST", "connectors", string(text)).Into(t, 200, &created)
			send("GET", "connectors/x", "").Into(t, 200, &read)
			back, _ := said(read.Data.Connector.Spec).(map[string]any)
			if sent, _ := spec.(map[string]any); sent["auth"] == nil {
				delete(back, "auth") // Jira's, from its older form
			}
			if diff := cmp.Diff(said(spec), any(back)); diff != "" || read.Data.Connector.Type != typ {
				t.Error(diff)
			}
			if diff := cmp.Diff(created, read); diff != "" {
				t.Errorf("created and read: %s", diff)
			}
			var e core.Entity
			f.Get("/slipway/v1/entities/connector/x?account=true", &e)
			docs, _ := yamldoc.Parse("", []byte(e.YAML))
			for _, d := range schema.Check(docs[0]).Diagnostics {
				if d.Severity != core.SeverityUnsupported {
					t.Errorf("kept: %s", d)
				}
			}
			// The secret cannot go while the connector refers to it.
			r := send("DELETE", "v2/secrets/s", "")
			if uses := strings.Contains(string(text), `"account.s"`); uses != strings.Contains(string(r.Body), "ENTITY_CONFLICT") {
				t.Errorf("%d %s", r.Status, r.Body)
			}
			send("DELETE", "connectors/x", "").Into(t, 200, nil)
			if r.Status == 200 {
				send("POST", "v2/secrets", sharedSecret).Into(t, 200, nil)
			}
		})
	}
}

// What Harness's clients read of a connector without asking whether it is there is there.
func TestConnectorIsComplete(t *testing.T) {
	f := apitest.Start(t)
	for name, tc := range map[string]struct{ typ, spec, want string }{
		"no credential's spec": {"K8sCluster", `{"credential":{"type":"InheritFromDelegate"}}`, `{"credential":{"spec":null,"type":"InheritFromDelegate"}}`},
		"nested": {"Azure", `{"credential":{"type":"InheritFromDelegate","spec":{"auth":{"type":"SystemAssignedManagedIdentity"}}}}`,
			`{"credential":{"spec":{"auth":{"spec":null,"type":"SystemAssignedManagedIdentity"}},"type":"InheritFromDelegate"}}`},
		"http": {"Github", `{"url":"u","type":"Repo","authentication":{"type":"Http","spec":{"type":"Anonymous"}}}`,
			`{"authentication":{"spec":{"spec":null,"type":"Anonymous"},"type":"Http"},"type":"Repo","url":"u"}`},
		"tickets of old": {"Jira", `{"jiraUrl":"u","username":"me","passwordRef":"<+input>"}`,
			`{"auth":{"spec":{"passwordRef":"\u003c+input\u003e","username":"me","usernameRef":null},"type":"UsernamePassword"},"jiraUrl":"u","passwordRef":"\u003c+input\u003e","username":"me"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var r struct {
				Data struct {
					Connector struct{ Spec json.RawMessage }
				}
			}
			f.Do(apitest.Request{Method: "POST", Path: "/ng/api/connectors", User: "admin",
				Body: `{"connector":{"name":"x","identifier":"c` + tc.typ + `","type":"` + tc.typ + `","spec":` + tc.spec + `}}`}).Into(t, 200, &r)
			if diff := cmp.Diff(tc.want, string(r.Data.Connector.Spec)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
