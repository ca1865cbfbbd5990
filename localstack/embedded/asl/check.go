package asl

// check looks at the machine as a graph: every target exists, every state is
// reached from StartAt, and the end can be.
func (l *loader) check(m *Machine, root *node) {
	states := root.member("States").value
	if m.startAt != "" && m.states[m.startAt] == nil {
		l.fail(root.member("StartAt").value.at, "StartAt names the state %q, which does not exist", m.startAt)
		return
	}
	for _, member := range states.members {
		for _, target := range m.states[member.name].targets() {
			if m.states[target] == nil {
				l.fail(member.at, "the state %q leads to %q, which does not exist: add it or mend the name", member.name, target)
			}
		}
	}
	reached := map[string]bool{}
	m.reach(m.startAt, reached)
	ends := false
	for _, member := range states.members {
		s := m.states[member.name]
		if m.startAt != "" && !reached[member.name] {
			l.fail(member.at, "the state %q is never reached: lead to it or remove it", member.name)
		}
		ends = ends || s.end || s.kind == Succeed || s.kind == Fail
	}
	if !ends {
		l.fail(states.at, "no state ends the execution: add a Succeed or Fail state, or \"End\": true")
	}
}

// targets are the states that may follow.
func (s *state) targets() []string {
	var out []string
	if s.next != "" {
		out = append(out, s.next)
	}
	for _, c := range s.catch {
		if c.next != "" {
			out = append(out, c.next)
		}
	}
	for _, r := range s.rules {
		if r.next != "" {
			out = append(out, r.next)
		}
	}
	if s.otherwise != "" {
		out = append(out, s.otherwise)
	}
	return out
}

func (m *Machine) reach(name string, reached map[string]bool) {
	s := m.states[name]
	if s == nil || reached[name] {
		return
	}
	reached[name] = true
	for _, target := range s.targets() {
		m.reach(target, reached)
	}
}
