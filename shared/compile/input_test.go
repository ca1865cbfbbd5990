package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// inputPipeline has an input of each kind.
const inputPipeline = `pipeline:
  identifier: p
  name: p
  variables:
  - {name: version, type: String, value: <+input>}
  - {name: env, type: String, value: '<+input>.default(qa).allowedValues(dev,qa,\''london,uk\'')'}
  - {name: many, type: String, value: '<+input>.selectManyFrom(a,b,c)'}
  - {name: tag, type: String, value: '<+input>.regex(v\d+(\.\d+)?).default(v1)'}
  - {name: count, type: Number, value: <+input>.default(3)}
  - {name: needed, type: String, required: true, value: <+input>.default(x)}
  - {name: ref, type: String, value: <+input>.default(<+pipeline.name>)}
  - {name: fixed, type: String, value: f}
  - {name: later, type: String, default: d, value: <+input>}
  stages:
  - parallel:
    - stage:
        identifier: s
        name: s
        type: Custom
        delegateSelectors: <+input>
        variables:
        - {name: v, type: String, value: <+input>}
        spec:
          execution:
            steps:
            - stepGroup:
                identifier: g
                name: g
                steps:
                - step:
                    identifier: w
                    name: w
                    type: ShellScript
                    timeout: <+input>.default(20m)
                    spec:
                      shell: Bash
                      source: {type: Inline, spec: {script: echo}}
                      environmentVariables:
                      - {name: E, type: String, value: <+input>}
`

// set is an input set with these fields of the pipeline.
func set(fields string) string {
	return "inputSet:\n  identifier: i\n  name: i\n  pipeline:\n    identifier: p\n" + indent(4, fields)
}

var inputCases = []struct {
	name   string
	inputs map[string]string
	sets   []string
	want   map[string]any // values that differ from the defaults below
	say    string         // an error instead: position, code and part of the message
}{
	{name: "nothing given"},
	{name: "by name", inputs: map[string]string{"version": "1.10", "count": "4"}, want: map[string]any{"version": "1.10", "count": 4.0}},
	{name: "by path", inputs: map[string]string{
		"pipeline.variables.version": "2", "stages.s.variables.v": "x", "stages.s.delegateSelectors": "[a, b]",
		"stages.s.spec.execution.steps.g.steps.w.timeout":                     "1h",
		"stages.s.spec.execution.steps.g.steps.w.spec.environmentVariables.E": "e",
	}, want: map[string]any{"version": "2", "v": "x", "selectors": []string{"a", "b"}, "timeout": int64(3600000), "E": "e"}},
	{name: "an expression", inputs: map[string]string{"env": "<+pipeline.name>"}, want: map[string]any{"env": "<+pipeline.name>"}},
	{name: "quoted member", inputs: map[string]string{"env": "london,uk"}, want: map[string]any{"env": "london,uk"}},
	{name: "several members", inputs: map[string]string{"many": "a, c"}, want: map[string]any{"many": "a, c"}},
	{name: "whole regex", inputs: map[string]string{"tag": "v1.2"}, want: map[string]any{"tag": "v1.2"}},
	{name: "empty takes the default", inputs: map[string]string{"env": "", "tag": ""}},
	{name: "input set", sets: []string{set("variables:\n- {name: version, type: String, value: 1.20}")},
		want: map[string]any{"version": "1.20", "many": nil, "v": nil}},
	{name: "input set by way of REST", sets: []string{"pipeline:\n  identifier: p\n  variables:\n  - {name: version, type: String, value: b}"},
		want: map[string]any{"version": "b", "many": nil, "v": nil}},
	{name: "input set deep down", sets: []string{set(`stages:
- parallel:
  - stage:
      identifier: s
      type: Custom
      delegateSelectors: [x]
      variables:
      - {name: v, type: String, value: y}
      spec:
        execution:
          steps:
          - stepGroup:
              identifier: g
              steps:
              - step:
                  identifier: w
                  type: ShellScript
                  timeout: 2m
                  spec:
                    environmentVariables:
                    - {name: E, type: String, value: "1"}`)},
		want: map[string]any{"version": nil, "many": nil, "v": "y", "selectors": []string{"x"}, "timeout": int64(120000), "E": "1"}},
	{name: "later set wins, the command line over both", sets: []string{
		set("variables:\n- {name: version, type: String, value: one}\n- {name: many, type: String, value: a}"),
		set("variables:\n- {name: version, type: String, value: two}\n- {name: env, type: String, value: dev}")},
		inputs: map[string]string{"env": "qa"}, want: map[string]any{"version": "two", "many": "a", "env": "qa", "v": nil}},
	{name: "left open", sets: []string{set("variables:\n- {name: env, type: String, value: <+input>}\n- {name: version, type: String, value: \"\"}")},
		want: map[string]any{"many": nil, "v": nil}},
	{name: "the same fixed value", sets: []string{set("variables:\n- {name: fixed, type: String, value: f}")},
		want: map[string]any{"version": nil, "many": nil, "v": nil}},
	{name: "empty set", sets: []string{""}, want: map[string]any{"version": nil, "many": nil, "v": nil}},

	{name: "not allowed", inputs: map[string]string{"env": "prod"}, say: `p:6:38 invalid-input input env: "prod" is not allowed: expected one of dev, qa, london,uk`},
	{name: "one of many not allowed", inputs: map[string]string{"many": "a,z"}, say: `p:7:39 invalid-input input many: "z" is not allowed`},
	{name: "regex", inputs: map[string]string{"tag": "xv1"}, say: `p:8:38 invalid-input input tag: "xv1" does not match`},
	{name: "no number", inputs: map[string]string{"count": "x"}, say: `p:9:40 invalid-value value of variable count is "x"`},
	{name: "bad duration", inputs: map[string]string{"stages.s.spec.execution.steps.g.steps.w.timeout": "1"}, say: `p:34:30 invalid-duration`},
	{name: "unknown", inputs: map[string]string{"versoin": "1"}, say: `p:2:3 unknown-input unknown input "versoin" did you mean "version"?`},
	{name: "fixed", inputs: map[string]string{"fixed": "1"}, say: `p:12:40 fixed-input input fixed: the value of the variable is fixed`},
	{name: "unknown in a set", sets: []string{set("variables:\n- {name: versoin, type: String, value: x}")}, say: `set0:7:7 unknown-input the pipeline has no element versoin here`},
	{name: "unknown field in a set", sets: []string{set("timeout: 10m")}, say: `set0:6:5 unknown-input the pipeline has no timeout here`},
	{name: "fixed in a set", sets: []string{set("variables:\n- {name: fixed, type: String, value: g}")}, say: `set0:7:42 fixed-input "g" is given for a field whose value is fixed to "f" on line 12`},
	{name: "not allowed in a set", sets: []string{set("variables:\n- {name: env, type: String, value: prod}")}, say: `set0:7:40 invalid-input input env: "prod" is not allowed`},
	{name: "of another pipeline", sets: []string{"pipeline: {identifier: q}"}, say: `set0:1:24 invalid-input identifier is "q": the pipeline has "p"`},
	{name: "another type", sets: []string{set("variables:\n- {name: version, type: Number, value: 1}")}, say: `set0:7:29 invalid-input type is "Number": the pipeline has "String"`},
	{name: "another shape", sets: []string{set("stages: x")}, say: `set0:6:13 invalid-input a string is given where the pipeline has a list`},
	{name: "no input set", sets: []string{"service: {}"}, say: `set0:1:1 invalid-input the file holds no input set`},
	{name: "overlay", sets: []string{"overlayInputSet: {}"}, say: `set0:1:18 missing-field the overlay names no input set`},
	{name: "syntax", sets: []string{"a: b: c"}, say: `set0:1:4 yaml-syntax`},
}

// defaults are the values when nothing is given.
var defaults = map[string]any{
	"version": "", "env": "qa", "many": "", "tag": "v1", "count": 3.0, "needed": "x", "ref": "<+pipeline.name>", "fixed": "f", "later": "d",
	"v": "", "selectors": []string(nil), "timeout": int64(1200000), "E": "",
}

func TestInputs(t *testing.T) {
	for _, tc := range inputCases {
		t.Run(tc.name, func(t *testing.T) {
			opt := Options{Inputs: tc.inputs}
			for i, s := range tc.sets {
				opt.InputSets = append(opt.InputSets, Source{File: fmt.Sprintf("set%d", i), Data: []byte(s)})
			}
			plan, diags := Compile(Source{File: "p", Data: []byte(inputPipeline)}, opt)
			if tc.say != "" {
				for _, d := range diags {
					if strings.Contains(core.Position{File: d.File, Line: d.Line, Column: d.Column}.String()+" "+d.Code+" "+d.Message+" "+d.Help, tc.say) {
						return
					}
				}
				t.Fatalf("want %s\nin %s", tc.say, diags)
			}
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			want := map[string]any{}
			for k, v := range defaults {
				want[k] = v
				if given, ok := tc.want[k]; ok {
					want[k] = given
				}
			}
			if len(tc.sets) > 0 && tc.want["E"] == nil {
				delete(want, "E") // null: the variable has no value
			}
			if diff := cmp.Diff(want, values(plan)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// values are what inputPipeline's inputs have become.
func values(p *core.Plan) map[string]any {
	out := map[string]any{}
	p.Root.Walk(func(n *core.Node) {
		for _, v := range n.Variables {
			out[v.Name] = v.Value
		}
		switch n.Kind {
		case core.KindStage:
			out["selectors"] = n.Selectors
		case core.KindStep:
			out["timeout"] = n.Timeout
			env := n.Spec["environmentVariables"].([]any)[0].(map[string]any)
			if v, ok := env["value"]; ok {
				out["E"] = v
			}
		default:
		}
	})
	return out
}

func TestParseMarker(t *testing.T) {
	tests := map[string]struct {
		want marker
		bad  string
	}{
		"<+input>":                             {want: marker{}},
		"<+input>.default(new york)":           {want: marker{hasDefault: true, def: "new york"}},
		`<+input>.default("a b")`:              {want: marker{hasDefault: true, def: "a b"}},
		`<+input>.default({\"a\": 1})`:         {want: marker{hasDefault: true, def: `{"a": 1}`}},
		"<+input>.default(<+a.b()>)":           {want: marker{hasDefault: true, def: "<+a.b()>"}},
		"<+input>.allowedValues(a, b)":         {want: marker{one: []string{"a", "b"}}},
		"<+input>.selectOneFrom(<+f(1,2)>,b)":  {want: marker{one: []string{"<+f(1,2)>", "b"}}},
		`<+input>.regex(^(a|\(b)$).default(a)`: {want: marker{regex: `^(a|\(b)$`, hasDefault: true, def: "a"}},
		"<+input>.executionInput().default(x)": {want: marker{execution: true, hasDefault: true, def: "x"}},
		"<+input>.default()":                   {bad: ".default()"},
		"<+input>.nope(x)":                     {bad: ".nope(x)"},
		"<+input> and more":                    {bad: "and more"},
	}
	for text, tc := range tests {
		t.Run(text, func(t *testing.T) {
			got, bad := parseMarker(text)
			if bad != tc.bad {
				t.Fatalf("rest %q, want %q", bad, tc.bad)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(marker{})); bad == "" && diff != "" {
				t.Error(diff)
			}
		})
	}
}
