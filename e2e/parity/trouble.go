package parity

import (
	"fmt"
	"maps"

	"github.com/slipway-cd/slipway/shared/core"
)

// with gives an item more fields.
func with(item, more object) object {
	for _, inner := range item {
		maps.Copy(inner.(object), more)
	}
	return item
}

// onFailure is the field with one failure strategy.
func onFailure(errors string, action object) object {
	return object{"failureStrategies": []any{object{"onFailure": object{"errors": []any{errors}, "action": action}}}}
}

// action is one of a failure strategy, with its spec in pairs.
func action(kind core.ActionType, spec ...any) object {
	a := object{"type": kind}
	if len(spec) > 0 {
		fields := object{}
		for i := 0; i < len(spec); i += 2 {
			fields[spec[i].(string)] = spec[i+1]
		}
		a["spec"] = fields
	}
	return a
}

// retry tries once more after some seconds.
func retry(then core.ActionType) object {
	return action(core.ActionRetry, "retryCount", 1, "retryIntervals", []any{"10s"}, "onRetryFailure", object{"action": action(then)})
}

// intervene asks a person.
func intervene(timeout string, then core.ActionType) object {
	return action(core.ActionManualIntervention, "timeout", timeout, "onTimeout", object{"action": action(then)})
}

const (
	failing = "echo failing\nexit 7\n"
	second  = "echo attempt $SLIPWAY_ATTEMPT\ntest $SLIPWAY_ATTEMPT -ge 2\n" // the second try succeeds
	endless = "echo sleeping\nsleep 600\n"
)

func sh(id, text string) object { return step(id, "ShellScript", "5m", script(text)) }

// passing are the actions after which a run goes on.
var passing = []core.ActionType{core.ActionIgnore, core.ActionMarkAsSuccess}

// trouble makes a step that fails and a strategy, or a person, that lets the run go on.
func (m *maker) trouble() object {
	on := passing[m.IntN(len(passing))]
	kinds := 6
	if m.slow > 0 {
		kinds += 4
	}
	kind := m.IntN(kinds)
	if kind >= 6 {
		m.slow--
	}
	id := m.id([]string{"passed", "grouped", "asked", "again", "marked", "rejected", "retried", "vain", "unanswered", "late"}[kind])
	answer := func(actions ...core.ActionType) {
		for _, a := range actions {
			m.c.Answers[id] = append(m.c.Answers[id], Answer{User: "alice", Action: string(a)})
		}
	}
	switch kind {
	case 0:
		return with(sh(id, failing), onFailure("Unknown", action(on)))
	case 1:
		return m.inGroup(sh(id, failing), onFailure("AllErrors", action(on)))
	case 2:
		answer(on)
		return with(sh(id, failing), onFailure("AllErrors", intervene("10m", core.ActionAbort)))
	case 3:
		answer(core.ActionRetry, core.ActionRetry, on)
		return with(sh(id, failing), onFailure("AllErrors", intervene("10m", core.ActionAbort)))
	case 4:
		answer(core.InterruptMarkFailed)
		return with(sh(id, endless), onFailure("UserMarkedFailure", action(on)))
	case 5:
		if m.IntN(2) == 0 {
			answer(core.InterruptMarkFailed)
			return with(step(id, "Wait", "10m", object{"duration": "5m"}), onFailure("AllErrors", action(on)))
		}
		answer(core.ActionRetry)
		return with(sh(id, second), onFailure("AllErrors", intervene("10m", core.ActionAbort)))
	case 6:
		return with(sh(id, second), onFailure("AllErrors", retry(core.ActionAbort)))
	case 7:
		return with(sh(id, failing), onFailure("AllErrors", retry(on)))
	case 8:
		return with(sh(id, failing), onFailure("AllErrors", intervene("10s", on)))
	default:
		return with(step(id, "ShellScript", "10s", script(endless)), onFailure("Timeout", action(on)))
	}
}

// inGroup puts an item and a shell step behind it into a group with a strategy.
func (m *maker) inGroup(item, strategy object) object {
	id := m.id("group")
	outer := m.path
	m.path += id + ".steps."
	g := with(object{"stepGroup": object{"name": id, "identifier": id, "steps": []any{item, m.shell()}}}, strategy)
	m.path = outer
	return g
}

// fail makes what fails the run.
func (m *maker) fail() object {
	id, code := m.id("fail"), fmt.Sprintf("echo failing\nexit %d\n", 1+m.IntN(100))
	item := sh(id, code)
	switch m.IntN(7) {
	case 0:
		return with(item, onFailure("AllErrors", action(core.ActionMarkAsFailure)))
	case 1:
		m.undo = []any{sh(m.id("undo"), "echo undoing\n"), object{"parallel": []any{sh(m.id("undo"), "true"), sh(m.id("undo"), "true")}}}
		return with(item, onFailure("AllErrors", action(core.ActionStageRollback)))
	case 2:
		g := m.inGroup(item, onFailure("AllErrors", action(core.ActionStepGroupRollback)))
		return with(g, object{"rollbackSteps": []any{sh(m.id("undo"), "echo undoing\n")}})
	case 3:
		m.undo = []any{sh(m.id("undo"), "echo undoing\n"), sh(m.id("broken"), failing)}
		m.c.Answers[id] = []Answer{{User: "bob", Action: string(core.ActionStageRollback)}}
		return with(item, onFailure("AllErrors", intervene("10m", core.ActionIgnore)))
	case 4:
		if !m.beside { // what else runs is stopped somewhere
			return with(item, onFailure("AllErrors", action(core.ActionAbort)))
		}
	}
	return item
}

// when gives an item a condition on its stage; text may be "".
func (m *maker) when(item object, status, text string) object {
	w := object{"stageStatus": status}
	if text != "" {
		w["condition"] = text
	}
	return with(item, object{"when": w})
}

// conditional makes a step or a group that runs or does not; nobody reads from it.
func (m *maker) conditional() object {
	before := m.outputs
	text := []string{"", "<+pipeline.name> == \"" + m.c.Name + "\"", before[m.IntN(len(before))] + " == \"nothing\""}[m.IntN(3)]
	item := m.shell()
	if m.IntN(2) == 0 {
		item = m.group(false)
	}
	m.outputs = before
	return m.when(item, []string{"Success", "All", "Failure"}[m.IntN(3)], text)
}
