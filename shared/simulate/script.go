package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
)

// Script is what a simulation assumes of the world. A step that it does not speak of
// succeeds at once, and nobody answers. Its errors are fault.Invalid.
type Script struct {
	nodes  []*core.Node    // those that have a name, in plan order
	looped map[string]bool // paths of looped nodes
	parts  map[string]*part
	bases  map[string]string // see base
	paths  map[*core.Node]string
	// Doubts are what is taken and probably a slip.
	Doubts []string
	// everybody is what all approvals are answered that the script does not name.
	everybody string
}

// part is what is assumed of one node.
type part struct {
	n        *core.Node
	fails    []failing
	duration *int64 // ms
	outputs  map[string]any
	approval string // APPROVE, REJECT or nothing
	answers  []core.ActionType
}

// failing is a type of failure and how often it is to happen, -1 for always.
type failing struct {
	typ   core.ErrorType
	times int
}

// fail is what an attempt, from 1, is to fail of; "" for nothing.
func (p part) fail(attempt int) core.ErrorType {
	for _, f := range p.fails {
		if f.times < 0 || attempt <= f.times {
			return f.typ
		}
		attempt -= f.times
	}
	return ""
}

// NewScript returns the empty script of a plan.
func NewScript(p *core.Plan) *Script {
	s := &Script{looped: map[string]bool{}, parts: map[string]*part{}, bases: map[string]string{}, paths: map[*core.Node]string{}}
	s.add(p, "")
	return s
}

// add knows the nodes of a plan, and those of the pipelines that its stages run below
// those.
func (s *Script) add(p *core.Plan, prefix string) {
	p.Root.Walk(func(n *core.Node) {
		path := prefix + Path(n.FQN)
		if named(n) {
			s.nodes = append(s.nodes, n)
			s.bases[path], s.paths[n] = path, path
		}
		if n.Loop != nil {
			s.looped[path] = true
		}
		if n.Chain != nil && n.Chain.Plan != nil {
			s.add(n.Chain.Plan, path+".")
		}
	})
}

// part returns what is assumed of the step of that name.
func (s *Script) part(name string) (*part, error) {
	key, n, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if n.Kind != core.KindStep {
		return nil, fault.New(fault.Invalid, "%s is a %s: name a step", key, n.Kind)
	}
	if s.parts[key] == nil {
		s.parts[key] = &part{n: n, outputs: map[string]any{}}
	}
	return s.parts[key], nil
}

// of returns what is assumed of the node of a path: of an iteration what is said of
// it, else what is said of the looped node.
func (s *Script) of(path string) part {
	if p := s.parts[path]; p != nil {
		return *p
	}
	if p := s.parts[s.base(path)]; p != nil {
		return *p
	}
	return part{}
}

// base is the path of the plan's node that the node of a path is, or is an iteration of.
func (s *Script) base(path string) string {
	if base, known := s.bases[path]; known {
		return base
	}
	s.bases[path] = path
	for _, n := range s.nodes {
		if s.iterates(n, path) {
			s.bases[path] = s.paths[n]
		}
	}
	return s.bases[path]
}

// Fail has a step fail: NODE=TYPE every time, NODE=TYPE*2 the first two times. Said
// again of a node it speaks of the times after those.
func (s *Script) Fail(arg string) error {
	name, how, err := pair(arg, "NODE=TYPE or NODE=TYPE*TIMES")
	if err != nil {
		return err
	}
	f := failing{times: -1}
	typ, count, limited := strings.Cut(how, "*")
	if limited {
		if f.times, err = strconv.Atoi(count); err != nil || f.times < 1 {
			return fault.New(fault.Invalid, "%q is not a number of times: write %s=%s*2", count, name, typ)
		}
	}
	if typ == "AnyOther" { // its old name
		typ = string(core.AllErrors)
	}
	var words []string
	for _, t := range core.ErrorTypes {
		if words = append(words, string(t)); string(t) == typ {
			f.typ = t
		}
	}
	if f.typ == "" {
		return fault.New(fault.Invalid, "no failure is called %q: there are %s", typ, strings.Join(nearest(typ, words), ", "))
	}
	p, err := s.part(name)
	if err != nil {
		return err
	}
	p.fails = append(p.fails, f)
	return s.canFail(p.n, f)
}

// canFail reports a failure that a step, which no delegate does, cannot have.
func (s *Script) canFail(n *core.Node, f failing) error {
	step, known := steps.Lookup(n.Type)
	if !known || step.Mode == steps.Task {
		return nil
	}
	ways := []string{"Timeout", "UserMarkedFailure"}
	if step.Mode == steps.Ask {
		ways = append(ways, "ApprovalRejection")
	}
	if !slices.Contains(ways, string(f.typ)) {
		return fault.New(fault.Invalid, "%s is a %s, which no delegate does: it can fail of %s", s.paths[n], n.Type, strings.Join(ways, ", "))
	}
	if step.Mode == steps.Wait && f.typ == "Timeout" && f.times > 0 {
		return fault.New(fault.Invalid, "%s is a Wait, which times out always or never: leave out *%d", s.paths[n], f.times)
	}
	return nil
}

// pause is how long an answer takes, ms.
func (p part) pause() int64 {
	if p.duration == nil {
		return 0
	}
	return *p.duration
}

// Duration sets how long a step takes, or how long an answer to it: NODE=10s.
func (s *Script) Duration(arg string) error {
	name, text, err := pair(arg, "NODE=10s")
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = steps.ParseDuration(text)
	}
	if err != nil {
		return err
	}
	if d < 0 {
		return fault.New(fault.Invalid, "duration %q is negative", text)
	}
	p, err := s.part(name)
	if err != nil {
		return err
	}
	ms := d.Milliseconds()
	p.duration = &ms
	return nil
}

// Output sets an output variable of a step: NODE.name=value.
func (s *Script) Output(arg string) error {
	left, value, err := pair(arg, "NODE.name=value")
	if err != nil {
		return err
	}
	i := strings.LastIndexByte(left, '.')
	if i < 0 {
		return fault.New(fault.Invalid, "%q names no output: write NODE.name=value", arg)
	}
	p, err := s.part(left[:i])
	if err != nil {
		return err
	}
	name := left[i+1:]
	p.outputs[name] = value
	if _, known := steps.Lookup(p.n.Type); known && !declares(p.n, name) {
		s.Doubts = append(s.Doubts, fmt.Sprintf("%s declares no output variable %q: a run would not have it", s.paths[p.n], name))
	}
	return nil
}

// declares reports whether a step publishes an output of that name.
func declares(n *core.Node, name string) bool {
	list, isList := n.Spec["outputVariables"].([]any)
	for _, it := range list {
		if m, _ := it.(map[string]any); m["name"] == name {
			return true
		}
	}
	_, own := published(n.Type, nil)[name]
	return own || !isList && n.Spec["outputVariables"] != nil // an expression may
}

// Approve has everybody who is asked say yes: to one approval, or to all.
func (s *Script) Approve(name string) error { return s.decide(name, "APPROVE") }

// Reject has somebody say no: to one approval, or to all.
func (s *Script) Reject(name string) error { return s.decide(name, "REJECT") }

func (s *Script) decide(name, action string) error {
	if name == "all" {
		if s.everybody != "" && s.everybody != action {
			return fault.New(fault.Invalid, "all approvals cannot be both approved and rejected")
		}
		s.everybody = action
		return nil
	}
	p, err := s.part(name)
	if err != nil {
		return err
	}
	switch step, _ := steps.Lookup(p.n.Type); {
	case step.Mode != steps.Ask:
		return fault.New(fault.Invalid, "%s is a %s: it asks nobody", s.paths[p.n], p.n.Type)
	case p.approval != "" && p.approval != action:
		return fault.New(fault.Invalid, "%s cannot be both approved and rejected", s.paths[p.n])
	}
	p.approval = action
	return nil
}

// Intervene answers when a person is asked about a failed step: NODE=Action. Said
// again of a node it is the answer to the next question.
func (s *Script) Intervene(arg string) error {
	name, action, err := pair(arg, "NODE=Action")
	if err != nil {
		return err
	}
	var words []string
	for _, t := range core.ActionTypes {
		if words = append(words, string(t)); string(t) != action {
			continue
		}
		p, err := s.part(name)
		if err != nil {
			return err
		}
		p.answers = append(p.answers, t)
		return nil
	}
	return fault.New(fault.Invalid, "no answer is called %q: there are %s", action, strings.Join(nearest(action, words), ", "))
}

func pair(arg, want string) (left, right string, err error) {
	left, right, ok := strings.Cut(arg, "=")
	if !ok || left == "" {
		return "", "", fault.New(fault.Invalid, "%q is not %s", arg, want)
	}
	return left, right, nil
}
