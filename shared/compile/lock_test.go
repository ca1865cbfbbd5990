package compile

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

func TestQueueStep(t *testing.T) {
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(inSpec("Queue", "key: db-<+pipeline.name>\nscope: Stage\n"))}, Options{})
	if diags.Blocks() {
		t.Fatal(diags)
	}
	if n := plan.Root.Children[0].Children[0]; n.Type != "Queue" || n.Spec["key"] != "db-<+pipeline.name>" || n.Spec["scope"] != "Stage" {
		t.Errorf("%+v", n)
	}
	for name, tc := range map[string]struct{ yaml, want string }{
		"no key":            {inSpec("Queue", "scope: Stage\n"), "key"},
		"another scope":     {inSpec("Queue", "key: k\nscope: Account\n"), "Account"},
		"not to be written": {inSpec("ResourceConstraint", "key: k\nscope: Stage\n"), "ResourceConstraint"},
	} {
		if _, diags := Compile(Source{File: "p.yaml", Data: []byte(tc.yaml)}, Options{}); !diags.Blocks() || !strings.Contains(diags.String(), tc.want) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestInfrastructureLock looks at which Deployment stages begin by waiting for their
// infrastructure, and under which condition.
func TestInfrastructureLock(t *testing.T) {
	simultaneous := strings.Replace(infra("free", "dev", ""), "deploymentType", "allowSimultaneousDeployments: true, deploymentType", 1)
	to := func(infra string) string {
		return "service: {serviceRef: web}\nenvironment: {environmentRef: dev, infrastructureDefinitions: [{identifier: " + infra + "}]}"
	}
	tests := map[string]struct{ fields, want string }{
		"alone":           {to("one"), "<+INFRA_KEY> Stage"},
		"simultaneous":    {to("free"), ""},
		"known later":     {to("<+pipeline.variables.open>"), "<+INFRA_KEY> Stage if <+infra.allowSimultaneousDeployments> != true"},
		"several, some":   {"service: {serviceRef: web}\nenvironment: {environmentRef: dev, deployToAll: true}", "<+INFRA_KEY> Stage if <+infra.allowSimultaneousDeployments> != true"},
		"GitOps clusters": {"gitOpsEnabled: true\nservice: {serviceRef: web}\nenvironment: {environmentRef: dev, gitOpsClusters: [{identifier: c}]}", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			plan, diags := compileWith(t, deploying(tc.fields), append([]string{simultaneous}, world...)...)
			if diags.Blocks() {
				t.Fatal(diags)
			}
			got := ""
			if n := plan.Root.Children[0].Children[0]; n.Type == "ResourceConstraint" {
				got = n.Spec["key"].(string) + " " + n.Spec["scope"].(string)
				if n.When.Condition != "" {
					got += " if " + n.When.Condition
				}
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestLockOrder is about steps that would wait for one another.
func TestLockOrder(t *testing.T) {
	queue := func(id, key, scope, more string) string {
		return "{step: {identifier: " + id + ", name: " + id + ", type: Queue, spec: {key: " + key + ", scope: " + scope + "}" + more + "}}"
	}
	beside := func(stages ...string) string { return flow("- parallel:\n" + indent(2, strings.Join(stages, ""))) }
	m, n := in(barrierStep("m", "k", "")), in(barrierStep("n", "k", ""))
	web := strings.ReplaceAll(deployStage("d", whole), "- step: {identifier: a", "- "+barrierStep("m", "k", "")+"\n        - step: {identifier: a")
	tests := map[string]struct {
		yaml string
		sev  core.Severity // "" for nothing
		want string
	}{
		"behind one key":             {beside(flowStage("a", "", queue("x", "j", "Stage", ""), m), flowStage("b", "", queue("y", "j", "Stage", ""), n)), core.SeverityError, "can never meet"},
		"behind one key of the run":  {beside(flowStage("a", "", queue("x", "j", "Pipeline", ""), m), flowStage("b", "", queue("y", "j", "Pipeline", ""), n)), "", ""},
		"behind two keys":            {beside(flowStage("a", "", queue("x", "i", "Stage", ""), m), flowStage("b", "", queue("y", "j", "Stage", ""), n)), "", ""},
		"in front of one key":        {beside(flowStage("a", "", m, queue("x", "j", "Stage", "")), flowStage("b", "", n, queue("y", "j", "Stage", ""))), "", ""},
		"behind one key, perhaps":    {beside(flowStage("a", "", queue("x", "j", "Stage", ", when: {stageStatus: Success, condition: '<+pipeline.name> == 1'}"), m), flowStage("b", "", queue("y", "j", "Stage", ""), n)), core.SeverityWarning, "unless a condition"},
		"behind one infrastructure":  {beside(web, "\n", strings.NewReplacer("identifier: d", "identifier: e", "identifier: m", "identifier: n").Replace(web)), core.SeverityError, "the infrastructure one of dev with service web"},
		"two orders":                 {flow(flowStage("a", "", queue("x", "i", "Stage", ""), queue("y", "j", "Stage", "")) + flowStage("b", "", queue("z", "j", "Stage", ""), queue("w", "i", "Stage", ""))), core.SeverityWarning, "wait for each other"},
		"one order":                  {flow(flowStage("a", "", queue("x", "i", "Stage", ""), queue("y", "j", "Stage", "")) + flowStage("b", "", queue("z", "i", "Stage", ""), queue("w", "j", "Stage", ""))), "", ""},
		"one after the other":        {flow(flowStage("a", "", queue("x", "i", "Pipeline", "")) + flowStage("b", "", queue("y", "j", "Pipeline", ""))), "", ""},
		"side by side, for the run":  {beside(flowStage("a", "", queue("x", "i", "Pipeline", "")), flowStage("b", "", queue("y", "j", "Pipeline", ""))), core.SeverityWarning, "wait for each other"},
		"side by side, in the stage": {beside(flowStage("a", "", queue("x", "i", "Stage", "")), flowStage("b", "", queue("y", "j", "Stage", ""))), "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := compileWith(t, tc.yaml, world...)
			var found core.Diagnostics
			for _, d := range diags {
				if d.Code == CodeDeadlock {
					found = append(found, d)
				}
			}
			switch {
			case tc.sev == "" && len(found) > 0, tc.sev != "" && (len(found) != 1 || found[0].Severity != tc.sev || !strings.Contains(found[0].Message, tc.want) || found[0].Line == 0):
				t.Errorf("want %q, got %v of %v", tc.want, found, diags)
			}
		})
	}
}

func compileWith(t *testing.T, yaml string, documents ...string) (*core.Plan, core.Diagnostics) {
	t.Helper()
	return Compile(Source{File: "p.yaml", Data: []byte(yaml)}, Options{Library: shelfOf(t, documents...)})
}
