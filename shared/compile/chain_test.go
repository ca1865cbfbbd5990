package compile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

const childPipeline = `pipeline:
  identifier: child
  name: child
  variables:
  - {name: a, type: String, value: <+input>}
  - {name: b, type: String, value: <+input>.default(d)}
  - {name: c, type: String, value: '<+input>.allowedValues(x,y)'}
` + "  " + "stages:\n  - stage:\n      identifier: s\n      name: s\n      type: Custom\n      delegateSelectors: <+input>\n      spec:\n        execution:\n          steps:\n          - step: {identifier: w, name: w, type: Wait, spec: {duration: 1m}}\n"

const childSet = "inputSet:\n  identifier: base\n  name: base\n  pipeline:\n    identifier: child\n    variables:\n    - {name: a, type: String, value: of the set}\n    - {name: c, type: String, value: x}\n"

// chaining is a pipeline with a stage that runs another.
func chaining(spec string) string {
	return inPipeline("variables:\n- {name: v, type: String, value: known}\nstages:\n- stage:\n    identifier: run\n    name: run\n    type: Pipeline\n    spec:\n" + indent(6, spec))
}

const childRef = "org: default\nproject: default\npipeline: child\n"

func TestChain(t *testing.T) {
	library := shelfOf(t, childPipeline, childSet)
	doc := chaining(childRef + `inputSetReferences: [base]
inputs:
  identifier: child
  variables:
  - {name: b, type: String, value: <+pipeline.variables.v>}
  - {name: c, type: String, value: "<+pipeline.stages.x.output.y>-z"}
  stages:
  - stage: {identifier: s, delegateSelectors: [one, <+trigger.x>]}
outputs:
- {name: out, value: <+pipeline.stages.s.status>}
`)
	e, diags := Explain(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: library})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	chain := e.Plan.Root.Children[0].Chain
	var vars []string
	for _, v := range chain.Plan.Root.Variables {
		vars = append(vars, v.Name+"="+v.Value.(string))
	}
	stage := chain.Plan.Root.Children[0]
	text, _ := json.Marshal(map[string]any{"variables": vars, "selectors": stage.Children[0].Selectors, "inputs": chain.Inputs, "outputs": chain.Outputs, "id": chain.Plan.Identifier})
	want := `{"id":"child","inputs":{"i0":"<+pipeline.stages.x.output.y>-z","i1":"<+trigger.x>"},` +
		`"outputs":[{"name":"out","value":"<+pipeline.stages.s.status>"}],"selectors":["one","<+parentInputs.i1>"],` +
		`"variables":["a=of the set","b=known","c=<+parentInputs.i0>"]}`
	want, got := unescaped(want), unescaped(string(text))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if chain.Source != childPipeline || stage.FQN != "pipeline.stages.s" || stage.Track != "0.1" {
		t.Errorf("stage %s on %s, source %q", stage.FQN, stage.Track, chain.Source)
	}
}

func unescaped(s string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(s)
}

func TestBadChain(t *testing.T) {
	grandchild := strings.NewReplacer("identifier: p", "identifier: middle", "name: p", "name: middle").Replace(chaining(childRef))
	broken := strings.Replace(strings.Replace(childPipeline, "identifier: child", "identifier: broken", 1), "duration: 1m", "duration: soon", 1)
	library := shelfOf(t, childPipeline, grandchild, broken)
	for name, c := range map[string]struct{ doc, want string }{
		"not found":                {chaining("org: default\nproject: default\npipeline: «gone"), "error: pipeline gone is not found"},
		"no project":               {chaining("«org: default\npipeline: child"), "error: the spec of stage run has no project"},
		"unknown field":            {chaining(childRef + "«input: {}"), `error: unknown field "input" of the spec of stage run`},
		"itself":                   {chaining("org: default\nproject: default\npipeline: «p"), "error: stage run runs the pipeline it is in"},
		"one that runs another":    {chaining("org: default\nproject: default\npipeline: middle"), "t1.yaml:14:19: error: stage run runs a pipeline, and the pipeline it is in is run by a stage itself: only one may stand inside another (in the pipeline middle, run at p.yaml:14:19)"},
		"one that is wrong":        {chaining("org: default\nproject: default\npipeline: broken"), "error: duration of the spec of step w: \"soon\" is not a duration"},
		"an input it has not":      {chaining(childRef + "inputs:\n  identifier: child\n  variables:\n  - «{name: d, type: String, value: x}"), "error: the pipeline has no element d here"},
		"a value it does not take": {chaining(childRef + "inputs:\n  identifier: child\n  variables:\n  - {name: c, type: String, value: «z}"), `error: input c: "z" is not allowed`},
		"inputs of another":        {chaining(childRef + "inputs:\n  identifier: «other"), `error: identifier is "other": the pipeline has "child"`},
		"inputs as a list":         {chaining(childRef + "inputs: «[a]"), "error: inputs is a list: expected a map"},
		"a set that is not there":  {chaining(childRef + "inputSetReferences: «[nope]"), "error: input set nope is not found"},
		"an output twice":          {chaining(childRef + "outputs:\n- {name: o, value: x}\n- {name: «o, value: y}"), "error: the output \"o\" is already defined in stage run"},
		"an output without value":  {chaining(childRef + "outputs:\n- «{name: o}"), "error: an output of stage run has no value"},
		"known too late":           {chaining("org: default\nproject: default\npipeline: «<+trigger.x>"), "unsupported: not supported yet: an expression as pipeline of stage run that is known only during the run"},
	} {
		t.Run(name, func(t *testing.T) {
			text, line, col := cut(c.doc)
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(text)}, Options{Library: library})
			got := diags.String()
			if !strings.Contains(got, c.want) || line > 0 && strings.Contains(c.doc, "«") && !strings.Contains(got, core.Position{File: "p.yaml", Line: line, Column: col}.String()) {
				t.Errorf("want %d:%d %s in\n%s", line, col, c.want, got)
			}
		})
	}
}

// TestLookAtChain holds that what is wrong in a child is said where it is named, and
// that a child that is not there is a warning.
func TestLookAtChain(t *testing.T) {
	broken := strings.Replace(childPipeline, "duration: 1m", "duration: soon", 1)
	doc := Source{File: "p.yaml", Data: []byte(chaining(childRef))}
	got := Look(doc, shelfOf(t, broken)).String()
	if !strings.HasPrefix(got, `p.yaml:14:19: error: duration of the spec of step w: "soon" is not a duration`) || !strings.HasSuffix(got, "(in the pipeline child, at t0.yaml:17:73)") {
		t.Errorf("got %s", got)
	}
	if got := Look(doc, nil).String(); !strings.HasPrefix(got, "p.yaml:14:19: warning: pipeline child is not found") {
		t.Errorf("got %s", got)
	}
}
