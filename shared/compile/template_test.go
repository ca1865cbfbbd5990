package compile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// templateOf is a template document without a home.
func templateOf(typ, id, version, spec string) string {
	return "template:\n  name: " + id + "\n  identifier: " + id + "\n  versionLabel: \"" + version + "\"\n  type: " + typ + "\n  spec:\n" + indent(4, spec)
}

// homed is a template that lives in an organization, or a project of it.
func homed(doc, org, project string) string {
	home := "  orgIdentifier: " + org + "\n"
	if project != "" {
		home += "  projectIdentifier: " + project + "\n"
	}
	return strings.Replace(doc, "  type:", home+"  type:", 1)
}

const waitStep = "type: Wait\ntimeout: 20m\nspec: {duration: <+input>}"

// variableOf gives a template a variable of its own.
func variableOf(doc, name, value string) string {
	return strings.Replace(doc, "  type:", "  variables: [{name: "+name+", type: String, value: "+value+"}]\n  type:", 1)
}

// shelfOf holds templates, each a file t0.yaml, t1.yaml, ….
func shelfOf(t testing.TB, docs ...string) Library {
	t.Helper()
	var sources []Source
	for i, d := range docs {
		sources = append(sources, Source{File: fmt.Sprintf("t%d.yaml", i), Data: []byte(d)})
	}
	library, diags := Index(sources)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return library
}

// link is a step made of a template.
func link(id, ref, inputs string) string {
	s := "- step:\n    identifier: " + id + "\n    name: " + id + "\n    template:\n      templateRef: " + ref + "\n"
	if inputs != "" {
		s += "      templateInputs:\n" + indent(8, inputs)
	}
	return s
}

// stepsOf are a plan's steps: path below the stages, type, spec and timeout on a line.
func stepsOf(p *core.Plan) []string {
	var out []string
	p.Root.Walk(func(n *core.Node) {
		if n.Kind != core.KindStep {
			return
		}
		path := strings.NewReplacer("pipeline.stages.", "", "spec.execution.", "", "steps.", "").Replace(n.FQN)
		line := fmt.Sprintf("%s %s %v %d", path, n.Type, n.Spec["duration"], n.Timeout/1000)
		if n.Type == "ShellScript" {
			line = fmt.Sprintf("%s %v", path, n.Spec["source"])
		}
		out = append(out, line)
	})
	return out
}

const injecting = "type: Custom\nspec:\n  execution:\n    steps:\n    - step: {identifier: a, name: a, type: Wait, spec: {duration: 10s}}\n    - insert: {identifier: more, name: more, steps: <+input>}\n"

func linkedStage(inputs string) string {
	return inPipeline("stages:\n- stage:\n    identifier: s\n    name: s\n    template:\n      templateRef: st\n      templateInputs:\n" + indent(8, inputs))
}

const more = "spec:\n  execution:\n    steps:\n    - insert:\n        identifier: more\n        steps:\n"

var templateCases = []struct {
	name      string
	doc       string
	templates []string
	opt       Options
	want      []string
}{
	{"a step", inSteps(link("a", "w", "type: Wait\nspec: {duration: 30s}")), []string{templateOf("Step", "w", "1", waitStep)}, Options{},
		[]string{"s.a Wait 30s 1200"}},
	{"the same twice", inSteps(link("a", "w", "spec: {duration: 30s}") + link("b", "w", "spec: {duration: 40s}")),
		[]string{templateOf("Step", "w", "1", waitStep)}, Options{}, []string{"s.a Wait 30s 1200", "s.b Wait 40s 1200"}},
	{"a version", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "w\n", "w\n      versionLabel: v1.9\n", 1)),
		[]string{templateOf("Step", "w", "v1.10", "type: Wait\nspec: {duration: <+input>}"), templateOf("Step", "w", "v1.9", waitStep)}, Options{},
		[]string{"s.a Wait 30s 1200"}},
	{"the highest is stable", inSteps(link("a", "w", "spec: {duration: 30s}")),
		[]string{templateOf("Step", "w", "v1.9", "type: Wait\nspec: {duration: <+input>}"), templateOf("Step", "w", "v1.10", waitStep)}, Options{},
		[]string{"s.a Wait 30s 1200"}},
	{"scopes", withPipelineAt("o", "p", link("a", "w", "")+link("b", "org.w", "")+link("c", "account.w", "")),
		[]string{homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}"), "o", "p"),
			homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 40s}"), "o", ""), templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 50s}")}, Options{},
		[]string{"s.a Wait 30s 0", "s.b Wait 40s 0", "s.c Wait 50s 0"}},
	{"a template refers from where it lives", withPipelineAt("o", "p", "- stepGroup: {identifier: g, name: g, template: {templateRef: org.g}}\n"),
		[]string{homed(templateOf("StepGroup", "g", "1", "steps:\n"+link("a", "w", "")), "o", ""), homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}"), "o", "p"),
			homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 40s}"), "o", "")}, Options{}, []string{"s.g.a Wait 40s 0"}},
	{"a label", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "w\n", "w\n      label: V1\n", 1)),
		[]string{templateOf("Step", "w", "v1", waitStep), templateOf("Step", "w", "v2", "type: Wait\nspec: {duration: <+input>}")}, Options{}, []string{"s.a Wait 30s 1200"}},
	{"a version that is the default of an input", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "w\n", "w\n      versionLabel: <+input>.default(v1)\n", 1)),
		[]string{templateOf("Step", "w", "v1", waitStep), templateOf("Step", "w", "v2", "type: Wait\nspec: {duration: <+input>}")}, Options{}, []string{"s.a Wait 30s 1200"}},
	{"variables of a template", inSteps(link("a", "w", "spec: {duration: 30s}") + strings.Replace(link("b", "w", "spec: {duration: 30s}"), "w\n", "w\n      templateVariables: [{name: time, value: 3m}]\n", 1)),
		[]string{variableOf(templateOf("Step", "w", "1", "type: Wait\ntimeout: <+templateVariables.time>\nspec: {duration: <+input>}"), "time", "2m")}, Options{},
		[]string{"s.a Wait 30s 120", "s.b Wait 30s 180"}},
	{"steps put into an insert", linkedStage(more + indent(8, link("b", "w", "spec: {duration: 30s}")+"- parallel:\n  - step: {identifier: c, name: c, type: Wait, spec: {duration: 1m}}\n")),
		[]string{templateOf("Stage", "st", "1", injecting), templateOf("Step", "w", "1", waitStep)}, Options{}, []string{"s.a Wait 10s 0", "s.b Wait 30s 1200", "s.c Wait 1m 0"}},
	{"an insert left empty", linkedStage(strings.TrimSuffix(more, "\n") + " []\n"), []string{templateOf("Stage", "st", "1", injecting)}, Options{}, []string{"s.a Wait 10s 0"}},
	{"a link in an insert is the pipeline's", strings.Replace(linkedStage(more+indent(8, link("b", "w", "spec: {duration: 30s}"))), "templateRef: st", "templateRef: account.st", 1),
		[]string{templateOf("Stage", "st", "1", injecting), homed(templateOf("Step", "w", "1", waitStep), "default", "default")}, Options{}, []string{"s.a Wait 10s 0", "s.b Wait 30s 1200"}},
	{"all inputs of a template are one", inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      templateInputs: <+input>\n", 1)), []string{templateOf("Step", "w", "1", waitStep)},
		Options{InputSets: []Source{{File: "i.yaml", Data: []byte("pipeline:\n  identifier: p\n  stages:\n  - stage: {identifier: s, spec: {execution: {steps: [{step: {identifier: a, template: {templateInputs: {spec: {duration: 5m}}}}}]}}}\n")}}},
		[]string{"s.a Wait 5m 1200"}},
	{"stage, group and step inside each other", inPipeline(`stages:
- stage:
    identifier: s
    name: s
    template:
      templateRef: st
      templateInputs:
        type: Custom
        spec:
          execution:
            steps:
            - stepGroup:
                identifier: g
                template:
                  templateInputs:
                    steps:
                    - step:
                        identifier: a
                        template:
                          templateInputs:
                            spec: {duration: 30s}
`), []string{
		templateOf("Stage", "st", "1", `type: Custom
spec:
  execution:
    steps:
    - stepGroup:
        identifier: g
        name: g
        template:
          templateRef: gr
          templateInputs:
            steps:
            - step:
                identifier: a
                template:
                  templateInputs:
                    spec: {duration: <+input>}`),
		templateOf("StepGroup", "gr", "1", "stageType: Custom\nsteps:\n"+link("a", "w", "spec: {duration: <+input>}")),
		templateOf("Step", "w", "1", waitStep)}, Options{}, []string{"s.g.a Wait 30s 1200"}},
	{"a pipeline", inPipeline("template:\n  templateRef: p\n  templateInputs:\n    stages:\n    - stage:\n        identifier: s\n        variables:\n        - {name: v, type: String, value: x}"),
		[]string{templateOf("Pipeline", "p", "1", "stages:\n- stage:\n    identifier: s\n    name: s\n    type: Custom\n    variables:\n    - {name: v, type: String, value: <+input>}\n    spec: {execution: {steps: [{step: {identifier: a, name: a, type: Wait, spec: {duration: 10s}}}]}}")},
		Options{}, []string{"s.a Wait 10s 0"}},
	{"a template of a template", inSteps(link("a", "outer", "")),
		[]string{templateOf("Step", "outer", "1", "template:\n  templateRef: w\n  templateInputs:\n    spec: {duration: 30s}"), templateOf("Step", "w", "1", waitStep)}, Options{},
		[]string{"s.a Wait 30s 1200"}},
	{"the node's own where the template is silent", inSteps(strings.Replace(link("a", "w", ""), "    name", "    timeout: 30m\n    name", 1)),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}")}, Options{}, []string{"s.a Wait 30s 1800"}},
	{"the node's own where the template asks", inSteps(strings.Replace(link("a", "w", ""), "    name", "    timeout: 30m\n    name", 1)),
		[]string{templateOf("Step", "w", "1", "type: Wait\ntimeout: <+input>\nspec: {duration: 30s}")}, Options{}, []string{"s.a Wait 30s 1800"}},
	{"an input of the node's own", inSteps(strings.Replace(link("a", "w", ""), "    name", "    timeout: <+input>.default(30m)\n    name", 1)),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}")}, Options{}, []string{"s.a Wait 30s 1800"}},
	{"an input of the node's own that nobody gives", inSteps(strings.Replace(link("a", "w", ""), "    name", "    timeout: <+input>\n    name", 1)),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}")}, Options{}, []string{"s.a Wait 30s 0"}},
	{"one that lives here before a higher one that lives nowhere", withPipelineAt("o", "p", link("a", "w", "")), []string{
		templateOf("Step", "w", "2", "type: Wait\nspec: {duration: 40s}"), homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}"), "o", "p"),
		templateOf("Step", "w", "3", "type: Wait\nspec: {duration: 50s}")}, Options{}, []string{"s.a Wait 30s 0"}},
	{"the template's default", inSteps(link("a", "w", "")), []string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: <+input>.default(50s)}")}, Options{},
		[]string{"s.a Wait 50s 0"}},
	{"a blank takes the template's default", inSteps(link("a", "w", "spec: {duration: \"\"}")),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: <+input>.default(50s)}")}, Options{}, []string{"s.a Wait 50s 0"}},
	{"a value over the template's default", inSteps(link("a", "w", "spec: {duration: 40s}")),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: <+input>.default(50s)}")}, Options{}, []string{"s.a Wait 40s 0"}},
	{"left open, given by path", inSteps(link("a", "w", "spec: {duration: <+input>}")), []string{templateOf("Step", "w", "1", waitStep)},
		Options{Inputs: map[string]string{"stages.s.spec.execution.steps.a.spec.duration": "2m"}}, []string{"s.a Wait 2m 1200"}},
	{"left open, given by an input set", inSteps(link("a", "w", "spec: {duration: <+input>}")), []string{templateOf("Step", "w", "1", waitStep)},
		Options{InputSets: []Source{{File: "set", Data: []byte(set("stages:\n- stage:\n    identifier: s\n    spec:\n      execution:\n        steps:\n        - step: {identifier: a, template: {templateInputs: {spec: {duration: 3m}}}}"))}}},
		[]string{"s.a Wait 3m 1200"}},
	{"left open, the user's default", inSteps(link("a", "w", "spec: {duration: <+input>.default(40s)}")), []string{templateOf("Step", "w", "1", waitStep)}, Options{},
		[]string{"s.a Wait 40s 1200"}},
	{"left open, the template's default", inSteps(link("a", "w", "spec: {duration: <+input>}")),
		[]string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: <+input>.default(50s)}")}, Options{}, []string{"s.a Wait 50s 0"}},
	{"a whole list", inSteps("- stepGroup:\n    identifier: g\n    name: g\n    template:\n      templateRef: g\n      templateInputs:\n        delegateSelectors: [x]\n"),
		[]string{templateOf("StepGroup", "g", "1", "delegateSelectors: <+input>\nsteps:\n"+oneStep)}, Options{}, []string{"s.g.a Wait 10s 0"}},
	{"a pipeline's variable by name", inPipeline("template:\n  templateRef: p\n  templateInputs:\n    variables:\n    - {name: v, type: String, value: <+input>}"),
		[]string{templateOf("Pipeline", "p", "1", "variables:\n- {name: v, type: String, value: <+input>}\n"+oneStage+indent(8, oneStep))},
		Options{Inputs: map[string]string{"v": "x"}}, []string{"s.a Wait 10s 0"}},
}

func withPipelineAt(org, project, s string) string {
	return inPipeline("orgIdentifier: " + org + "\nprojectIdentifier: " + project + "\n" + oneStage + indent(8, s))
}

func TestTemplates(t *testing.T) {
	for _, tc := range templateCases {
		t.Run(tc.name, func(t *testing.T) {
			tc.opt.Library = shelfOf(t, tc.templates...)
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(tc.doc)}, tc.opt)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tc.want, stepsOf(plan)); diff != "" {
				t.Error(diff)
			}
			plan.Root.Walk(func(n *core.Node) {
				if n.Pos.Line == 0 {
					t.Errorf("%s has no place", n.FQN)
				}
			})
		})
	}
}

var badTemplates = []struct {
	name      string
	doc       string
	templates []string
	want      string // position: severity: part of the message; a « in doc is taken out
}{
	{"not found", inSteps(link("a", "w", "")), nil, "p.yaml:16:30: error: template w is not found"},
	{"another version", inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      versionLabel: 2\n", 1)), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:16:30: error: template w 2 is not found"},
	{"a version that cannot be", inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      versionLabel: a/b\n", 1)), nil, `p.yaml:17:31: error: "a/b" cannot be a versionLabel`},
	{"one that lives elsewhere", withPipelineAt("o", "p", link("a", "w", "")), []string{homed(templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 30s}"), "o", "q")},
		"error: template w is not found"},
	{"another type", inSteps(link("a", "w", "")), []string{templateOf("Stage", "w", "1", waitStep)}, `error: w 1 is a template of type "Stage": expected Step`},
	{"no spec", inSteps(link("a", "w", "")), []string{"template: {identifier: w, type: Step}"}, "error: the template w in t0.yaml has no spec"},
	{"an expression", inSteps(link("a", "<+matrix.x>", "")), nil, "unsupported: not supported yet: an expression as templateRef"},
	{"a branch", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "w\n", "w\n      gitBranch: main\n", 1)), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:16:30: warning: the template w is taken from the files given, whatever branch they are of"},
	{"a label", inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      label: canary\n", 1)), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:16:30: error: template w label canary is not found"},
	{"a variable it does not have", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "w\n", "w\n      templateVariables: {tim: 1m}\n", 1)),
		[]string{variableOf(templateOf("Step", "w", "1", waitStep), "time", "20m")}, `p.yaml:17:37: error: the template w 1 has no variable tim (did you mean "time"?)`},
	{"a variable nobody made", inSteps(link("a", "w", "")), []string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: <+templateVariables.time>}")},
		"t0.yaml:8:22: error: the template has no variable time"},
	{"a version nobody gave", inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      versionLabel: <+input>\n", 1)), nil, "p.yaml:17:31: error: the runtime input stages.s.spec.execution.steps.a.template.versionLabel has no value"},
	{"an input too few", inSteps(link("a", "w", "")), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:16:17: error: the inputs of step a do not fit the template w 1: stages.s.spec.execution.steps.a.spec.duration is not given (t0.yaml:9)"},
	{"an input too many", inSteps(link("a", "w", "spec: {duration: 30s, other: x}\ntimout: 3m")), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:18:19: error: the inputs of step a do not fit the template w 1: the template has no other here (p.yaml:18); the template has no timout (p.yaml:19)"},
	{"a value that is fixed", inSteps(link("a", "w", "spec: {duration: 30s}\ntimeout: 3m")), []string{templateOf("Step", "w", "1", waitStep)},
		`do not fit the template w 1: "3m" is given for a field whose value is fixed to "20m" on line 8 of the template (p.yaml:19)`},
	{"another type of step", inSteps(link("a", "w", "type: Http\nspec: {duration: 30s}")), []string{templateOf("Step", "w", "1", waitStep)}, `type is "Http": the template has "Wait"`},
	{"a value the template forbids", inSteps(link("a", "w", "spec: {duration: 30s}")), []string{templateOf("Step", "w", "1", "type: Wait\nspec:\n  duration: <+input>.allowedValues(1m,2m)")},
		`p.yaml:18:36: error: input stages.s.spec.execution.steps.a.spec.duration: "30s" is not allowed: expected one of 1m, 2m`},
	{"an allowed value the template forbids", inSteps(link("a", "w", "spec:\n  duration: <+input>.allowedValues(1m,3m)")), []string{templateOf("Step", "w", "1", "type: Wait\nspec:\n  duration: <+input>.allowedValues(1m,2m)")},
		`p.yaml:19:31: error: the allowed value "3m" is not allowed`},
	{"a default the template overrules", inSteps(link("a", "w", "spec:\n  duration: <+input>.default(1m)")), []string{templateOf("Step", "w", "1", "type: Wait\nspec:\n  duration: <+input>.default(2m)")},
		`p.yaml:19:31: warning: the default "1m" has no effect: the template w 1 has the default "2m"`},
	{"what is the template's", inSteps(strings.Replace(link("a", "w", "spec: {duration: 30s}"), "    name", "    «foo: {duration: 1m}\n    name", 1)), []string{templateOf("Step", "w", "1", waitStep)},
		"p.yaml:14:15: error: foo belongs to the template w 1"},
	{"stages beside a template", inPipeline("template: {templateRef: p}\n" + oneStage + indent(8, oneStep)), []string{templateOf("Pipeline", "p", "1", "stages: []")},
		"p.yaml:5:3: error: a pipeline of a template has no stages of its own"},
	{"variables beside a template", inPipeline("template: {templateRef: p}\nvariables: [{name: a, type: String, value: x}]"), []string{templateOf("Pipeline", "p", "1", "stages: []")},
		"p.yaml:5:3: error: a pipeline of a template has no variables of its own"},
	{"a cycle", inSteps("- stepGroup: {identifier: g, name: g, template: {templateRef: a}}\n"), []string{
		templateOf("StepGroup", "a", "1", "steps:\n- stepGroup: {identifier: x, name: x, template: {templateRef: account.b}}"),
		templateOf("StepGroup", "b", "2", "steps:\n- stepGroup: {identifier: x, name: x, template: {templateRef: account.c}}"),
		templateOf("StepGroup", "c", "3", "steps:\n- stepGroup: {identifier: x, name: x, template: {templateRef: account.b}}")},
		"t2.yaml:8:53: error: the template account.b 2 holds itself: account.b 2 → account.c 3 → account.b 2"},
	{"too deep", inSteps("- stepGroup: {identifier: g, name: g, template: {templateRef: g0}}\n"), chain(MaxNesting + 1), "error: templates are nested more than 10 deep"},
	{"a project's from the account", inSteps("- stepGroup: {identifier: g, name: g, template: {templateRef: account.a}}\n"), []string{
		templateOf("StepGroup", "a", "1", "steps:\n"+link("a", "org.w", ""))}, "error: a template of the account cannot use org.w"},
	{"wrong in the template", inSteps(link("a", "w", "")), []string{templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 5s}")},
		`t0.yaml:8:22: error: duration of the spec of step a: duration "5s" is shorter than 10s, the shortest allowed (in template w 1, used at p.yaml:16:30)`},
	{"YAML of the template", inSteps(link("a", "w", "")), []string{}, "error"},
}

// chain is n groups, each made of the next.
func chain(n int) []string {
	var out []string
	for i := range n {
		out = append(out, templateOf("StepGroup", fmt.Sprintf("g%d", i), "1", fmt.Sprintf("steps:\n- stepGroup: {identifier: x, name: x, template: {templateRef: g%d}}", i+1)))
	}
	return out
}

func TestBadTemplates(t *testing.T) {
	for _, tc := range badTemplates {
		t.Run(tc.name, func(t *testing.T) {
			text, _, _ := cut(tc.doc)
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(text)}, Options{Library: shelfOf(t, tc.templates...)})
			if n := strings.Count(diags.String(), strings.TrimSuffix(tc.want, ")")); n != 1 {
				t.Errorf("want once %s\nin %s", tc.want, diags)
			}
		})
	}
}

// TestNestingAtTheLimit holds that what is just allowed is.
func TestNestingAtTheLimit(t *testing.T) {
	docs := chain(MaxNesting - 1)
	docs = append(docs, templateOf("StepGroup", fmt.Sprintf("g%d", MaxNesting-1), "1", "steps:\n"+oneStep))
	doc := inSteps("- stepGroup: {identifier: g, name: g, template: {templateRef: g0}}\n")
	if _, diags := Compile(Source{Data: []byte(doc)}, Options{Library: shelfOf(t, docs...)}); len(diags) > 0 {
		t.Error(diags)
	}
}

// TestTemplateBomb holds that templates that multiply are stopped.
func TestTemplateBomb(t *testing.T) {
	var docs []string
	for i := range MaxNesting {
		spec := "steps:\n"
		for j := range 20 {
			spec += fmt.Sprintf("- stepGroup: {identifier: x%d, name: x, template: {templateRef: g%d}}\n", j, i+1)
		}
		docs = append(docs, templateOf("StepGroup", fmt.Sprintf("g%d", i), "1", spec))
	}
	doc := inSteps("- stepGroup: {identifier: g, name: g, template: {templateRef: g0}}\n")
	_, diags := Compile(Source{Data: []byte(doc)}, Options{Library: shelfOf(t, docs...)})
	if !strings.Contains(diags.String(), "the pipeline is larger than 3 MB") {
		t.Error(diags[:min(len(diags), 3)])
	}
}

func TestLenient(t *testing.T) {
	doc := inSteps(link("a", "missing", "") + link("b", "w", ""))
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Lenient: true, Library: shelfOf(t, templateOf("Step", "w", "1", waitStep))})
	var got []string
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%s %s %d:%d", d.Severity, d.Code, d.Line, d.Column))
	}
	if diff := cmp.Diff([]string{"warning not-found 16:30", "warning out-of-sync 21:17"}, got); diff != "" {
		t.Errorf("%s\n%s", diff, diags)
	}
	if plan == nil {
		t.Fatal("no plan")
	}
	if diff := cmp.Diff([]string{"s.a  <nil> 0", "s.b Wait <nil> 1200"}, stepsOf(plan)); diff != "" {
		t.Error(diff)
	}
}

// TestTemplatesWithoutAnIndex holds that a library may hand out texts that nobody
// has parsed, several documents in one.
func TestTemplatesWithoutAnIndex(t *testing.T) {
	text := templateOf("Step", "w", "1", "type: Wait\nspec: {duration: 5s}") + "---\n" + templateOf("Step", "w", "2", "type: Wait\nspec: {duration: 30s}") +
		"---\n" + templateOf("Step", "x", "2", "type: Wait\nspec: {duration: 6s}")
	library := func(r Reference) (Source, bool) {
		if r.Version == "" {
			r.Version = "2"
		}
		return Source{File: "all.yaml", Data: []byte(text)}, r.Kind == KindTemplate && r.Version == "2"
	}
	plan, diags := Compile(Source{Data: []byte(inSteps(strings.Replace(link("a", "w", ""), "w\n", "w\n      versionLabel: 2\n", 1)))}, Options{Library: library})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff([]string{"s.a Wait 30s 0"}, stepsOf(plan)); diff != "" {
		t.Error(diff)
	}
}

func TestIndexTellsTwins(t *testing.T) {
	doc := []byte(templateOf("Step", "w", "1", waitStep))
	_, diags := Index([]Source{{File: "a.yaml", Data: doc}, {File: "b.yaml", Data: doc}, {File: "c.yaml", Data: []byte("a: b: c")}, {File: "d.yaml", Data: []byte("x: 1")}})
	var got []string
	for _, d := range diags {
		got = append(got, d.File+" "+d.Code)
	}
	if diff := cmp.Diff([]string{"b.yaml duplicate-identifier", "c.yaml yaml-syntax"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tc := range []struct{ low, high string }{{"1", "2"}, {"9", "10"}, {"v1.9", "v1.10"}, {"1.0", "1.0.1"}, {"", "1"}, {"a", "b"}} {
		if compareVersions(tc.low, tc.high) >= 0 || compareVersions(tc.high, tc.low) <= 0 || compareVersions(tc.low, tc.low) != 0 {
			t.Errorf("%s and %s", tc.low, tc.high)
		}
	}
}

// BenchmarkTemplates compiles a pipeline of 50 stages, each of its own template,
// all texts parsed anew.
func BenchmarkTemplates(b *testing.B) {
	doc, docs := inPipeline("stages:\n"), map[string]string{}
	var body strings.Builder
	for i := range 50 {
		id := fmt.Sprintf("t%d", i)
		fmt.Fprintf(&body, "  - stage:\n      identifier: s%d\n      name: s\n      template:\n        templateRef: %s\n        versionLabel: v1\n        templateInputs:\n          type: Custom\n          variables:\n          - {name: v, type: String, value: x}\n", i, id)
		steps := strings.Replace(oneStep, "identifier: a", "identifier: b", 1) + "- step:\n    identifier: c\n    name: c\n    type: ShellScript\n    timeout: 10m\n    spec:\n      shell: Bash\n      source:\n        type: Inline\n        spec:\n          script: echo <+stage.variables.v>\n"
		docs[id] = strings.Replace(templateOf("Stage", id, "v1", "type: Custom\nvariables:\n- {name: v, type: String, value: <+input>}\nspec:\n  execution:\n    steps:\n"+indent(4, oneStep+steps)), "\"v1\"", "v1", 1)
	}
	doc += body.String()
	opt := Options{Library: func(r Reference) (Source, bool) {
		return Source{File: r.Identifier, Data: []byte(docs[r.Identifier])}, true
	}}
	for b.Loop() {
		if _, diags := Compile(Source{File: "p", Data: []byte(doc)}, opt); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
}

func FuzzTemplates(f *testing.F) {
	for _, tc := range templateCases {
		f.Add([]byte(tc.doc), []byte(tc.templates[0]), "stages.s.spec.execution.steps.a.spec.duration", "1m")
	}
	for _, tc := range badTemplates {
		if text, _, _ := cut(tc.doc); len(tc.templates) > 0 {
			f.Add([]byte(text), []byte(tc.templates[0]), "a", "b")
		}
	}
	f.Fuzz(func(t *testing.T, doc, text []byte, name, value string) {
		src, file := Source{File: "p", Data: doc}, Source{File: "t", Data: text}
		start := time.Now()
		defer func() {
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		}()
		indexed, _ := Index([]Source{file})
		for _, library := range []Library{indexed, func(Reference) (Source, bool) { return file, true }} {
			opt := Options{Library: library, Inputs: map[string]string{name: value}}
			plan, diags := Compile(src, opt)
			if plan == nil && !diags.Blocks() {
				t.Error("neither a plan nor a reason")
			}
			for _, d := range diags {
				if d.Line < 1 || d.Column < 1 || d.Message == "" || d.Code == "" {
					t.Errorf("diagnostic without a place: %+v", d)
				}
			}
			if e, also := Explain(src, opt); (e == nil) != (plan == nil) && !also.Blocks() {
				t.Errorf("plan %v, explained %v: %s", plan != nil, e != nil, also)
			}
			opt.Lenient = true
			Compile(src, opt)
		}
	})
}
