package compile

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
)

// Documents are written as the part that matters; these put the rest around it.
// The sign « stands where the diagnostic must point and is taken out.

func indent(by int, s string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+pad) + "\n"
}

const oneStage = "stages:\n- stage:\n    identifier: s\n    name: s\n    type: Custom\n    spec:\n      execution:\n        steps:\n"

const oneStep = "- step:\n    identifier: a\n    name: a\n    type: Wait\n    spec: {duration: 10s}\n"

func inPipeline(s string) string { return "pipeline:\n  identifier: p\n  name: p\n" + indent(2, s) }

func withPipeline(s string) string { return inPipeline(s + "\n" + oneStage + indent(8, oneStep)) }

func withStage(s string) string {
	return inPipeline("stages:\n- stage:\n    identifier: s\n    name: s\n    type: Custom\n" + indent(4, s) + "    spec:\n      execution:\n        steps:\n" + indent(8, oneStep))
}

func inSteps(s string) string { return inPipeline(oneStage + indent(8, s)) }

func withStep(s string) string { return inSteps(oneStep + indent(4, s)) }

func inSpec(typ, s string) string {
	return inSteps("- step:\n    identifier: a\n    name: a\n    type: " + typ + "\n    spec:\n" + indent(6, s))
}

const bash = "shell: Bash\nsource: {type: Inline, spec: {script: x}}\n"

const ask = "includePipelineExecutionHistory: true\n"

func manyBranches(n int) string {
	var b strings.Builder
	b.WriteString("- parallel:\n")
	for i := range n {
		mark := ""
		if i == 0 {
			mark = "«"
		}
		fmt.Fprintf(&b, "  %s- step: {identifier: s%d, name: x, type: Wait, spec: {duration: 10s}}\n", mark, i)
	}
	return b.String()
}

var badDocuments = []struct {
	name string
	doc  string
	code string
	say  string // part of the message
}{
	{"organization with a slash", withPipeline("orgIdentifier: «a/b"), CodeIdentifier, "cannot be an orgIdentifier"},
	{"empty", "«", CodeNotPipeline, "the document is empty"},
	{"a list", "«- a", CodeNotPipeline, "the document is a list"},
	{"another root", "«service: {}", CodeNotPipeline, `begins with "service"`},
	{"two documents", withPipeline("") + "---\n«a: 1", CodeNotPipeline, "a second document"},
	{"beside pipeline", withPipeline("") + "«stages: []", CodeUnknownField, `unknown field "stages" beside pipeline`},
	{"pipeline is no map", "«pipeline: x", CodeWrongType, "pipeline is a string"},
	{"tab", "pipeline:\n«\tname: x", "yaml-syntax", "a tab stands"},
	{"duplicate key", withPipeline("tags: {}\n«tags: {}"), "duplicate-key", `"tags" is already set`},

	{"unknown pipeline field", withPipeline("«stagez: 1"), CodeUnknownField, `unknown field "stagez" of the pipeline`},
	{"no identifier", "pipeline:\n  «name: p\n" + indent(2, oneStage+indent(8, oneStep)), CodeMissingField, "the pipeline has no identifier"},
	{"no name", "pipeline:\n  «identifier: p\n" + indent(2, oneStage+indent(8, oneStep)), CodeMissingField, "the pipeline has no name"},
	{"identifier with a dash", "pipeline:\n  name: p\n  identifier: «my-pipe\n" + indent(2, oneStage+indent(8, oneStep)), CodeIdentifier, `"my-pipe" cannot be the identifier`},
	{"identifier is a list", "pipeline:\n  name: p\n  identifier: «[x]\n" + indent(2, oneStage+indent(8, oneStep)), CodeWrongType, "identifier of the pipeline is a list"},
	{"name with a slash", "pipeline:\n  identifier: p\n  name: «CI/CD\n" + indent(2, oneStage+indent(8, oneStep)), CodeName, `"CI/CD" cannot be the name`},
	{"no stages", "pipeline:\n  «identifier: p\n  name: p\n", CodeMissingField, "the pipeline has no stages"},
	{"empty stages", inPipeline("stages: «[]"), CodeMissingField, "the pipeline has no stage"},
	{"stages is a map", inPipeline("stages:\n  «a: 1"), CodeWrongType, "stages of the pipeline is a map: expected a list"},
	{"bad timeout", withPipeline("timeout: «soon"), CodeDuration, `"soon" is not a duration`},
	{"short timeout", withPipeline("timeout: «5s"), CodeDuration, "shorter than 10s"},
	{"long timeout", withPipeline("timeout: «54w"), CodeDuration, "longer than 53w"},
	{"timeout without a unit", withPipeline("timeout: «600"), CodeDuration, `"600" is not a duration`},
	{"expression as timeout", withPipeline("timeout: «<+pipeline.variables.t>"), CodeUnsupported, "not supported yet: an expression as timeout of the pipeline"},
	{"budget without a currency", withPipeline("tags: {a: b, slipway.budget: «\"0.05\"}"), CodeValue, `slipway.budget is "0.05": expected dollars above 0`},
	{"budget of nothing", withPipeline("tags:\n  slipway.budget: «0 USD"), CodeValue, `slipway.budget is "0 USD"`},
	{"budget in an expression", withPipeline("tags:\n  slipway.budget: «<+pipeline.variables.b>"), CodeValue, "expected dollars above 0"},
	{"unknown action of a budget", withPipeline("tags:\n  slipway.budget: 1 USD\n  slipway.budget.action: «halt"), CodeValue, `slipway.budget.action is "halt": expected warn or stop`},
	{"action without a budget", withPipeline("tags:\n  slipway.budget.action: «stop"), CodeValue, "without slipway.budget has nothing to act on"},
	{"tags is a list", withPipeline("tags: «[a]"), CodeWrongType, "tags is a list"},
	{"selectors is a map", withPipeline("delegateSelectors: «{a: b}"), CodeWrongType, "delegateSelectors is a map"},
	{"expression as selector", withPipeline("delegateSelectors:\n- <+pipeline.«>"), CodeExpression, "the expression cannot be read"},
	{"notification rules", withPipeline("«notificationRules:\n- {name: x, enabled: true}"), CodeUnsupported, "not supported yet: notificationRules"},
	{"pipeline template", inPipeline("template: {templateRef: «t}"), CodeNotFound, "template t is not found"},

	{"variables is a map", withPipeline("variables: «{a: 1}"), CodeWrongType, "variables of the pipeline is a map"},
	{"variable without a name", withPipeline("variables:\n- «{type: String, value: x}"), CodeMissingField, "a variable of the pipeline has no name"},
	{"variable without a type", withPipeline("variables:\n- «{name: a, value: x}"), CodeMissingField, "variable a has no type"},
	{"variable without a value", withPipeline("variables:\n- «{name: a, type: String}"), CodeMissingField, "variable a has no value"},
	{"variable of an unknown type", withPipeline("variables:\n- {name: a, type: «Text, value: x}"), CodeValue, `type of variable a is "Text"`},
	{"unknown field of a variable", withPipeline("variables:\n- {name: a, type: String, value: x, «kind: y}"), CodeUnknownField, `unknown field "kind" of a variable`},
	{"number that is none", withPipeline("variables:\n- {name: a, type: Number, value: «many}"), CodeValue, `"many": expected a number`},
	{"reserved variable", withPipeline("variables:\n- {name: «not, type: String, value: x}"), CodeIdentifier, "word of the expression language"},
	{"variable twice", withPipeline("variables:\n- {name: a, type: String, value: x}\n- {name: «a, type: String, value: y}"), CodeDuplicate, `variable "a" is already defined in the pipeline on line 5`},
	{"required and empty", withPipeline("variables:\n- {name: a, type: String, required: true, value: «\"\"}"), CodeMissingInput, "variable a is required"},
	{"required input", withPipeline("variables:\n- {name: a, type: String, required: true, value: «<+input>}"), CodeMissingInput, "the runtime input a has no value"},
	{"expression in a variable", withPipeline("variables:\n- {name: a, type: String, value: «<+pipeline.name}"), CodeExpression, "the expression cannot be read"},

	{"stage is empty", inPipeline("stages:\n- «stage:"), CodeWrongType, "stage is nothing: expected a map"},
	{"stage is a string", inPipeline("stages:\n- stage: «x"), CodeWrongType, "stage is a string: expected a map"},
	{"item is no stage", inPipeline("stages:\n- «stag: {}"), CodeUnknownField, `unknown field "stag" of an item of stages`},
	{"bad indentation below stage", inPipeline("stages:\n- stage:\n    identifier: s\n    name: s\n    type: Approval\n    spec: {execution: {steps: [{step: {identifier: a, name: a, type: Wait, spec: {duration: 1m}}}]}}\n  «tags: x"), CodeUnknownField, `unknown field "tags" of an item of stages`},
	{"insert", inPipeline("stages:\n- «insert: x"), CodeWrongType, "insert is a string: expected a map"},
	{"stages of an insert", inPipeline("stages:\n- insert: {identifier: x, stages: «y}"), CodeWrongType, "stages of the insert x is \"y\": expected a list"},
	{"IACM", inPipeline("stages:\n- stage: {identifier: s, name: s, type: «IACM}"), CodeUnsupported, "not supported yet: stage type IACM"},
	{"unknown stage type", inPipeline("stages:\n- stage: {identifier: s, name: s, type: «Costum}"), CodeUnknownType, `unknown stage type "Costum"`},
	{"no stage type", inPipeline("stages:\n- stage: «{identifier: s, name: s}"), CodeMissingField, "stage s has no type"},
	{"stage template", inPipeline("stages:\n- stage: {identifier: s, name: s, template: {templateRef: «account.t, versionLabel: v1}}"), CodeNotFound, "template account.t v1 is not found"},
	{"no spec", inPipeline("stages:\n- stage: «{identifier: s, name: s, type: Custom}"), CodeMissingField, "stage s has no spec"},
	{"no execution", inPipeline("stages:\n- stage: {identifier: s, name: s, type: Custom, spec: «{}}"), CodeMissingField, "has no execution"},
	{"no steps", inPipeline("stages:\n- stage: {identifier: s, name: s, type: Custom, spec: {execution: {steps: «[]}}}"), CodeMissingField, "stage s has no step"},
	{"unknown stage field", withStage("«timout: 10m"), CodeUnknownField, `unknown field "timout" of stage s`},
	{"manual stage", withStage("«runMode: {type: Manual, timeout: 1d}"), CodeUnsupported, "not supported yet: runMode"},
	{"same stage twice", withStage("") + indent(2, strings.Replace(strings.TrimPrefix(oneStage, "stages:\n"), "identifier: s", "identifier: «s", 1)+indent(8, oneStep)), CodeDuplicate, `stage "s" is already defined in this pipeline on line 6`},
	{"parallel is no list", inPipeline("stages:\n- «parallel: {}"), CodeWrongType, "parallel is a map"},
	{"parallel in parallel stages", inPipeline("stages:\n- parallel:\n  - «parallel: []"), CodeUnknownField, `unknown field "parallel" of an item of parallel`},

	{"step is empty", inSteps("- «step:"), CodeWrongType, "step is nothing"},
	{"step and group in one", inSteps(oneStep + "  «stepGroup: {}"), CodeValue, "holds both step and stepGroup"},
	{"no step type", inSteps("- step: «{identifier: a, name: a}"), CodeMissingField, "step a has no type"},
	{"no step name", inSteps("- step: «{identifier: a, type: Wait, spec: {duration: 10s}}"), CodeMissingField, "step a has no name"},
	{"unknown step type", inSteps("- step: {identifier: a, name: a, type: «ShelScript}"), CodeUnknownType, `unknown step type "ShelScript"`},
	{"step type to come", inSteps("- step: {identifier: a, name: a, type: «K8sRollingDeploy}"), CodeUnsupported, "not supported yet: step type K8sRollingDeploy"},
	{"step template", inSteps("- step: {identifier: a, name: a, template: {templateRef: «org.t}}"), CodeNotFound, "template org.t is not found"},
	{"unknown step field", withStep("«retries: 3"), CodeUnknownField, `unknown field "retries" of step a`},
	{"enforce", withStep("«enforce: {policySets: [a]}"), CodeUnsupported, "not supported yet: enforce"},
	{"same step twice", inSteps(oneStep + strings.Replace(oneStep, "identifier: a", "identifier: «a", 1)), CodeDuplicate, `the identifier "a" is already defined in stage s`},
	{"same step in a parallel", inSteps(oneStep + "- parallel:\n" + indent(2, strings.Replace(oneStep, "identifier: a", "identifier: «a", 1))), CodeDuplicate, `"a" is already defined`},
	{"empty group", inSteps("- stepGroup: {identifier: g, name: g, steps: «[]}"), CodeMissingField, "step group g has no step"},
	{"containerized group", inSteps("- stepGroup:\n    identifier: g\n    name: g\n    «stepGroupInfra: {type: KubernetesDirect}\n    steps:\n" + indent(4, oneStep)), CodeUnsupported, "not supported yet: stepGroupInfra"},
	{"too many branches", inSteps(manyBranches(MaxParallel + 1)), CodeTooMany, "at most 256"},

	{"no script", inSpec("ShellScript", "shell: Bash\nsource: {type: Inline, spec: «{}}"), CodeMissingField, "has no script"},
	{"no shell", inSpec("ShellScript", "«source: {type: Inline, spec: {script: x}}"), CodeMissingField, "the spec of step a has no shell"},
	{"PowerShell", inSpec("ShellScript", "shell: «PowerShell\nsource: {type: Inline, spec: {script: x}}"), CodeUnsupported, "not supported yet: shell PowerShell"},
	{"another shell", inSpec("ShellScript", "shell: «Zsh\nsource: {type: Inline, spec: {script: x}}"), CodeValue, `is "Zsh": expected one of Bash, PowerShell`},
	{"script from the file store", inSpec("ShellScript", "shell: Bash\nsource: {type: «Harness, spec: {file: /x}}"), CodeUnsupported, "not supported yet: a script from the file store"},
	{"another host", inSpec("ShellScript", bash+"executionTarget: {«host: h}"), CodeUnsupported, "not supported yet: executionTarget.host"},
	{"working directory", inSpec("ShellScript", bash+"executionTarget: {«workingDirectory: /x}"), CodeUnsupported, "not supported yet: executionTarget.workingDirectory"},
	{"not on the delegate", inSpec("ShellScript", bash+"«onDelegate: false"), CodeUnsupported, "not supported yet: onDelegate"},
	{"infra selectors", inSpec("ShellScript", bash+"«includeInfraSelectors: true"), CodeUnsupported, "not supported yet: includeInfraSelectors"},
	{"unknown spec field", inSpec("ShellScript", bash+"«enviromentVariables: []"), CodeUnknownField, `unknown field "enviromentVariables"`},
	{"output with a dot", inSpec("ShellScript", bash+"outputVariables: [{name: «a.b, type: String}]"), CodeIdentifier, `"a.b" cannot be the name`},
	{"output named var", inSpec("ShellScript", bash+"outputVariables: [{name: «var, type: String}]"), CodeIdentifier, "word of the expression language"},
	{"output twice", inSpec("ShellScript", bash+"outputVariables: [{name: a}, {name: «a}]"), CodeDuplicate, `the variable "a" is already defined`},
	{"expression left open", inSpec("ShellScript", "shell: Bash\nsource:\n  type: Inline\n  spec:\n    script: |\n      echo é\n      echo «<+pipeline.name"), CodeExpression, "the expression cannot be read"},
	{"alias scope", inSpec("ShellScript", bash+"outputAlias: {key: k, scope: «Step}"), CodeValue, "expected one of Pipeline, Stage, StepGroup"},
	{"no url", inSpec("Http", "«method: GET"), CodeMissingField, "has no url"},
	{"method", inSpec("Http", "url: http://x\nmethod: «FETCH"), CodeValue, `is "FETCH": expected one of GET`},
	{"certificate", inSpec("Http", "url: http://x\nmethod: GET\n«certificate: c"), CodeUnsupported, "not supported yet: a client certificate"},
	{"header is a string", inSpec("Http", "url: http://x\nmethod: GET\nheaders: [«x]"), CodeWrongType, `is "x": expected a map`},
	{"wait without a duration", inSpec("Wait", "«description: x"), CodeMissingField, "has no duration"},
	{"wait too short", inSpec("Wait", "duration: «5s"), CodeDuration, "shorter than 10s"},
	{"nobody to approve", inSpec("HarnessApproval", ask+"approvers: \n  «minimumCount: 1\n  disallowPipelineExecutor: false"), CodeMissingField, "nobody could approve"},
	{"no approvers needed", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: «0, disallowPipelineExecutor: false}"), CodeValue, "expected at least 1"},
	{"half an approver", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: «1.5, disallowPipelineExecutor: false}"), CodeWrongType, "expected a whole number"},
	{"maybe", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: 1, disallowPipelineExecutor: «maybe}"), CodeWrongType, "expected true or false"},
	{"auto approval", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: 1, disallowPipelineExecutor: false}\n«autoApproval: {action: APPROVE}"), CodeUnsupported, "not supported yet: autoApproval"},
	{"auto reject", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: 1, disallowPipelineExecutor: false}\n«isAutoRejectEnabled: true"), CodeUnsupported, "not supported yet: isAutoRejectEnabled"},
	{"two kinds of choice", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: 1, disallowPipelineExecutor: false}\napproverInputs:\n- «{name: a, regex: x, selectOneFrom: b}"), CodeValue, "more than one of"},
	{"look-around in an approval", inSpec("HarnessApproval", ask+"approvers: {userGroups: [g], minimumCount: 1, disallowPipelineExecutor: false}\napproverInputs:\n- {name: a, regex: «'(?=a)b'}"), CodeUnsupported, "not supported yet: look-around"},

	{"unknown call of an input", withPipeline("variables:\n- {name: a, type: String, value: «<+input>.defualt(x)}"), CodeInputMarker, `".defualt(x)" is not a call`},
	{"default not allowed", withPipeline("variables:\n- {name: a, type: String, value: «'<+input>.default(c).allowedValues(a,b)'}"), CodeInputMarker, `the default "c" is not allowed`},
	{"default with a star", withPipeline("variables:\n- {name: a, type: String, value: «<+input>.default(*x)}"), CodeInputMarker, "cannot begin with *"},
	{"regex of an input", withPipeline("variables:\n- {name: a, type: String, value: «'<+input>.regex([a)'}"), CodeInputMarker, "the regex [a cannot be read"},
	{"look-around of an input", withPipeline("variables:\n- {name: a, type: String, value: «'<+input>.regex(^(?!x).*$)'}"), CodeUnsupported, "not supported yet: look-around"},
	{"execution input in a condition", withStep("when: {stageStatus: Success, condition: «<+input>.executionInput()}"), CodeUnsupported, "not supported yet: executionInput() here"},
	{"input of a required field", inSpec("ShellScript", "shell: Bash\nsource: {type: Inline, spec: {script: «<+input>}}"), CodeMissingInput, "the runtime input stages.s.spec.execution.steps.a.spec.source.spec.script has no value"},
}

// cut takes the « out of a document and returns where it stood.
func cut(doc string) (text string, line, column int) {
	before, after, ok := strings.Cut(doc, "«")
	if !ok {
		return doc, 0, 0
	}
	return before + after, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

func TestBadDocuments(t *testing.T) {
	for _, tc := range badDocuments {
		t.Run(tc.name, func(t *testing.T) {
			text, line, column := cut(tc.doc)
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(text)}, Options{})
			if plan != nil {
				t.Fatal("it compiles")
			}
			for _, d := range diags {
				if d.Line == line && d.Column == column && d.Code == tc.code && strings.Contains(d.Message, tc.say) {
					if (d.Severity == core.SeverityUnsupported) != strings.HasPrefix(d.Message, "not supported yet: ") {
						t.Errorf("severity %s of: %s", d.Severity, d.Message)
					}
					if len(diags) > 1 {
						t.Errorf("more is said than this one thing:\n%s", diags)
					}
					return
				}
			}
			t.Errorf("want %d:%d %s %q in\n%s", line, column, tc.code, tc.say, diags)
		})
	}
}
