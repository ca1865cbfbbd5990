package compile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// unknown are fields of corpus documents that pipelines do not have. The first document
// is a sketch of the other, simplified format; the rest the official schema refuses too.
var unknown = map[string]bool{
	"My_Pipeline.yaml /pipeline/inputs":   true,
	"My_Pipeline.yaml /pipeline/env":      true,
	"My_Pipeline.yaml /pipeline/repo":     true,
	"My_Pipeline.yaml /pipeline/clone":    true,
	"My_Pipeline.yaml /pipeline/on":       true,
	"My_Pipeline.yaml /pipeline/barriers": true,

	"Golden_Harness_K8s_Deployment.yaml /template/spec/spec/execution/steps/1/stepGroup/spec":                   true,
	"Golden_Harness_K8s_Deployment.yaml /template/spec/spec/execution/steps/1/stepGroup/steps/1/stepGroup/spec": true,
	"Golden_Harness_K8s_Deployment.yaml /template/spec/spec/execution/steps/5/stepGroup/spec":                   true,
	"Golden_Harness_K8s_Deployment.yaml /template/spec/spec/execution/steps/5/stepGroup/steps/0/stepGroup/spec": true,
	"ecs_bluegreen_inherit_example.yaml /pipeline/stages/0/stage/spec/rollbackSteps":                            true,
	"python_flask_cicd.yaml /pipeline/stages/3/stage/spec/execution/rollbackSteps/1/step/spec/body":             true,
	"python_flask_cicd.yaml /pipeline/stages/3/stage/spec/execution/steps/2/step/spec/body":                     true,
	"testMatrixP0.yaml /pipeline/stages/0/stage/spec/execution/rollbackSteps/0/step/spec/timeout":               true,
	"testMatrixP0.yaml /pipeline/stages/0/stage/spec/execution/steps/0/step/spec/timeout":                       true,
	"testMatrixP0.yaml /pipeline/stages/0/stage/spec/failureStrategies":                                         true,
	"testMatrixP0.yaml /pipeline/stages/0/stage/spec/infrastructureDefinitions":                                 true,
	"testMatrixP0.yaml /pipeline/stages/0/stage/spec/strategy":                                                  true,
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
		_, diags := Compile(Source{File: filepath.Base(f), Data: data}, Options{Lenient: true})
		for _, d := range diags {
			if d.Severity == core.SeverityError && d.Code != CodeMissingInput {
				t.Error(d)
			}
		}
	}
}

// corpusLibrary holds the real templates and input sets beside the checkout.
func corpusLibrary(t testing.TB) Library {
	var sources []Source
	for _, dir := range []string{"templates", "inputsets"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, Source{File: filepath.Base(f), Data: home.ReplaceAll(data, nil)})
		}
	}
	library, diags := Index(sources)
	t.Logf("%d files in the library, %d diagnostics", len(sources), len(diags))
	return library
}

// home are the fields that say where a document lives: those of the corpus come
// from many accounts.
var home = regexp.MustCompile(`(?m)^  (org|project)Identifier:.*$`)

// TestCorpus looks at every real pipeline, as for a run and leniently, with and
// without the templates beside it: everything said has a place, nothing crashes.
func TestCorpus(t *testing.T) {
	files := corpus(t)
	for name, opt := range map[string]Options{
		"to run":             {},
		"to look at":         {Lenient: true},
		"with its templates": {Lenient: true, Library: corpusLibrary(t)},
	} {
		t.Run(name, func(t *testing.T) { tellCorpus(t, files, opt) })
	}
}

func tellCorpus(t *testing.T, files []string, opt Options) {
	counts := map[string]int{}
	for _, f := range files {
		name := filepath.Base(f)
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		src := Source{File: name, Data: data}
		plan, diags := Compile(src, opt)
		if (plan == nil) != diags.Blocks() {
			t.Errorf("%s: plan %v with diagnostics %s", name, plan != nil, diags)
		}
		if plan != nil {
			counts["(compiled)"]++
		}
		explained, also := Explain(src, opt)
		if diff := cmp.Diff(diags, also); diff != "" {
			t.Errorf("%s: explaining says something else: %s", name, diff)
		}
		if explained != nil {
			counts["(nodes shown)"] += len(explained.Fields)
			counts["(templates put in)"] += len(explained.Uses)
		}
		for _, d := range diags {
			counts[string(d.Severity)+" "+d.Code]++
			if d.File == "" || d.Line < 1 || d.Column < 1 || d.Message == "" {
				t.Errorf("%s: diagnostic without a place: %+v", name, d)
			}
			if d.Code == CodeNotFound && (d.Severity == core.SeverityWarning) != opt.Lenient {
				t.Errorf("%s", d)
			}
			if d.Code == CodeUnknownField && !unknown[name+" "+d.Path] {
				t.Errorf("%s", d)
			}
			if d.Severity == core.SeverityError && opt.Lenient && d.Code != CodeMissingInput {
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
