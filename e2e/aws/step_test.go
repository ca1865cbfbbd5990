package aws

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// script is a step that runs a script on a delegate with a tag, as YAML in flow
// style; "" for any delegate.
func script(id, text, tag string, more ...string) string {
	if tag != "" {
		more = append(more, fmt.Sprintf("delegateSelectors: [%s]", tag))
	}
	spec := append([]string{fmt.Sprintf("shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: %q}}", text)}, more...)
	return fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: ShellScript, timeout: 10m, spec: {%[2]s}}`, id, strings.Join(spec, ", "))
}

// asks is a step that asks the approvers.
const asks = `step: {name: ask, identifier: ask, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: "ok?", includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: false}}}`

// parallel puts steps beside each other.
func parallel(steps ...string) string {
	return "parallel:\n                  - " + strings.Join(steps, "\n                  - ")
}

// oneStage is a pipeline of one stage; more are lines of the stage's own.
func oneStage(steps []string, more ...string) string {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: test\n  identifier: test\n  stages:\n    - stage:\n        name: only\n        identifier: only\n        type: Custom\n")
	for _, line := range more {
		b.WriteString("        " + line + "\n")
	}
	b.WriteString("        spec:\n          execution:\n            steps:\n")
	for _, s := range steps {
		b.WriteString("              - " + s + "\n")
	}
	return b.String()
}

// effects is a file in which scripts leave a line each time they run.
type effects string

func newEffects(t *testing.T) effects {
	t.Helper()
	return effects(t.TempDir() + "/effects")
}

// leave is the command that leaves a line.
func (e effects) leave(line string) string { return fmt.Sprintf("echo %s >> %s; ", line, e) }

// count says how often each line was left.
func (e effects) count(t *testing.T) map[string]int {
	t.Helper()
	body, err := os.ReadFile(string(e))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, line := range strings.Fields(string(body)) {
		n[line]++
	}
	return n
}
