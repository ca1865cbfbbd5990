package ng_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

// A secret's value is kept where runs read it, and nowhere else.
func TestSecretValues(t *testing.T) {
	f := apitest.Start(t)
	project := core.Scope{Account: "default", Org: "default", Project: "default"}
	const path, query = "/ng/api/v2/secrets", "?accountIdentifier=default&orgIdentifier=default&projectIdentifier=default"
	text := func(spec string) string {
		return `{"secret":{"type":"SecretText","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager",` + spec + `}}}`
	}
	const inline = `"valueType":"Inline"`
	form := "--B\r\nContent-Disposition: form-data; name=\"spec\"\r\n\r\n" +
		`{"secret":{"type":"SecretFile","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager"}}}` +
		"\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nhunter file\r\n--B--\r\n"
	steps := []struct{ name, method, path, body, value string }{
		{"created", "POST", path, text(inline + `,"value":"hunter2"`), "hunter2"},
		{"changed", "PUT", path + "/s", text(inline + `,"value":"hunter3"`), "hunter3"},
		{"renamed", "PUT", path + "/s", strings.Replace(text(inline), `"name":"s"`, `"name":"t"`, 1), "hunter3"},
		{"a reference", "PUT", path + "/s", text(`"valueType":"Reference","value":"path"`), ""},
		{"again", "PUT", path + "/s", text(inline + `,"value":"hunter4"`), "hunter4"},
		{"removed", "DELETE", path + "/s", "", ""},
		{"a file", "POST", path + "/files", form, "hunter file"},
	}
	for _, s := range steps {
		header := map[string]string{"Content-Type": "application/json"}
		if strings.HasPrefix(s.body, "--B") {
			header["Content-Type"] = "multipart/form-data; boundary=B"
		}
		r := f.Do(apitest.Request{Method: s.method, Path: s.path + query, Body: s.body, User: "admin", Header: header})
		if r.Status != 200 || strings.Contains(string(r.Body), "hunter") {
			t.Fatalf("%s: %d %s", s.name, r.Status, r.Body)
		}
		v, err := f.Platform.Ports().Secrets.Get(t.Context(), core.SecretName(project, "s"))
		if s.value == "" && !fault.Is(err, fault.NotFound) || s.value != "" && (err != nil || string(v) != s.value) {
			t.Errorf("%s: %q %v", s.name, v, err)
		}
	}
	// Another value alone is no other version.
	history, _, err := entity.NewCatalogue(f.Platform.Ports()).History(t.Context(), core.EntityRef{Kind: core.EntitySecret, Scope: project, Identifier: "s"}, entity.Past{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(history)
	if err != nil || len(history) != 6 || strings.Contains(string(kept), "hunter") {
		t.Errorf("%d versions: %s %v", len(history), kept, err)
	}
}

func TestSecretBounds(t *testing.T) {
	f := apitest.Start(t)
	for name, tc := range map[string]struct {
		size, status int
		says         string
	}{"the longest": {entity.MaxSecret, 200, ""}, "a byte more": {entity.MaxSecret + 1, 413, "may have 65536"}} {
		body := "--B\r\nContent-Disposition: form-data; name=\"spec\"\r\n\r\n" +
			`{"secret":{"type":"SecretFile","name":"s","identifier":"s","spec":{"secretManagerIdentifier":"harnessSecretManager"}}}` +
			"\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n" + strings.Repeat("x", tc.size) + "\r\n--B--\r\n"
		r := f.Do(apitest.Request{Method: "POST", Path: "/ng/api/v2/secrets/files", Body: body, User: "admin",
			Header: map[string]string{"Content-Type": "multipart/form-data; boundary=B"}})
		if r.Status != tc.status || !strings.Contains(string(r.Body), tc.says) {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}
