package schema_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// FuzzCheck holds that no document breaks the check: everything that is said has
// a place and is said in time.
func FuzzCheck(f *testing.F) {
	for _, file := range []string{"testdata/right/others.yaml", "testdata/wrong/others.yaml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for doc := range strings.SplitSeq(string(data), "---\n") { // small seeds: the engine shrinks large ones for minutes
			f.Add([]byte(doc))
		}
	}
	f.Add([]byte("pipeline: {stages: [{parallel: [{parallel: []}]}], template: <+input>.x}"))
	f.Add([]byte("template: {type: [], spec: {type: {}}}"))
	f.Add([]byte("- step: []\n- stage: {type: <+input>, spec: {}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, _ := yamldoc.Parse("f", data)
		start := time.Now()
		for _, doc := range docs {
			found := schema.Check(doc)
			if len(found.Diagnostics) > schema.MaxDiagnostics {
				t.Errorf("%d diagnostics", len(found.Diagnostics))
			}
			for _, d := range found.Diagnostics {
				if d.Line < 1 || d.Column < 1 || d.Message == "" || d.Code == "" {
					t.Errorf("diagnostic without a place: %+v", d)
				}
			}
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
