package schema_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

var update = flag.Bool("update", false, "rewrite golden files")

func documents(t *testing.T, file string) []*yamldoc.Document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	docs, diags := yamldoc.Parse(filepath.Base(file), data)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return docs
}

// TestRight holds documents right that use many forms a field may have.
func TestRight(t *testing.T) {
	for _, file := range []string{"right/pipeline.yaml", "right/others.yaml"} {
		for _, doc := range documents(t, file) {
			f := schema.Check(doc)
			for _, d := range f.Diagnostics {
				if d.Severity != core.SeverityUnsupported {
					t.Error(d)
				}
			}
			if f.Kind == "" {
				t.Errorf("%s: document %d is not known", file, doc.Index)
			}
			agrees(t, allOurs(t), doc.Root, f)
		}
	}
}

// TestWrong holds what is said of documents in which much is wrong.
func TestWrong(t *testing.T) {
	for _, file := range []string{"wrong/pipeline.yaml", "wrong/others.yaml"} {
		t.Run(file, func(t *testing.T) {
			var b strings.Builder
			for _, doc := range documents(t, file) {
				f := schema.Check(doc)
				fmt.Fprintf(&b, "# document %d: kind %q, identifier %q\n", doc.Index, f.Kind, f.Identifier)
				for _, d := range f.Diagnostics {
					fmt.Fprintf(&b, "%s [%s] %s\n", d, d.Code, d.Path)
				}
				agrees(t, allOurs(t), doc.Root, f)
			}
			golden := filepath.Join("testdata", file+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	tests := map[string]struct{ text, kind, identifier string }{
		"pipeline":          {"pipeline: {identifier: a}", "pipeline", "a"},
		"rootless override": {"{type: ENV_GLOBAL_OVERRIDE, environmentRef: prod}", "overrides", ""},
		"application":       {"{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a}}", "Application", "a"},
		"argo rollout":      {"{apiVersion: argoproj.io/v1alpha1, kind: Rollout}", "", ""},
		"deployment":        {"{apiVersion: apps/v1, kind: Deployment}", "", ""},
		"list of stages":    {"- stage: {identifier: a}", "steplist", ""},
		"list of words":     {"- stage\n- b", "", ""},
		"fragment":          {"failureStrategies: []", "fragment", ""},
		"step group":        {"stepGroup: {identifier: g}", "stepGroup", "g"},
		"mixed":             {"{failureStrategies: [], services: {web: {}}}", "", ""},
		"empty":             {"", "", ""},
		"text":              {"hello", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs, _ := yamldoc.Parse("t.yaml", []byte(tc.text))
			f := schema.Check(docs[0])
			if f.Kind != tc.kind || f.Identifier != tc.identifier {
				t.Errorf("kind %q, identifier %q; want %q, %q", f.Kind, f.Identifier, tc.kind, tc.identifier)
			}
			if f.Kind == "" && (len(f.Diagnostics) != 1 || f.OK()) {
				t.Errorf("a foreign document: %s", f.Diagnostics)
			}
		})
	}
}

// TestUnsupported prints what has no runner yet: all that documents are said to
// hold beyond what is executed.
func TestUnsupported(t *testing.T) {
	got := schema.Unsupported()
	want := []string{"connector type", "deployment type", "stage type", "step type", "target type"}
	if nouns := slices.Sorted(maps.Keys(got)); !slices.Equal(nouns, want) {
		t.Errorf("unsupported are %v; only %v may be", nouns, want)
	}
	for _, noun := range want {
		t.Logf("%d of %s: %s", len(got[noun]), noun, strings.Join(got[noun], " "))
	}
}

func TestLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: a\n  identifier: a\n  stages:\n")
	for range 2 * schema.MaxDiagnostics {
		b.WriteString("  - x: 1\n")
	}
	docs, _ := yamldoc.Parse("t.yaml", []byte(b.String()))
	if n := len(schema.Check(docs[0]).Diagnostics); n != schema.MaxDiagnostics {
		t.Errorf("%d diagnostics", n)
	}
}
