package compile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

var update = flag.Bool("update", false, "write the golden plans anew")

// TestGolden compares whole plans: of the examples users are shown, and of
// fixtures that hold the rest.
func TestGolden(t *testing.T) {
	for _, pattern := range []string{"../../examples/*.yaml", "testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files match %s", pattern)
		}
		for _, f := range files {
			t.Run(filepath.Base(f), func(t *testing.T) { golden(t, f) })
		}
	}
}

// beside are the documents in the folder that a pipeline's file has to itself.
func beside(t *testing.T, file string) Library {
	var sources []Source
	names, _ := filepath.Glob(strings.TrimSuffix(file, ".yaml") + "/*.yaml")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{File: filepath.Base(name), Data: data})
	}
	library, diags := Index(sources)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return library
}

func golden(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plan, diags := Compile(Source{File: filepath.Base(file), Data: data}, Options{Library: beside(t, file)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	got := plainJSON(t, plan)
	path := filepath.Join("testdata", "golden", strings.TrimSuffix(filepath.Base(file), ".yaml")+".json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the plan has changed (-want +got); if it should, run go test -update\n%s", diff)
	}
	var back core.Plan
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan, &back); diff != "" {
		t.Errorf("the plan does not survive being stored: %s", diff)
	}
}

// plainJSON is indented JSON with < and > as they are.
func plainJSON(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestScope(t *testing.T) {
	doc := []byte(withPipeline("orgIdentifier: o"))
	plan, _ := Compile(Source{Data: doc}, Options{Scope: core.Scope{Account: "acme", Org: "x", Project: "y"}})
	if diff := cmp.Diff(core.Scope{Account: "acme", Org: "o", Project: "y"}, plan.Scope); diff != "" {
		t.Error(diff)
	}
	plan, _ = Compile(Source{Data: doc}, Options{})
	if diff := cmp.Diff(core.Scope{Account: "default", Org: "o", Project: "default"}, plan.Scope); diff != "" {
		t.Error(diff)
	}
}

func TestSimilarIdentifiersAreKept(t *testing.T) {
	plan, diags := Compile(Source{Data: []byte(inSteps(oneStep + strings.Replace(oneStep, "identifier: a", "identifier: A", 1)))}, Options{})
	if plan == nil || len(diags) != 1 || diags[0].Severity != core.SeverityWarning || diags[0].Code != CodeSimilar {
		t.Errorf("plan %v, diagnostics: %s", plan != nil, diags)
	}
}

func TestSameStepInTwoGroups(t *testing.T) {
	group := func(id string) string {
		return "- stepGroup:\n    identifier: " + id + "\n    name: g\n    steps:\n" + indent(4, oneStep)
	}
	if _, diags := Compile(Source{Data: []byte(inSteps(group("g") + group("h")))}, Options{}); len(diags) > 0 {
		t.Error(diags)
	}
}

func TestAllProblemsAtOnceInOrder(t *testing.T) {
	doc := withPipeline("timeout: x\nfoo: 1") + "  bar: 2\n"
	_, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Inputs: map[string]string{"nope": "1"}})
	var got []string
	for _, d := range diags {
		got = append(got, core.Position{Line: d.Line, Column: d.Column}.String()+" "+d.Code)
	}
	want := []string{"2:3 unknown-input", "4:12 invalid-duration", "5:3 unknown-field", "19:3 unknown-field"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, diags)
	}
}

func TestMaxParallelIsAllowed(t *testing.T) {
	text, _, _ := cut(inSteps(manyBranches(MaxParallel)))
	if _, diags := Compile(Source{Data: []byte(text)}, Options{}); len(diags) > 0 {
		t.Error(diags)
	}
}

func FuzzCompile(f *testing.F) {
	for _, tc := range badDocuments {
		if len(tc.doc) > 4000 {
			continue
		}
		text, _, _ := cut(tc.doc)
		f.Add([]byte(text), []byte(""), "a", "b")
	}
	for _, tc := range inputCases {
		set := ""
		if len(tc.sets) > 0 {
			set = tc.sets[0]
		}
		f.Add([]byte(inputPipeline), []byte(set), "version", "1")
	}
	f.Fuzz(func(t *testing.T, doc, set []byte, name, value string) {
		start := time.Now()
		plan, diags := Compile(Source{File: "p", Data: doc}, Options{
			Inputs: map[string]string{name: value}, InputSets: []Source{{File: "s", Data: set}},
		})
		if (plan == nil) != diags.Blocks() && len(diags) > 0 {
			t.Errorf("plan %v: %s", plan != nil, diags)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("took %v", d)
		}
		for _, d := range diags {
			if d.Line < 1 || d.Column < 1 || d.Message == "" || d.Code == "" {
				t.Errorf("diagnostic without a place: %+v", d)
			}
		}
		if plan == nil {
			return
		}
		seen := map[string]bool{}
		plan.Root.Walk(func(n *core.Node) {
			if seen[n.FQN] {
				t.Errorf("%s twice", n.FQN)
			}
			seen[n.FQN] = true
			for _, v := range n.Spec {
				if s, ok := v.(string); ok {
					if _, err := expr.Refs(s); err != nil {
						t.Errorf("%s: %v", n.FQN, err)
					}
				}
			}
		})
	})
}
