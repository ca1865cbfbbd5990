package parity

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// Named are small pipelines, one for each thing that the engine may do after a
// failure or because of a condition, with how each has to end.
func Named() []Case {
	var all []Case
	for _, list := range [][]Case{actions(), interventions(), marks(), rollbacks(), conditions(), loops(), chains(), waits()} {
		all = append(all, list...)
	}
	return all
}

// named is a case of these stages; answers are a person's, in order, by step.
func named(name, want string, through []string, answers map[string][]string, stages ...any) Case {
	c := Case{Name: name, Want: want, Through: through, Answers: map[string][]Answer{}}
	for id, list := range answers {
		for _, a := range list {
			c.Answers[id] = append(c.Answers[id], Answer{User: "alice", Action: a})
		}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object{"pipeline": object{"name": name, "identifier": name, "stages": stages}}); err != nil {
		panic(err) // plain data
	}
	c.YAML = b.String()
	c.Slow = slow(c.YAML)
	return c
}

// Stood tells how a run and its nodes stand: "Failed a=Failed x=Success …".
func Stood(r view.Run) string {
	out := []string{r.Status}
	for _, n := range r.Nodes {
		if n.Identifier != "" {
			out = append(out, n.Identifier+"="+n.Status)
		}
	}
	return strings.Join(out, " ")
}

// one is a stage s whose step x fails or does as item says, with y behind it.
func one(x object, more ...any) []any {
	return []any{stage("s", object{}, append([]any{x, sh("y", "true")}, more...), nil)}
}

func actions() []Case {
	failed := func(errors string, a object) object { return with(sh("x", failing), onFailure(errors, a)) }
	cleanup := with(sh("z", "echo cleaned"), object{"when": object{"stageStatus": "Failure"}})
	backOff := []string{"BackOff"}
	return []Case{
		named("ignore", "IgnoreFailed s=IgnoreFailed x=IgnoreFailed y=Success", nil, nil, one(failed("AllErrors", action(core.ActionIgnore)))...),
		named("success", "Success s=Success x=Success y=Success", nil, nil, one(failed("Unknown", action(core.ActionMarkAsSuccess)))...),
		named("failure", "Failed s=Failed x=Failed y=Skipped z=Success", nil, nil, one(failed("Unknown", action(core.ActionMarkAsFailure)), cleanup)...),
		named("abort", "Aborted s=Aborted x=Aborted y=NotStarted z=NotStarted", nil, nil, one(failed("AllErrors", action(core.ActionAbort)), cleanup)...),
		named("other", "Failed s=Failed x=Failed y=NotStarted", nil, nil, one(failed("Timeout", action(core.ActionIgnore)))...),
		named("again", "Success s=Success x=Success y=Success", backOff, nil, one(with(sh("x", second), onFailure("AllErrors", retry(core.ActionAbort))))...),
		named("vain", "IgnoreFailed s=IgnoreFailed x=IgnoreFailed y=Success", backOff, nil, one(failed("AllErrors", retry(core.ActionIgnore)))...),
		named("outer", "IgnoreFailed s=IgnoreFailed g=IgnoreFailed x=IgnoreFailed y=Success", nil, nil, stage("s", onFailure("AllErrors", action(core.ActionIgnore)),
			[]any{object{"stepGroup": object{"name": "g", "identifier": "g", "steps": []any{sh("x", failing)}}}, sh("y", "true")}, nil)),
	}
}

func interventions() []Case {
	x := with(sh("x", failing), onFailure("AllErrors", intervene("1d", core.ActionAbort)))
	asks := []string{"Intervene"}
	answer := func(list ...string) map[string][]string { return map[string][]string{"x": list} }
	return []Case{
		named("answered", "IgnoreFailed s=IgnoreFailed x=IgnoreFailed y=Success", asks, answer("Retry", "Ignore"), one(x)...),
		named("succeeded", "Success s=Success x=Success y=Success", asks, answer("MarkAsSuccess"), one(x)...),
		named("failed", "Failed s=Failed x=Failed y=Skipped", asks, answer("MarkAsFailure"), one(x)...),
		named("aborted", "Aborted s=Aborted x=Aborted y=NotStarted", asks, answer("Abort"), one(x)...),
		named("unanswered", "IgnoreFailed s=IgnoreFailed x=IgnoreFailed y=Success", asks, nil,
			one(with(sh("x", failing), onFailure("AllErrors", intervene("10s", core.ActionIgnore))))...),
		named("asked", "Success s=Success x=Success y=Success", []string{"BackOff", "Intervene"}, answer("Retry"),
			one(with(sh("x", "test $SLIPWAY_ATTEMPT -ge 3"), onFailure("AllErrors", action(core.ActionRetry, "retryCount", 1, "retryIntervals", []any{"10s"},
				"onRetryFailure", object{"action": intervene("1d", core.ActionAbort)}))))...),
	}
}

func marks() []Case {
	ignore := onFailure("UserMarkedFailure", action(core.ActionIgnore))
	mark := map[string][]string{"x": {core.InterruptMarkFailed}}
	const want = "IgnoreFailed s=IgnoreFailed x=IgnoreFailed y=Success"
	return []Case{
		named("marked", want, nil, mark, one(with(sh("x", endless), ignore))...),
		named("unwaited", want, []string{"Wait"}, mark, one(with(step("x", "Wait", "1d", object{"duration": "1h"}), ignore))...),
		named("unasked", want, []string{"Approval"}, mark, one(with(step("x", "HarnessApproval", "1d", object{"approvalMessage": "?",
			"includePipelineExecutionHistory": true, "approvers": object{"userGroups": []any{"approvers"}, "minimumCount": 1, "disallowPipelineExecutor": false}}), ignore))...),
	}
}

func rollbacks() []Case {
	back := onFailure("AllErrors", action(core.ActionStageRollback))
	fail, undo := sh("x", failing), sh("u", "echo undone")
	both := object{"parallel": []any{undo, sh("v", "true")}}
	group := with(object{"stepGroup": object{"name": "g", "identifier": "g", "steps": []any{fail, sh("y", "true")}, "rollbackSteps": []any{undo}}},
		onFailure("AllErrors", action(core.ActionStepGroupRollback)))
	through := []string{"Rollback"}
	return []Case{
		named("back", "Failed s=Failed w=Success x=Failed y=NotStarted u=Success v=Success after=NotStarted z=NotStarted", through, nil,
			stage("s", back, []any{sh("w", "true"), fail, sh("y", "true")}, []any{both}), stage("after", object{}, []any{sh("z", "true")}, nil)),
		named("groupback", "Failed s=Failed g=Failed x=Failed y=NotStarted u=Success v=Success", through, nil,
			stage("s", back, []any{group}, []any{sh("v", "true")})),
		named("branchback", "Failed s=Failed x=Failed y=Success u=Success", through, nil,
			stage("s", back, []any{object{"parallel": []any{fail, sh("y", "true")}}}, []any{undo})),
		named("chosenback", "Failed s=Failed x=Failed u=Failed v=NotStarted", []string{"Intervene", "Rollback"}, map[string][]string{"x": {"StageRollback"}},
			stage("s", object{}, []any{with(sh("x", failing), onFailure("AllErrors", intervene("1d", core.ActionAbort)))}, []any{sh("u", failing), sh("v", "true")})),
	}
}

func conditions() []Case {
	when := func(item object, key, status, text string) object {
		w := object{key: status}
		if text != "" {
			w["condition"] = text
		}
		return with(maps.Clone(item), object{"when": w})
	}
	of := func(status, text string, item object) object { return when(item, "stageStatus", status, text) }
	run := func(id, status string) object {
		return when(stage(id, object{}, []any{sh("in"+id, "echo <+pipeline.stages.a.status>")}, nil), "pipelineStatus", status, "")
	}
	say := sh("say", "v=yes")
	say["step"].(object)["spec"].(object)["outputVariables"] = []any{object{"name": "v", "type": "String", "value": "v"}}
	said := "<+execution.steps.say.output.outputVariables.v> == "
	group := object{"stepGroup": object{"name": "g", "identifier": "g", "steps": []any{sh("ing", "true")}}}
	return []Case{named("conditions", "Failed a=Failed say=Success g=Skipped ing=NotStarted l=Success m=Skipped x=Failed y=Skipped z=Success "+
		"b=Skipped inb=NotStarted c=Success inc=Success d=Skipped ind=NotStarted e=Success ine=Success", nil, nil,
		stage("a", object{}, []any{say, of("Failure", "", group),
			object{"parallel": []any{of("Success", said+`"yes"`, sh("l", "true")), of("All", said+`"no"`, sh("m", "true"))}},
			sh("x", failing), sh("y", "true"), of("Failure", "", sh("z", "true"))}, nil),
		stage("b", object{}, []any{sh("inb", "true")}, nil),
		object{"parallel": []any{run("c", "Failure"), run("d", "Success")}}, run("e", "All"),
	)}
}
