package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli"
)

// TestApplyWhenThePlatformGoesAway repeats what comes at a bad time, and says what was not
// tried when nothing answers any more.
func TestApplyWhenThePlatformGoesAway(t *testing.T) {
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := filepath.Base(r.URL.Query().Get("file"))
		asked[file]++
		switch {
		case r.Method == http.MethodGet: // the organization and the project
			fmt.Fprint(w, `{}`)
		case file == "a.yaml" && asked[file] == 1:
			http.Error(w, `{"message": "too many changes"}`, http.StatusTooManyRequests)
		case file == "c.yaml":
			http.Error(w, `<html>`, http.StatusBadGateway)
		default:
			fmt.Fprint(w, `{"action": "created"}`)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	for _, id := range []string{"a", "b", "c", "d"} {
		text := fmt.Sprintf("service: {name: S, identifier: %s}\n", id)
		if err := os.WriteFile(filepath.Join(dir, id+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, problem bytes.Buffer
	status := cli.Main([]string{"apply", "-f", dir, "--server", server.URL, "--token", "x"}, strings.NewReader(""), &out, &problem)
	if status != 3 || !strings.Contains(out.String(), "2 created, 2 not tried") || !strings.Contains(problem.String(), "502") {
		t.Errorf("status %d\n%s%s", status, &out, &problem)
	}
	if asked["a.yaml"] != 2 || asked["c.yaml"] != 1 || asked["d.yaml"] != 0 {
		t.Errorf("asked %v", asked)
	}
}
