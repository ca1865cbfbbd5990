package compile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// corpus returns the real pipelines beside the checkout, skipping the test when
// there are none.
func corpus(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"pipelines", "pipelines_ci"} {
		fs, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fs...)
	}
	if len(files) == 0 {
		t.Skip("no corpus beside the checkout")
	}
	return files
}

// unknown are fields of corpus documents that this kind of pipeline really does
// not have: the document is a sketch of the other, simplified pipeline format.
var unknown = map[string]bool{
	"My_Pipeline.yaml /pipeline/inputs":   true,
	"My_Pipeline.yaml /pipeline/env":      true,
	"My_Pipeline.yaml /pipeline/repo":     true,
	"My_Pipeline.yaml /pipeline/clone":    true,
	"My_Pipeline.yaml /pipeline/on":       true,
	"My_Pipeline.yaml /pipeline/barriers": true,
}

// schemaValid returns the corpus files the official schema accepts.
func schemaValid(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", "index.tsv"))
	if err != nil {
		t.Skip("no index of the corpus")
	}
	valid := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if cols := strings.Split(line, "\t"); len(cols) > 7 && cols[7] == "yes" {
			valid[cols[0]] = true
		}
	}
	return valid
}

// TestCorpusErrors holds that what the official schema accepts is never wrong
// here: at most it lacks inputs or is not supported yet.
func TestCorpusErrors(t *testing.T) {
	valid := schemaValid(t)
	for _, f := range corpus(t) {
		if !valid[filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f)] {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, diags := Compile(Source{File: filepath.Base(f), Data: data}, Options{})
		for _, d := range diags {
			if d.Severity == core.SeverityError && d.Code != CodeMissingInput {
				t.Error(d)
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	counts := map[string]int{}
	for _, f := range corpus(t) {
		name := filepath.Base(f)
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		plan, diags := Compile(Source{File: name, Data: data}, Options{})
		if (plan == nil) != diags.Blocks() {
			t.Errorf("%s: plan %v with diagnostics %s", name, plan != nil, diags)
		}
		if plan != nil {
			counts["(compiled)"]++
		}
		for _, d := range diags {
			counts[string(d.Severity)+" "+d.Code]++
			if d.File != name || d.Line < 1 || d.Column < 1 || d.Message == "" {
				t.Errorf("%s: diagnostic without a place: %+v", name, d)
			}
			if d.Code == CodeUnknownField && !unknown[name+" "+d.Path] {
				t.Errorf("%s", d)
			}
			if d.Severity == core.SeverityError {
				t.Log(d)
			}
		}
	}
	var lines []string
	for k, n := range counts {
		lines = append(lines, fmt.Sprintf("%5d %s", n, k))
	}
	slices.Sort(lines)
	for _, l := range slices.Backward(lines) {
		t.Log(l)
	}
}

// TestCorpusCompiles holds that these real pipelines run as they are.
func TestCorpusCompiles(t *testing.T) {
	dir := filepath.Dir(corpus(t)[0])
	for _, name := range []string{"exp.yaml", "child.yaml", "pipeline.yaml", "Input_Pipeline.yaml", "StepGroupExport__2.yaml", "output_variable.yaml"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if _, diags := Compile(Source{File: name, Data: data}, Options{}); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
}

// TestRulesKnowTheSchema holds that no field of the official schema is unknown to
// the envelopes.
func TestRulesKnowTheSchema(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "schema", "v0", "pipeline.json"))
	if err != nil {
		t.Skip("no schema beside the checkout")
	}
	type object struct{ Properties map[string]any }
	var doc struct {
		Definitions struct {
			Pipeline struct {
				Steps  struct{ Custom map[string]object }
				Stages struct{ Custom, Approval map[string]object }
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	p := doc.Definitions.Pipeline
	for what, c := range map[string]struct {
		schema map[string]any
		rules  rules
	}{
		"CustomStageNode":         {p.Stages.Custom["CustomStageNode"].Properties, stageRules},
		"ApprovalStageNode":       {p.Stages.Approval["ApprovalStageNode"].Properties, stageRules},
		"ExecutionElement":        {p.Stages.Custom["ExecutionElementConfig"].Properties, executionRules},
		"StepGroupElement":        {p.Stages.Custom["StepGroupElementConfig"].Properties, groupRules},
		"ShellScriptStepNode":     {p.Steps.Custom["ShellScriptStepNode"].Properties, stepRules},
		"HarnessApprovalStepNode": {p.Steps.Custom["HarnessApprovalStepNode"].Properties, stepRules},
	} {
		if len(c.schema) == 0 {
			t.Errorf("%s: not found in the schema", what)
		}
		for field := range c.schema {
			if _, ok := c.rules[field]; !ok {
				t.Errorf("%s: field %s is not known", what, field)
			}
		}
	}
}
