package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-cd/slipway/shared/fault"
)

// write writes a file below dir and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocate(t *testing.T) {
	const here, stored, other = "http://127.0.0.1:7700", "https://slipway.example.com", "http://10.0.0.1"
	tests := map[string]struct {
		flags      flags
		env        map[string]string
		data       bool // a platform runs on the data folder
		login      bool
		url, token string
		kind       fault.Kind // of the error when url is empty
	}{
		"nothing":                           {kind: fault.Unavailable},
		"the data folder":                   {data: true, login: true, url: here, token: "admin"},
		"login":                             {login: true, url: stored, token: "mine"},
		"the environment wins over both":    {env: map[string]string{"SLIPWAY_SERVER": other, "SLIPWAY_TOKEN": "e"}, data: true, login: true, url: other, token: "e"},
		"a flag wins over the environment":  {flags: flags{server: other, token: "f"}, env: map[string]string{"SLIPWAY_SERVER": here, "SLIPWAY_TOKEN": "e"}, url: other, token: "f"},
		"the data folder's token":           {flags: flags{server: "http://localhost:7700/"}, data: true, url: "http://localhost:7700/", token: "admin"},
		"is for that server only":           {flags: flags{server: other}, data: true, login: true, kind: fault.Unauthenticated},
		"the login's token":                 {flags: flags{server: stored}, data: true, login: true, url: stored, token: "mine"},
		"a token of one's own":              {flags: flags{token: "f"}, data: true, url: here, token: "f"},
		"the environment's token is not":    {env: map[string]string{"SLIPWAY_TOKEN": "e"}, data: true, url: here, token: "admin"},
		"a token file":                      {flags: flags{tokenFile: "FILE"}, data: true, url: here, token: "from-file"},
		"a token file that is not there":    {flags: flags{tokenFile: "missing"}, data: true, kind: fault.Invalid},
		"another scheme is another machine": {flags: flags{server: "https://127.0.0.1:7700"}, data: true, kind: fault.Unauthenticated},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, k := range []string{"SLIPWAY_SERVER", "SLIPWAY_TOKEN"} {
				t.Setenv(k, tc.env[k])
			}
			t.Setenv("XDG_CONFIG_HOME", dir)
			tc.flags.data = filepath.Join(dir, "data")
			if tc.data {
				body, err := json.Marshal(serverFile{URL: here, AdminTokenFile: write(t, dir, "data/admin-token", "admin\n")})
				if err != nil {
					t.Fatal(err)
				}
				write(t, dir, "data/server.json", string(body))
			}
			if tc.login {
				if _, err := (config{Server: stored, Token: "mine"}).write(); err != nil {
					t.Fatal(err)
				}
			}
			if tc.flags.tokenFile == "FILE" {
				tc.flags.tokenFile = write(t, dir, "token", " from-file\n")
			}
			got, err := (&app{flags: tc.flags}).locate()
			switch {
			case tc.url == "" && !fault.Is(err, tc.kind):
				t.Errorf("error = %v, want kind %d", err, tc.kind)
			case tc.url != "" && (err != nil || got.url != tc.url || got.token != tc.token):
				t.Errorf("found %s with token %q (%v), want %s with %q", got.url, got.token, err, tc.url, tc.token)
			}
		})
	}
}

func TestLoginIsPrivate(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path, err := config{Server: "s", Token: "t"}.write()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v (%v), want 0600", info.Mode(), err)
	}
}

func TestQuoted(t *testing.T) {
	tests := map[string]string{"a/b-1.x": "a/b-1.x", "": "''", "my data": "'my data'", "it's": `'it'\''s'`, "$x": "'$x'"}
	for word, want := range tests {
		if got := quoted(word); got != want {
			t.Errorf("quoted(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestSecretValue(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"a line":          {"token\n", "token"},
		"a Windows line":  {"token\r\n", "token"},
		"no line end":     {"token", "token"},
		"a key of lines":  {"-----\nabc\n-----\n", "-----\nabc\n-----\n"},
		"spaces are kept": {" token \n", " token "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readSecrets([]string{"id=@" + write(t, t.TempDir(), "value", tc.file)})
			if err != nil || string(got["id"]) != tc.want {
				t.Errorf("value = %q (%v), want %q", got["id"], err, tc.want)
			}
		})
	}
}
