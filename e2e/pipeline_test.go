package e2e

import "fmt"

// crashPipeline has everything a run can be interrupted in: parallel branches, a
// wait in one of them, an approval, groups, and three stages. Every script leaves
// a line in the file of effects. The wait keeps the branches' scripts from running
// at the same moment, so that one kill can interrupt one script at most.
const crashPipeline = `pipeline:
  name: crash
  identifier: crash
  stages:
    - stage:
        name: build
        identifier: build
        type: Custom
        spec:
          execution:
            steps:
              - %[1]s
              - parallel:
                  - stepGroup:
                      name: fast
                      identifier: fast
                      steps:
                        - %[2]s
                        - %[3]s
                  - stepGroup:
                      name: slow
                      identifier: slow
                      steps:
                        - step:
                            name: pause
                            identifier: pause
                            type: Wait
                            spec:
                              duration: 30s
                        - %[4]s
              - %[5]s
    - stage:
        name: ok
        identifier: ok
        type: Approval
        spec:
          execution:
            steps:
              - step:
                  name: ask
                  identifier: ask
                  type: HarnessApproval
                  timeout: 1d
                  spec:
                    approvalMessage: go on?
                    includePipelineExecutionHistory: true
                    approvers:
                      userGroups: [approvers]
                      minimumCount: 1
                      disallowPipelineExecutor: true
    - stage:
        name: deploy
        identifier: deploy
        type: Custom
        spec:
          execution:
            steps:
              - %[6]s
              - %[7]s
`

var crashSteps = []string{"prepare", "first", "second", "beside", "after", "ship", "tell"}

func crashYAML(effects string) string {
	var steps []any
	for _, id := range crashSteps {
		steps = append(steps, fmt.Sprintf(`step: {name: %[1]s, identifier: %[1]s, type: ShellScript, timeout: 1h, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: "echo %[1]s >> %[2]s; echo done %[1]s"}}}}`, id, effects))
	}
	return fmt.Sprintf(crashPipeline, steps...)
}
