// Package noop is a runner that does nothing but log a line: what is left of a
// step is the control plane and the store.
package noop

import (
	"context"
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/delegate/runner"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Runner stands in for ShellScript.
type Runner struct{}

// Type implements runner.Runner.
func (Runner) Type() string { return "ShellScript" }

// Effects implements runner.Effectless.
func (Runner) Effects() bool { return false }

// Run implements runner.Runner.
func (Runner) Run(_ context.Context, job *runner.Job) wire.Outcome {
	job.Logf("nothing to do")
	return wire.Outcome{OK: true, Outputs: map[string]any{"exitCode": 0}}
}

// Pipeline is a pipeline of so many stages of so many steps, as YAML.
func Pipeline(stages, steps int) string {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: bench\n  identifier: bench\n  stages:\n")
	for s := range stages {
		fmt.Fprintf(&b, "    - stage:\n        name: s%d\n        identifier: s%d\n        type: Custom\n        spec:\n          execution:\n            steps:\n", s, s)
		for i := range steps {
			fmt.Fprintf(&b, "              - step:\n                  name: x%d\n                  identifier: x%d\n                  type: ShellScript\n                  spec:\n                    shell: Bash\n                    onDelegate: true\n                    source:\n                      type: Inline\n                      spec:\n                        script: \"true\"\n", i, i)
		}
	}
	return b.String()
}
