package simulate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/simulate"
)

type object = map[string]any

// response is an action as the table names it, with what else happens.
type response struct {
	name   string
	action object   // nil: no strategy
	times  string   // how often the step fails, "*1"; "" for always
	script []string // further arguments of the simulation
}

// responses are all actions, with every way in which each can end.
func responses() []response {
	does := func(typ string) object { return object{"type": typ} }
	tries := func(typ string) object {
		spec := object{"retryCount": 2, "retryIntervals": []string{"10s"}}
		if typ == "Retry" {
			spec["onRetryFailure"] = object{"action": does("Ignore")}
		}
		return object{"type": typ, "spec": spec}
	}
	ask := object{"type": "ManualIntervention", "spec": object{"timeout": "1h", "onTimeout": object{"action": does("MarkAsSuccess")}}}
	list := []response{{name: "no strategy"}}
	for _, typ := range core.ActionTypes {
		switch typ {
		case core.ActionRetry:
			list = append(list, response{"`Retry`, the second try succeeds", tries("Retry"), "*1", nil},
				response{"`Retry` 2 times in vain, then `Ignore`", tries("Retry"), "", nil})
		case core.ActionRetryStepGroup:
			list = append(list, response{"`RetryStepGroup`, the second try succeeds", tries("RetryStepGroup"), "*1", nil},
				response{"`RetryStepGroup` 2 times in vain", tries("RetryStepGroup"), "", nil})
		case core.ActionManualIntervention:
			list = append(list, response{"`ManualIntervention`, nobody answers, then `MarkAsSuccess`", ask, "", nil},
				response{"`ManualIntervention`, answer `Retry`, which succeeds", ask, "*1", []string{"--intervene", "x=Retry"}})
			for _, said := range []string{"MarkAsSuccess", "Ignore", "MarkAsFailure", "Abort", "StageRollback", "PipelineRollback"} {
				list = append(list, response{"`ManualIntervention`, answer `" + said + "`", ask, "", []string{"--intervene", "x=" + said}})
			}
		case core.ActionIgnore, core.ActionMarkAsSuccess, core.ActionMarkAsFailure, core.ActionAbort, core.ActionStageRollback,
			core.ActionStepGroupRollback, core.ActionPipelineRollback, core.ActionProceedDefault:
			list = append(list, response{"`" + string(typ) + "`", does(string(typ)), "", nil})
		}
	}
	return list
}

// levels are where a strategy may stand.
var levels = []string{"step", "group", "stage", "rollback step", "rollback group"}

func undoes(level string) bool { return strings.HasPrefix(level, "rollback") }

// failing is the pipeline in which the step x fails of a type while a strategy for
// just that type is at a level.
func failing(level string, typ core.ErrorType, action object) []byte {
	shell := func(id string) object {
		return object{"identifier": id, "name": id, "type": "ShellScript", "timeout": "1m",
			"spec": object{"shell": "Bash", "onDelegate": true, "source": object{"type": "Inline", "spec": object{"script": "true"}}}}
	}
	step := func(s object) object { return object{"step": s} }
	when := func(s object, status string) object {
		s["when"] = object{"stageStatus": status}
		return object{"step": s}
	}
	stage := func(id string, spec object) object {
		return object{"identifier": id, "name": id, "type": "Custom", "spec": object{"execution": spec}}
	}
	x := shell("x")
	switch typ {
	case "InputTimeoutError":
		x["spec"].(object)["environmentVariables"] = []any{object{"name": "v", "type": "String", "value": "<+input>.default(d).executionInput()"}}
	case "ApprovalRejection":
		x["type"], x["spec"] = "HarnessApproval", object{"approvalMessage": "Go?", "includePipelineExecutionHistory": false,
			"approvers": object{"userGroups": []string{"ops"}, "minimumCount": 1, "disallowPipelineExecutor": false}}
	}
	group := object{"identifier": "group", "name": "group", "steps": []any{step(x), step(shell("inGroup"))}}
	list := []any{object{"stepGroup": group}, step(shell("after")), when(shell("onFailure"), "Failure"), when(shell("always"), "All")}
	execution := object{"steps": list, "rollbackSteps": []any{step(shell("undoStage"))}}
	if undoes(level) {
		execution = object{"steps": []any{step(shell("breaks"))}, "rollbackSteps": list}
	} else {
		group["rollbackSteps"] = []any{step(shell("undoGroup"))}
	}
	main := stage("deploy", execution)
	if undoes(level) {
		main["failureStrategies"] = strategies("AllErrors", object{"type": "StageRollback"})
	}
	if action != nil {
		map[string]object{"step": x, "group": group, "stage": main, "rollback step": x, "rollback group": group}[level]["failureStrategies"] = strategies(typ, action)
	}
	last := stage("notify", object{"steps": []any{step(shell("tell"))}})
	last["when"] = object{"pipelineStatus": "All"}
	body, err := json.Marshal(object{"pipeline": object{"identifier": "p", "name": "p", "stages": []any{
		object{"stage": stage("before", object{"steps": []any{step(shell("prepare"))}, "rollbackSteps": []any{step(shell("undoBefore"))}})},
		object{"stage": main}, object{"stage": stage("next", object{"steps": []any{step(shell("go"))}})}, object{"stage": last}}}})
	if err != nil {
		panic(err) // plain data
	}
	return body
}

func strategies(typ core.ErrorType, action object) []any {
	return []any{object{"onFailure": object{"errors": []core.ErrorType{typ}, "action": action}}}
}

// happened is what became of one play, in a few words each.
type happened struct{ step, tries, ran, group, stage, run string }

// happens lets x fail and tells what came of it.
func happens(t *testing.T, level string, typ core.ErrorType, r response) happened {
	t.Helper()
	fail := "x=" + string(typ) + r.times
	if typ == "InputTimeoutError" {
		fail = "" // nobody gives it
		if r.times != "" {
			return happened{}
		}
	}
	p := planned(t, "p.yaml", failing(level, typ, r.action), nil)
	args := slices.Clone(r.script)
	if fail != "" {
		args = append(args, "--fail", fail)
	}
	if undoes(level) {
		args = append(args, "--fail", "breaks=Unknown")
	}
	if typ == "ApprovalRejection" && r.times != "" {
		args = append(args, "--approve", "x")
	}
	s, err := scripted(p, args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := simulate.Run(p, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := happened{run: res.Status}
	var ran []string
	behind := false
	for _, n := range res.Nodes {
		id := n.Path[strings.LastIndexByte(n.Path, '.')+1:]
		switch {
		case id == "x":
			h.step, h.tries, behind = n.Status, fmt.Sprint(n.Attempts), true
		case id == "group":
			h.group = n.Status
		case id == "deploy":
			h.stage = n.Status
		case behind && n.Start != nil && n.Type == "ShellScript":
			ran = append(ran, id)
		}
	}
	h.ran = strings.Join(ran, ", ")
	return h
}

// TestFailureTable plays every type of failure with every action at every level, and
// holds the table in the reference to what happened.
func TestFailureTable(t *testing.T) {
	const file = "../../docs/reference/failures.md"
	const begin, end = "<!-- table: written by go test ./shared/simulate -run FailureTable -update -->\n", "<!-- end of table -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	if !ok {
		t.Fatalf("%s has no %q", file, begin)
	}
	_, tail, _ := strings.Cut(rest, end)
	text := head + begin + failureTable(t) + end + tail
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(data), text); d != "" {
		t.Errorf("%s differs; look at it, then go test ./shared/simulate -run FailureTable -update:\n%s", file, d)
	}
}

// row is a line of the table.
type row struct {
	at, of string
	happened
}

func failureTable(t *testing.T) string {
	type block struct {
		names []string
		rows  []row
	}
	var blocks []*block
	plays := 0
	for _, r := range responses() {
		var rows []row
		for _, level := range levels {
			if r.action == nil && level != "step" && level != "rollback step" {
				continue // none is none, wherever
			}
			by := map[core.ErrorType]happened{}
			for _, typ := range core.ErrorTypes {
				if h := happens(t, level, typ, r); h != (happened{}) {
					by[typ] = h
				}
			}
			plays += len(by)
			rows = grouped(rows, level, own(by))
		}
		if i := slices.IndexFunc(blocks, func(b *block) bool { return slices.Equal(b.rows, rows) }); i >= 0 {
			blocks[i].names = append(blocks[i].names, r.name)
			continue
		}
		blocks = append(blocks, &block{[]string{r.name}, rows})
	}
	if plays < len(core.ErrorTypes)*len(core.ActionTypes)*len(levels) {
		t.Errorf("only %d plays: a type, an action or a level is missing", plays)
	}
	var out strings.Builder
	out.WriteString("| action | at | failure | `x` | tries | then run | `group` | `deploy` | run |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, b := range blocks {
		name := strings.Join(b.names, "<br>")
		for _, h := range b.rows {
			fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, h.at, h.of, h.step, h.tries, h.ran, h.group, h.stage, h.run)
			name = ""
		}
	}
	return out.String()
}

// own says of a status that it is the failure's where it is with every type.
func own(by map[core.ErrorType]happened) map[core.ErrorType]happened {
	field := func(of func(*happened) *string) {
		for typ, h := range by {
			natural, special := map[core.ErrorType]string{"Timeout": "Expired", "InputTimeoutError": "Expired", "ApprovalRejection": "ApprovalRejected"}[typ]
			if !special {
				natural = "Failed"
			}
			if *of(&h) != natural {
				return
			}
		}
		for typ, h := range by {
			*of(&h) = "as it failed"
			by[typ] = h
		}
	}
	field(func(h *happened) *string { return &h.step })
	field(func(h *happened) *string { return &h.group })
	field(func(h *happened) *string { return &h.stage })
	field(func(h *happened) *string { return &h.run })
	return by
}

// grouped adds what happened at a level, equal things once.
func grouped(rows []row, level string, by map[core.ErrorType]happened) []row {
	types := map[happened][]string{}
	var order []happened
	for _, typ := range core.ErrorTypes {
		h, played := by[typ]
		if !played {
			continue
		}
		if types[h] == nil {
			order = append(order, h)
		}
		types[h] = append(types[h], "`"+string(typ)+"`")
	}
	slices.SortStableFunc(order, func(a, b happened) int { return len(types[b]) - len(types[a]) })
	for k, h := range order {
		of := strings.Join(types[h], ", ")
		switch {
		case len(order) == 1:
			of = "any"
		case k == 0:
			of = "any other"
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.happened == h && r.of == of })
		if i < 0 {
			rows = append(rows, row{level, of, h})
			continue
		}
		rows[i].at += ", " + level
	}
	return rows
}
