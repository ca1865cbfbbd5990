package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// setFile is an input set document of inputPipeline with an identifier.
func setFile(id, fields string) string {
	return strings.Replace(set(fields), "identifier: i", "identifier: "+id, 1)
}

func overlay(rest string) Source {
	return Source{File: "over", Data: []byte("overlayInputSet:\n  identifier: o\n  name: o\n" + indent(2, rest))}
}

var (
	first  = setFile("first", "variables:\n- {name: version, type: String, value: one}\n- {name: many, type: String, value: a}")
	second = setFile("second", "variables:\n- {name: version, type: String, value: two}")
)

func TestOverlay(t *testing.T) {
	library := shelfOf(t, first, second, "overlayInputSet: {identifier: inner, inputSetReferences: [first]}",
		strings.Replace(setFile("elsewhere", "variables: []"), "identifier: p", "identifier: q", 1))
	tests := []struct {
		name string
		set  Source
		opt  Options
		want map[string]any
		say  string
	}{
		{"in its order", overlay("pipelineIdentifier: p\ninputSetReferences: [first, second]"), Options{}, map[string]any{"version": "two", "many": "a"}, ""},
		{"in another order", overlay("inputSetReferences: [second, first]"), Options{}, map[string]any{"version": "one", "many": "a"}, ""},
		{"the command line over it", overlay("inputSetReferences: [first]"), Options{Inputs: map[string]string{"version": "three"}}, map[string]any{"version": "three", "many": "a"}, ""},
		{"of another pipeline", overlay("pipelineIdentifier: «q\ninputSetReferences: [first]"), Options{}, nil, `over:4:23: error: pipelineIdentifier is "q": the pipeline is "p"`},
		{"a set of another pipeline", overlay("inputSetReferences: [elsewhere]"), Options{}, nil, "over:4:24: error: input set elsewhere is not found"},
		{"a set that is not there", overlay("inputSetReferences: [first, nope]"), Options{}, nil, "over:4:31: error: input set nope is not found"},
		{"a set that is not there, leniently", overlay("inputSetReferences: [first, nope]"), Options{Lenient: true}, nil, "over:4:31: warning: input set nope is not found"},
		{"an overlay in it", overlay("inputSetReferences: [inner]"), Options{}, nil, "over:4:24: error: inner is an overlay"},
		{"a map in it", overlay("inputSetReferences: [{a: b}]"), Options{}, nil, "over:4:24: error: an item of inputSetReferences is a map"},
		{"nothing in it", overlay("inputSetReferences: []"), Options{}, nil, "over:2:3: error: the overlay names no input set"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			text, _, _ := cut(string(tc.set.Data))
			tc.set.Data = []byte(text)
			tc.opt.InputSets, tc.opt.Library = []Source{tc.set}, library
			plan, diags := Compile(Source{File: "p", Data: []byte(inputPipeline)}, tc.opt)
			if tc.say != "" {
				if !strings.Contains(diags.String(), tc.say) {
					t.Errorf("want %s\nin %s", tc.say, diags)
				}
				return
			}
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			got := map[string]any{}
			for _, v := range plan.Root.Variables {
				if _, ok := tc.want[v.Name]; ok {
					got[v.Name] = v.Value
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOutdatedInputSet holds that all that does not fit is told, each with its place.
func TestOutdatedInputSet(t *testing.T) {
	sets := []Source{{File: "old", Data: []byte(setFile("old", "variables:\n- {name: gone, type: String, value: x}\n- {name: fixed, type: String, value: y}\nstages:\n- stage: {identifier: gone}"))}}
	_, diags := Compile(Source{File: "p", Data: []byte(inputPipeline)}, Options{InputSets: sets})
	var got []string
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", d.File, d.Line, d.Column, d.Code, d.Message))
	}
	want := []string{"old:7:7 unknown-input the pipeline has no element gone here",
		`old:8:42 fixed-input "y" is given for a field whose value is fixed to "f" on line 12 of the pipeline`,
		"old:10:7 unknown-input the pipeline has no element gone here"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLookInputs holds that an input set is told how it differs from its pipeline,
// at its own places and without being run.
func TestLookInputs(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want []string
	}{
		"fits": {first, nil},
		"outdated": {setFile("old", "variables:\n- {name: gone, type: String, value: x}\n- {name: version, type: Number, value: 1}\n- {name: env, type: String, value: prod}\nstages:\n- stage: {identifier: s, timeout: 1m}"),
			[]string{`7:7 error unknown-input the pipeline has no element gone here`, `8:29 error invalid-input type is "Number": the pipeline has "String"`,
				`9:40 error invalid-input input env: "prod" is not allowed: expected one of dev, qa, london,uk`, `11:7 error unknown-input the pipeline has no element s here`}},
		"of no pipeline":     {strings.Replace(first, "identifier: p", "identifier: q", 1), []string{"5:17 warning not-found pipeline q is not found"}},
		"an overlay":         {"overlayInputSet:\n  identifier: o\n  pipelineIdentifier: p\n  inputSetReferences: [first, nope]\n", []string{"4:31 warning not-found input set nope is not found"}},
		"an overlay of none": {"overlayInputSet:\n  identifier: o\n  pipelineIdentifier: q\n  inputSetReferences: [first]\n", []string{"3:23 warning not-found pipeline q is not found"}},
	} {
		t.Run(name, func(t *testing.T) {
			library := shelfOf(t, inputPipeline, first)
			var got []string
			for _, d := range LookInputs(Parsed("set", []byte(c.set), yamldoc.Each("set", []byte(c.set))[0]), library) {
				got = append(got, fmt.Sprintf("%d:%d %s %s %s", d.Line, d.Column, d.Severity, d.Code, d.Message))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGivenInputs holds what <+inputSet> stands for, and that plans nobody asks it
// of do not carry it.
func TestGivenInputs(t *testing.T) {
	opt := Options{Inputs: map[string]string{"version": "2", "stages.s.variables.v": "x"}}
	plan, _ := Compile(Source{File: "p", Data: []byte(inputPipeline)}, opt)
	if plan.Inputs != nil {
		t.Errorf("nobody asks, got %v", plan.Inputs)
	}
	doc := strings.Replace(inputPipeline, "script: echo", "script: echo <+inputSet>", 1)
	plan, diags := Compile(Source{File: "p", Data: []byte(doc)}, opt)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := map[string]any{"pipeline": map[string]any{
		"identifier": "p", "name": "p",
		"variables": []any{map[string]any{"name": "version", "type": "String", "value": 2.0}},
		"stages": []any{map[string]any{"parallel": []any{map[string]any{"stage": map[string]any{
			"identifier": "s", "name": "s", "type": "Custom", "variables": []any{map[string]any{"name": "v", "type": "String", "value": "x"}},
		}}}}},
	}}
	if diff := cmp.Diff(want, plan.Inputs); diff != "" {
		t.Error(diff)
	}
}

// TestInputsOfGroups gives inputs of group variables and of loops by path.
func TestInputsOfGroups(t *testing.T) {
	doc := inSteps("- stepGroup:\n    identifier: g\n    name: g\n    variables:\n    - {name: v, type: String, value: <+input>}\n    strategy: {repeat: {items: <+input>}}\n    steps:\n" + indent(4, oneStep))
	e, _ := Explain(Source{Data: []byte(doc)}, Options{Inputs: map[string]string{
		"stages.s.spec.execution.steps.g.variables.v": "x", "stages.s.spec.execution.steps.g.strategy.repeat.items": "[a, 1.10]"}})
	g := e.Plan.Root.Children[0].Children[0]
	if g.Variables[0].Value != "x" || g.Loop == nil || !cmp.Equal(g.Loop.Items.Values, []any{"a", "1.10"}) {
		t.Errorf("variables %v, loop %+v", g.Variables, g.Loop)
	}
}

// TestOrigins holds where each value of a plan is said to come from.
func TestOrigins(t *testing.T) {
	doc := strings.Replace(inSteps(link("a", "outer", "template:\n  templateInputs:\n    spec: {duration: <+input>}")), "stages:",
		"variables:\n  - {name: a, type: String, value: <+input>}\n  - {name: b, type: String, value: <+input>}\n  - {name: c, type: String, value: <+input>.default(d)}\n  - {name: d, type: String, value: <+input>}\n  stages:", 1)
	library := shelfOf(t, templateOf("Step", "outer", "1", "template:\n  templateRef: w\n  templateInputs:\n    spec: {duration: <+input>}\n    timeout: 9m"),
		templateOf("Step", "w", "7", "type: Wait\ntimeout: <+input>\nwhen: {stageStatus: All}\nspec: {duration: <+input>}"))
	e, diags := Explain(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: library,
		InputSets: []Source{{File: "set.yaml", Data: []byte(set("variables:\n- {name: a, type: String, value: x}\nstages:\n- stage:\n    identifier: s\n    spec: {execution: {steps: [{step: {identifier: a, template: {templateInputs: {template: {templateInputs: {spec: {duration: 30s}}}}}}}]}}"))}},
		Inputs:    map[string]string{"b": "y"}})
	if len(diags) != 0 {
		t.Fatal(diags)
	}
	var got []string
	for _, fqn := range []string{"pipeline", "pipeline.stages.s.spec.execution.steps.a"} {
		for _, f := range e.Fields[fqn] {
			if strings.HasSuffix(f.Path, ".name") || strings.HasSuffix(f.Path, ".type") {
				continue
			}
			got = append(got, fmt.Sprintf("%s=%v %s %s %s", f.Path, f.Value, f.Origin.By, f.Origin.Of, f.Origin.Position))
		}
	}
	want := []string{
		"identifier=p pipeline  p.yaml:2:15", "name=p pipeline  p.yaml:3:9",
		"variables.a.value=x input set i set.yaml:7:38", "variables.b.value=y input  p.yaml:6:36",
		"variables.c.value=d default  p.yaml:7:36", "variables.d.value=<nil> nobody  p.yaml:8:36",
		"identifier=a pipeline  p.yaml:18:27", "name=a pipeline  p.yaml:19:21",
		"type=Wait template w 7 t1.yaml:7:11", "timeout=9m template outer 1 t0.yaml:11:18", "when.stageStatus=All template w 7 t1.yaml:9:25",
		"spec.duration=30s input set i set.yaml:11:132",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var uses []string
	for _, u := range e.Uses["pipeline.stages.s.spec.execution.steps.a"] {
		uses = append(uses, fmt.Sprintf("%s of %s at %s", u.Template, u.File, u.Pos))
	}
	if diff := cmp.Diff([]string{"outer 1 of t0.yaml at p.yaml:21:30", "w 7 of t1.yaml at t0.yaml:8:20"}, uses); diff != "" {
		t.Error(diff)
	}
}

// TestOriginsInOneFile tells two templates in one file apart, whichever is first.
func TestOriginsInOneFile(t *testing.T) {
	inner := templateOf("Step", "w", "7", "type: Wait\ntimeout: <+input>\nspec: {duration: 30s}")
	outer := templateOf("Step", "outer", "1", "template: {templateRef: w, templateInputs: {timeout: 9m}}")
	for _, text := range []string{inner + "---\n" + outer, outer + "---\n" + inner} {
		e, diags := Explain(Source{File: "p.yaml", Data: []byte(inSteps(link("a", "outer", "")))}, Options{Library: shelfOf(t, text)})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		got := map[string]string{}
		for _, f := range e.Fields["pipeline.stages.s.spec.execution.steps.a"] {
			got[f.Path] = f.Origin.Of
		}
		if diff := cmp.Diff(map[string]string{"identifier": "", "name": "", "type": "w 7", "timeout": "outer 1", "spec.duration": "w 7"}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestExplainShowsWhatDoesNotRun holds that stages and steps without a runner are in
// the plan, and that one thing is said of a stage that is refused as a whole.
func TestExplainShowsWhatDoesNotRun(t *testing.T) {
	doc := inPipeline("stages:\n- stage:\n    identifier: d\n    name: d\n    type: IACM\n    spec:\n      deploymentType: Kubernetes\n      service: {serviceRef: x}\n      execution:\n        steps:\n        - step: {identifier: r, name: r, type: K8sRollingDeploy, timeout: 10m, spec: {skipDryRun: false}}\n        rollbackSteps:\n        - step: {identifier: u, name: u, type: K8sRollingRollback, spec: {}}")
	e, diags := Explain(Source{File: "p.yaml", Data: []byte(doc)}, Options{})
	if len(diags) != 1 || !strings.Contains(diags[0].Message, "stage type IACM") {
		t.Error(diags)
	}
	stage := e.Plan.Root.Children[0]
	got := []string{stage.Type, stage.Children[0].Type, fmt.Sprint(stage.Children[0].Spec), stage.Rollback[0].Type}
	if diff := cmp.Diff([]string{"IACM", "K8sRollingDeploy", "map[skipDryRun:false]", "K8sRollingRollback"}, got); diff != "" {
		t.Error(diff)
	}
}
