package parity

import "slices"

// Loop is a feature a pipeline may have besides.
const Loop = "loop"

// strategy draws a loop of two or three iterations, and what its steps may read of it.
func (m *maker) strategy() (field object, reads []string) {
	loop := object{}
	if m.IntN(3) > 0 {
		loop["maxConcurrency"] = 1 + m.IntN(2)
	}
	switch m.IntN(4) {
	case 0:
		delete(loop, "maxConcurrency")
		return object{"strategy": object{"parallelism": 2}}, []string{"<+strategy.iteration>", "<+strategy.iterations>"}
	case 1:
		loop["items"] = []any{"red", "green", m.outputs[0]}
		return object{"strategy": object{"repeat": loop}}, []string{"<+repeat.item>", "<+strategy.iteration>"}
	default:
		loop["zone"], loop["size"] = []any{"east", "west"}, []any{"1", "2"}
		loop["exclude"] = []any{object{"zone": "west", "size": "1"}}
		return object{"strategy": object{"matrix": loop}}, []string{"<+matrix.zone>", "<+matrix.size>"}
	}
}

// looped makes an item run several times. Its iterations run at the same time, and
// nobody behind or beside them reads from them: make makes it.
func (m *maker) looped(make func() object) object {
	field, reads := m.strategy()
	before, muted, beside := m.outputs, m.muted, m.beside
	m.outputs, m.muted, m.beside = append(slices.Clone(before), reads...), true, true
	item := with(make(), field)
	m.outputs, m.muted, m.beside = before, muted, beside
	return item
}

// loop is a looped step or group.
func (m *maker) loop() object {
	if m.IntN(2) == 0 {
		return m.looped(m.shell)
	}
	return m.looped(func() object { return m.group(false) })
}

// loops are the named cases with loops.
func loops() []Case {
	strategy := func(kind string, spec any, item object) object {
		return with(item, object{"strategy": object{kind: spec}})
	}
	matrix := func(limit int) object {
		return object{"arch": []any{"arm", "x86"}, "n": []any{"1", "2"}, "exclude": []any{object{"arch": "x86", "n": "1"}}, "maxConcurrency": limit}
	}
	say := func(id string) object {
		return sh(id, "echo <+matrix.arch> <+matrix.n> <+strategy.iteration>/<+strategy.iterations>")
	}
	of := func(id, s string, n ...string) (all string) {
		for _, i := range n {
			all += " " + id + i + "=" + s
		}
		return all
	}
	group := object{"stepGroup": object{"name": "g", "identifier": "g", "steps": []any{sh("x", "echo <+repeat.item>")}}}
	last := stage("last", object{"when": object{"pipelineStatus": "All"}}, []any{sh("z", "echo <+pipeline.stages.s.status>")}, nil)
	return []Case{
		named("matrixsteps", "Success s=Success"+of("x", "Success", "", "_0_0", "_0_1", "_1_1")+" y=Success", []string{"Branches"}, nil,
			one(strategy("matrix", matrix(2), say("x")))...),
		named("matrixstage", "Success s=Success"+of("s", "Success x=Success", "_0_0", "_0_1", "_1_1")+" last=Success z=Success", []string{"Stages"}, nil,
			strategy("matrix", matrix(1), stage("s", object{}, []any{say("x")}, nil)), last),
		named("matrixstages", "Success s=Success"+of("s", "Success x=Success", "_0_0", "_0_1", "_1_1")+" last=Success z=Success", []string{"Stages"}, nil,
			strategy("matrix", matrix(2), stage("s", object{}, []any{say("x")}, nil)), last),
		named("repeatgroup", "Success s=Success g=Success"+of("g", "Success x=Success", "_0", "_1", "_2")+" y=Success", []string{"Branches"}, nil,
			one(strategy("repeat", object{"items": []any{"p", "q", "r"}, "maxConcurrency": 2}, group))...),
		named("copies", "Failed s=Failed"+" x=Failed x_0=Success x_1=Failed y=NotStarted last=Success z=Success", []string{"Branches"}, nil,
			append(one(strategy("parallelism", 2, sh("x", "exit <+strategy.iteration>"))), last)...),
		named("queue", "Failed s=Failed x=Failed x_0=Failed x_1=Skipped x_2=Skipped y=NotStarted", []string{"Branches"}, nil,
			one(with(sh("x", failing), object{"strategy": object{"repeat": object{"times": 3, "maxConcurrency": 1}, "onFailure": "SkipQueued"}}))...),
	}
}
