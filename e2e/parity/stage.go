package parity

import (
	"fmt"
	"maps"
	"slices"
)

// pipeline spreads the features over one to three stages; what ends the run early
// is in the last.
func (m *maker) pipeline() object {
	n := 1 + m.IntN(3)
	at := map[string]int{} // in which stage a feature is
	for _, f := range m.c.Has {
		at[f] = m.IntN(n)
	}
	m.outputs = []string{"<+pipeline.variables.word>", "<+pipeline.name>"}
	var stages []any
	for i := range n {
		here := func(f string) bool { return m.has(f) && at[f] == i }
		last := i == n-1
		if here(Parallel) && m.IntN(4) == 0 {
			before := m.outputs
			m.beside = true
			stages = append(stages, object{"parallel": []any{m.makeStage(i, "a", here, last), m.makeBeside(i, before)}})
			m.beside = false
			continue
		}
		if m.has(Loop) && !(last && m.ending != "") && m.IntN(3) == 0 {
			stages = append(stages, m.looped(func() object { return m.makeStage(i, "", here, last) }))
			continue
		}
		stages = append(stages, m.makeStage(i, "", here, last))
	}
	if m.has(Condition) {
		stages = append(stages, m.afterwards(n))
	}
	return object{
		"name": m.c.Name, "identifier": m.c.Name, "stages": stages,
		"variables": []any{object{"name": "word", "type": "String", "value": "word" + fmt.Sprint(m.IntN(100))}},
	}
}

// makeBeside is a small stage beside another, which does not see its outputs.
func (m *maker) makeBeside(i int, before []string) object {
	after := m.outputs
	m.outputs = slices.Clone(before)
	s := m.makeStage(i, "b", func(string) bool { return false }, false)
	m.outputs = append(after, m.outputs[len(before):]...)
	return s
}

// makeStage makes a stage with the features that are to be here.
func (m *maker) makeStage(i int, suffix string, here func(string) bool, last bool) object {
	m.stage = fmt.Sprintf("stage%d%s", i, suffix)
	m.path, m.undo = "pipeline.stages."+m.stage+".spec.execution.steps.", nil
	steps := []any{m.shell()}
	add := func(feature string, item func() object) {
		if here(feature) {
			steps = append(steps, item())
		}
	}
	add(Approval, func() object { return m.approval(Approve) })
	add(Trouble, m.trouble)
	add(Wait, m.wait)
	add(Condition, m.conditional)
	add(Group, func() object { return m.group(false) })
	if !m.muted {
		add(Loop, m.loop)
	}
	add(Parallel, func() object { return m.parallel(last, 1) })
	if m.IntN(3) == 0 {
		steps = append(steps, m.shell())
	}
	if last && m.ending != "" {
		steps = append(steps, m.end())
		steps = append(steps, m.shell()) // never runs
	}
	if m.has(Condition) && m.IntN(3) == 0 {
		steps = append(steps, m.when(m.shell(), []string{"All", "Failure"}[m.IntN(2)], ""))
	}
	return stage(m.stage, object{}, steps, m.undo)
}

// stage is one with more fields; rollback may be empty.
func stage(id string, more object, steps, rollback []any) object {
	execution := object{"steps": steps}
	if len(rollback) > 0 {
		execution["rollbackSteps"] = rollback
	}
	s := object{"name": id, "identifier": id, "type": "Custom", "spec": object{"execution": execution}}
	maps.Copy(s, more)
	return object{"stage": s}
}

// afterwards is a last stage that runs, or does not, by how those before it ended.
func (m *maker) afterwards(i int) object {
	s := m.makeBeside(i, m.outputs[:2])
	status := []string{"All", "Failure", "Success"}[m.IntN(3)]
	s["stage"].(object)["when"] = object{"pipelineStatus": status}
	return s
}
