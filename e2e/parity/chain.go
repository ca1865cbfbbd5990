package parity

import (
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
)

// chains are stages that run another pipeline.
func chains() []Case {
	return []Case{
		chained("chain", "Success before=Success say=Success call=Success after=Success y=Success", object{}, "echo <+pipeline.variables.word>; v=heard"),
		chained("chainfails", "Failed before=Success say=Success call=Failed after=NotStarted y=NotStarted", object{}, failing),
		chained("chainignored", "IgnoreFailed before=Success say=Success call=IgnoreFailed after=Success y=Success",
			onFailure("AllErrors", action(core.ActionIgnore)), failing),
	}
}

// chained is a stage call between others, whose pipeline has one step; what it hands over
// is known when it starts, and what comes back is read behind it.
func chained(name, want string, more object, text string) Case {
	outputs := []any{object{"name": "v", "type": "String", "value": "v"}}
	say, inner := sh("say", "v=word"), sh("x", text)
	for _, s := range []object{say, inner} {
		s["step"].(object)["spec"].(object)["outputVariables"] = outputs
	}
	call := object{"name": "call", "identifier": "call", "type": "Pipeline", "spec": object{"org": core.DefaultOrg, "project": core.DefaultProject, "pipeline": "inner",
		"inputs": object{"identifier": "inner", "variables": []any{object{"name": "word", "type": "String",
			"value": "<+pipeline.stages.before.spec.execution.steps.say.output.outputVariables.v>"}}},
		"outputs": []any{object{"name": "o", "value": "<+pipeline.stages.s.status>"}}}}
	for k, v := range more {
		call[k] = v
	}
	c := named(name, want, []string{"Child"}, nil, stage("before", object{}, []any{say}, nil), object{"stage": call},
		stage("after", object{}, []any{sh("y", "echo <+pipeline.stages.call.output.o>")}, nil))
	body, err := json.Marshal(object{"pipeline": object{"name": "inner", "identifier": "inner",
		"variables": []any{object{"name": "word", "type": "String", "value": "<+input>"}}, "stages": []any{stage("s", object{}, []any{inner}, nil)}}})
	if err != nil {
		panic(err) // plain data
	}
	c.Library = []core.File{{Name: "inner.yaml", YAML: string(body)}}
	return c
}
