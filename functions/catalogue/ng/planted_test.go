package ng_test

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// planted is a value that must stand nowhere but where runs read it.
const planted = "pl4nted-v4lue-0f-a-secret"

// TestPlantedValue keeps a value in every way there is, well and badly, and asks for it in
// every way there is. No answer, no log and no file of the platform has it.
func TestPlantedValue(t *testing.T) {
	var logged bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(was) })
	f := apitest.Start(t)
	const ng, marker = "/ng/api/v2/secrets", "NameInTheOpen"
	text := func(id, more string) string {
		return `{"secret":{"type":"SecretText","name":"` + marker + `","identifier":"` + id + `","spec":{"secretManagerIdentifier":"harnessSecretManager","valueType":"Inline"` + more + `}}}`
	}
	v1 := func(more string) string {
		return `{"secret":{"name":"` + marker + `","identifier":"v","spec":{"type":"SecretText","secret_manager_identifier":"harnessSecretManager","value_type":"Inline"` + more + `}}}`
	}
	const value = `,"value":"` + planted + `"`
	form := func(spec string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"spec\"\r\n\r\n" + spec + "\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n" + planted + "\r\n--B--\r\n"
	}
	file := `{"secret":{"type":"SecretFile","name":"f","identifier":"f","spec":{"secretManagerIdentifier":"harnessSecretManager"}}}`
	const asYAML, asForm = "application/yaml", "multipart/form-data; boundary=B"
	for _, op := range []struct{ method, path, body, content string }{
		{"POST", ng, text("a", value), ""},
		{"POST", ng, text("a", value), ""},
		{"PUT", ng + "/a", text("a", value), ""},
		{"PUT", ng + "/b", text("b", value), ""},
		{"PUT", ng + "/a", text("b", value), ""},
		{"POST", ng + "/yaml", "secret:\n  type: SecretText\n  name: y\n  identifier: y\n  spec:\n    secretManagerIdentifier: harnessSecretManager\n    valueType: Inline\n    value: |\n      " + planted + "\n      more\n", asYAML},
		{"PUT", ng + "/y/yaml", "secret: {type: SecretText, name: y, identifier: y, spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: " + planted + "}}\n", asYAML},
		{"POST", ng + "/yaml", "secret:\n  type: SecretText\n   name: y\n  value: " + planted, asYAML},
		{"POST", ng, text("x", value+"}{"), ""},
		{"POST", ng, text("x", `,"value":["`+planted+`"]`), ""},
		{"POST", ng, text("x", `,"value":{"`+planted+`":"`+planted+`"}`), ""},
		{"POST", ng, text("x", `,"vaule":"`+planted+`"`), ""},
		{"PUT", ng + "/a", text("a", `,"vaule":"`+planted+`"`), ""},
		{"PUT", ng + "/a", text("a", `,"nested":{"value":"`+planted+`"}`), ""},
		{"PUT", ng + "/a", strings.Replace(text("a", ""), `"name"`, value[1:]+`,"name"`, 1), ""},
		{"POST", ng, strings.Replace(text("x", value), "SecretText", "SecretTxt", 1), ""},
		{"POST", ng, strings.Replace(text("x", value), "Inline", "inline", 1), ""},
		{"POST", ng, strings.Replace(text("x", value), "harnessSecretManager", "vault", 1), ""},
		{"POST", ng, strings.Replace(text("x", value), `"name"`, `"orgIdentifier":"nowhere","name"`, 1), ""},
		{"POST", ng, text("1 x", value), ""},
		{"POST", ng + "?privateSecret=true", text("x", value), ""},
		{"POST", ng + "/files", form(file), asForm},
		{"PUT", ng + "/files/f", form(file), asForm},
		{"PUT", ng + "/files/f", form("no JSON"), asForm},
		{"POST", "/v1/secrets", v1(value), ""},
		{"PUT", "/v1/secrets/v", v1(value), ""},
		{"POST", "/v1/secrets", v1(`,"wrong":"` + planted + `"`), ""},
		{"POST", "/v1/secrets", v1(`,"value":["` + planted + `"]`), ""},
		{"PUT", "/slipway/v1/secrets/account.own", `{"value":"` + planted + `"}`, ""},
		{"PUT", "/slipway/v1/entities?account=true", "secret:\n  type: SecretText\n  name: e\n  identifier: e\n  spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: " + planted + "}\n", asYAML},
		{"GET", ng + "/a", "", ""},
		{"GET", ng + "/f", "", ""},
		{"GET", ng, "", ""},
		{"GET", ng + "?searchTerm=" + planted[:6], "", ""},
		{"POST", ng + "/list", `{"searchTerm":"NameInTheOpen"}`, ""},
		{"POST", ng + "/validate?identifier=a", `{"type":"SecretText"}`, ""},
		{"GET", "/v1/secrets/v", "", ""},
		{"GET", "/v1/secrets", "", ""},
		{"GET", "/slipway/v1/entities/secret/a?account=true", "", ""},
		{"GET", "/slipway/v1/entities/secret/a/history?account=true", "", ""},
		{"GET", "/slipway/v1/secrets", "", ""},
		{"DELETE", ng + "/f", "", ""},
		{"DELETE", "/v1/secrets/v", "", ""},
	} {
		header := map[string]string{"Content-Type": "application/json"}
		if op.content != "" {
			header["Content-Type"] = op.content
		}
		r := f.Do(apitest.Request{Method: op.method, Path: op.path, Body: op.body, User: "admin", Header: header})
		t.Logf("%s %s: %d", op.method, op.path, r.Status)
		if shows(r.Body) || r.Status >= 500 {
			t.Errorf("%s %s: %d %s", op.method, op.path, r.Status, r.Body)
		}
	}
	if shows(logged.Bytes()) {
		t.Errorf("logged: %s", &logged)
	}
	open := false
	err := filepath.WalkDir(f.Platform.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		kept, err := os.ReadFile(path)
		if shows(kept) {
			t.Errorf("%s holds the value", path)
		}
		open = open || bytes.Contains(kept, []byte(marker))
		return err
	})
	if err != nil || !open {
		t.Errorf("the files do not hold what is no secret either: looking for it there says nothing (%v)", err)
	}
}

// shows reports whether text has the planted value in it, as it is or in base64.
func shows(text []byte) bool {
	return bytes.Contains(text, []byte(planted)) || bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString([]byte(planted))[:24]))
}
