package ng_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/api/door/apitest"
)

// TestConnectorTypes creates a connector of each type that Harness's clients make, and
// reads back what they sent.
func TestConnectorTypes(t *testing.T) {
	text, err := os.ReadFile("testdata/connectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var specs map[string]json.RawMessage
	if err := json.Unmarshal(text, &specs); err != nil {
		t.Fatal(err)
	}
	f := apitest.Start(t)
	send := func(method, path, body string) apitest.Response {
		return f.Do(apitest.Request{Method: method, Path: "/ng/api/" + path, Body: body, User: "admin"})
	}
	send("POST", "v2/secrets", `{"secret":{"type":"SecretText","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager","valueType":"Inline","value":"v"}}}`).Into(t, 200, nil)
	type answer struct {
		Data struct {
			Connector struct {
				Type string
				Spec any
			}
		}
	}
	for name, spec := range specs {
		var created, read answer
		send("POST", "connectors", `{"connector":{"name":"x","identifier":"`+name+`","type":"`+name+`","spec":`+string(spec)+`}}`).Into(t, 200, &created)
		send("GET", "connectors/"+name, "").Into(t, 200, &read)
		var want any
		if err := json.Unmarshal(spec, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, read.Data.Connector.Spec); diff != "" || read.Data.Connector.Type != name {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(created, read); diff != "" {
			t.Errorf("%s, created and read: %s", name, diff)
		}
		// The secret cannot go while the connector refers to it.
		r := send("DELETE", "v2/secrets/s", "")
		if uses := strings.Contains(string(spec), `"account.s"`); uses != (r.Status == 409) {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
		send("DELETE", "connectors/"+name, "").Into(t, 200, nil)
		if r.Status == 200 {
			send("POST", "v2/secrets", `{"secret":{"type":"SecretText","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager","valueType":"Inline","value":"v"}}}`).Into(t, 200, nil)
		}
	}
}
