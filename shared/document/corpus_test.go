package document_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

// TestCorpus reads real documents where there are some: each of a kind that is kept
// has an identity.
func TestCorpus(t *testing.T) {
	root := "../../../shared/corpus"
	if _, err := os.Stat(root); err != nil {
		t.Skip("no corpus here")
	}
	kept, lost := map[string]int{}, map[string]int{}
	for _, dir := range []string{"connectors", "environments", "freezes", "infrastructures", "inputsets", "overrides", "pipelines", "secrets", "services", "templates", "triggers"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.y*ml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			e, diags := document.Read(string(text), document.Expected{Anywhere: true, File: filepath.Base(f), Scope: core.Scope{Account: "a", Org: "default", Project: "default"}})
			if e != nil {
				kept[dir]++
				continue
			}
			lost[dir]++
			t.Logf("%s: %s", f, diags)
			if !diags.Blocks() {
				t.Errorf("%s is not kept, and nobody says why", f)
			}
		}
	}
	t.Logf("kept %v, not kept %v", kept, lost)
}
