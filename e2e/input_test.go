package e2e

import (
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// TestInputs asks for values while running, on weak adapters: of a step and of a stage.
func TestInputs(t *testing.T) {
	for _, how := range []string{"strong", "weak"} {
		t.Run(how, func(t *testing.T) {
			cfg := platform.Config{Delegate: true}
			if how == "weak" {
				cfg = weakly(t)
			}
			in := startInside(t, cfg)
			run := in.launchWeakly(stages(aStage("a", "timeout: 1d\n        variables: [{name: v, type: String, value: <+input>.executionInput()}]",
				shellStep("x", "echo <+stage.variables.v>", ""),
				"step:\n                  name: w\n                  identifier: w\n                  type: ShellScript\n                  timeout: 1h\n                  spec:\n                    shell: Bash\n"+
					"                    source: {type: Inline, spec: {script: \"<+input>.executionInput().allowedValues(echo red,echo blue)\"}}")), how)
			waiting := func(id string) { in.until(run, func(r view.Run) bool { return len(node(r, id).Asks) > 0 }) }
			waiting("a")
			if r := in.until(run, func(view.Run) bool { return true }); r.Status != core.InputWaiting.API() || status(r, "a") != core.InputWaiting.API() {
				t.Errorf("the run is %s", r.Status)
			}
			if _, err := in.admin.Give(t.Context(), run, "a", map[string]string{"v": "one"}); err != nil {
				t.Fatal(err)
			}
			waiting("w")
			if _, err := in.admin.Give(t.Context(), run, "w", map[string]string{"script": "echo green"}); err == nil {
				t.Error("what is not allowed was taken")
			}
			if _, err := in.admin.Give(t.Context(), run, "w", map[string]string{"script": "echo blue"}); err != nil {
				t.Fatal(err)
			}
			r := in.finish(run)
			if w := node(r, "w"); r.Status != "Success" || in.logs(r)["w"] != "blue\n" || w.Attempt != 1 || w.Given == nil || w.Given.By.ID == "" {
				t.Errorf("the log is %q\n%s", in.logs(r)["w"], show(r))
			}
			in.foldsAgain(t, r)
		})
	}
}
