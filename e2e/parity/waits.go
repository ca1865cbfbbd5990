package parity

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Give is the answer to a step that asks for values while it starts.
const Give = "Give"

// waits are runs that wait for others, for values, or go back further than a stage.
func waits() []Case {
	lock, input := []string{"Lock"}, []string{"Input"}
	queue := func(id, key, scope string) object {
		return step(id, "Queue", "10m", object{"key": "parity-" + key, "scope": scope})
	}
	meet := func(id string) object { return step(id, "Barrier", "10m", object{"barrierRef": "k"}) }
	beside := func(list ...any) object { return object{"parallel": list} }
	group := func(id string, more object, steps ...any) object {
		return with(object{"stepGroup": object{"name": id, "identifier": id, "steps": steps}}, more)
	}
	asks := func(marker, timeout string, more object) object {
		spec := script("echo $V")
		spec["environmentVariables"] = []any{object{"name": "V", "type": "String", "value": marker}}
		return with(step("x", "ShellScript", timeout, spec), more)
	}
	back := onFailure("AllErrors", action(core.ActionPipelineRollback))
	again := onFailure("AllErrors", action(core.ActionRetryStepGroup, "retryCount", 2, "retryIntervals", []any{"10s"}))
	given := named("given", "Success s=Success x=Success y=Success", input, nil, one(asks("<+input>.executionInput()", "1h", object{}))...)
	given.Answers["x"] = []Answer{{User: "alice", Action: Give, Inputs: map[string]string{"V": "heard"}}}
	barrier := named("barrier", "Success a=Success w=Success m=Success b=Success n=Success x=Success", lock, nil,
		beside(stage("a", object{}, []any{sh("w", "true"), meet("m")}, nil), stage("b", object{}, []any{meet("n"), sh("x", "true")}, nil)))
	broken := named("broken", "Failed a=Failed w=Failed m=NotStarted b=Failed n=Failed x=NotStarted", nil, nil,
		beside(stage("a", object{}, []any{sh("w", failing), meet("m")}, nil), stage("b", object{}, []any{meet("n"), sh("x", "true")}, nil)))
	line := named("line", "Success a=Success q=Success x=Success b=Success r=Success y=Success", nil, nil,
		beside(stage("a", object{}, []any{queue("q", "line", "Stage"), sh("x", "true")}, nil), stage("b", object{}, []any{queue("r", "line", "Stage"), sh("y", "true")}, nil)))
	vain := named("regroupvain", "IgnoreFailed s=IgnoreFailed g=IgnoreFailed x=Success y=IgnoreFailed z=Success", []string{"BackOff", "Branches"}, nil,
		stage("s", onFailure("AllErrors", action(core.ActionIgnore)), []any{group("g", again, beside(sh("x", "true"), sh("y", failing))), sh("z", "true")}, nil))
	for _, c := range []*Case{&barrier, &broken, &line, &vain} {
		c.Loose = true // who is first is open, and how much of the interval has passed when the other branch has ended
	}
	return []Case{
		named("queue", "Success a=Success q=Success again=Success x=Success b=Success r=Success y=Success", nil, nil,
			stage("a", object{}, []any{queue("q", "queue", "Stage"), queue("again", "queue", "Stage"), sh("x", "true")}, nil),
			stage("b", object{}, []any{queue("r", "queue", "Pipeline"), sh("y", "true")}, nil)),
		line, declared(barrier), declared(broken),
		named("regroup", "Success s=Success g=Success w=Success x=Success y=Success", []string{"BackOff"}, nil,
			stage("s", object{}, []any{group("g", again, sh("w", "true"), sh("x", second)), sh("y", "true")}, nil)),
		vain,
		named("pipelineback", "Failed a=Success w=Success b=Failed x=Failed c=NotStarted y=NotStarted pipelineRollback=Success b=Success v=Success a=Success u=Success", []string{"Rollback"}, nil,
			stage("a", object{}, []any{sh("w", "true")}, []any{sh("u", "echo <+pipeline.executionMode>")}),
			stage("b", back, []any{sh("x", failing)}, []any{sh("v", "true")}), stage("c", object{}, []any{sh("y", "true")}, nil)),
		given,
		named("defaults", "Success s=Success x=Success y=Success", input, nil,
			one(asks("<+input>.default(d).executionInput()", "10s", onFailure("InputTimeoutError", action(core.ActionProceedDefault))))...),
		named("notgiven", "Expired s=Expired x=Expired y=NotStarted", input, nil, one(asks("<+input>.executionInput()", "10s", object{}))...),
	}
}

// declared is a case whose pipeline declares the barrier k.
func declared(c Case) Case {
	c.YAML = strings.Replace(c.YAML, `"stages":`, `"flowControl":{"barriers":[{"name":"K","identifier":"k"}]},"stages":`, 1)
	return c
}
