package engine

import (
	"slices"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// scope resolves the first name of an expression at a node (BEHAVIOUR §13.5).
type scope struct {
	w *walk
	n *core.Node
	// early: what the stage deploys is not known yet.
	early bool
	// also holds texts beside the node's own whose names are looked up together.
	also []any
	// secrets collects the references that were handed out.
	secrets map[string]bool
}

// Lookup implements expr.Scope: functors and contexts first, then the children
// of every ancestor, innermost out.
func (s *scope) Lookup(name string) (any, bool) {
	if v, ok := s.context(name); ok {
		return v, true
	}
	for a := s.n; a != nil; a = s.w.run.Parent(a) {
		if a.Identifier == name && a != s.n {
			return &node{s, a}, true
		}
		if c, err := s.child(a, name); err != nil {
			return unknown{err}, true
		} else if c != nil {
			return &node{s, c}, true
		}
	}
	return nil, ofTarget(name)
}

func (s *scope) context(name string) (any, bool) {
	r := s.w.run
	switch name {
	case "pipeline":
		return &pipeline{s}, true
	case "stage", "stepGroup":
		kind := core.KindStage
		if name == "stepGroup" {
			kind = core.KindGroup
		}
		if n := r.enclosing(s.n, kind); n != nil {
			return &node{s, n}, true
		}
		return nil, false
	case "step":
		return &node{s, s.n}, s.n.Kind == core.KindStep
	case "stages":
		return &list{s, r.Plan.Root}, true
	case "steps", "execution":
		return s.siblings(name)
	case "secrets":
		return &secrets{s}, true
	case "executionInput":
		return &executionInput{s}, true
	case "connector":
		return &connectors{s}, true
	case "exportedVariables":
		return &exported{s}, true
	case "ngSecretManager":
		return &secretManager{secrets{s}}, true
	case "account":
		return props{"identifier": r.Account, "name": r.Account, "companyName": r.Account}, true
	case "org":
		return owned(r.Plan.Scope.Org, "org"), true
	case "project":
		return owned(r.Plan.Scope.Project, "project"), true
	case "matrix", "repeat", "strategy":
		return s.loopContext(name)
	case parentInputs:
		switch l := r.Launch; {
		case l.Parent != nil:
			return &handedOn{s, l.Parent.Inputs}, true
		case l.Rollback != nil:
			return &handedOn{s, l.Rollback.Inputs}, true
		}
		return nil, false
	case "inputSet":
		return template(r.Plan.Inputs), true
	case "trigger", "eventPayload":
		// A run that no trigger started has none: the name is unknown, in conditions false.
		return missing("the context " + name + " (what a trigger sent)"), !slices.Contains([]string{"", triggerManual}, r.Launch.Started.Trigger)
	case "currentTime":
		return expr.Func(func([]any) (any, error) {
			return s.now().Format("2006-01-02T15:04:05.000-0700"), nil
		}), true
	case "currentDate":
		return expr.Func(func([]any) (any, error) { return s.now().Format("2006-01-02"), nil }), true
	}
	return s.target(name)
}

// triggerManual is how a person's run says what started it.
const triggerManual = "MANUAL"

// owned is what is known of an organization or a project.
func owned(id, what string) props {
	return props{"identifier": id, "name": id, "description": missing(what + ".description"), "tags": missing(what + ".tags")}
}

// missing stands for what is documented (BEHAVIOUR §13.6) and has no data yet:
// reading it is an error that says so, not a null that nobody notices.
type missing string

// err says so.
func (m missing) err() error { return fault.New(fault.Unsupported, "not supported yet: %s", string(m)) }

// Get implements expr.Object.
func (m missing) Get(string) (any, bool, error) { return nil, false, m.err() }

// Expand implements expr.Expander.
func (m missing) Expand() (any, error) { return nil, m.err() }

// now is the event's time: the engine has no clock.
func (s *scope) now() time.Time { return time.UnixMilli(s.w.ev.At).UTC() }

// siblings is "steps" (of the nearest group or the stage) and "execution" (of the
// stage), relative to the node.
func (s *scope) siblings(name string) (any, bool) {
	stage := s.w.run.enclosing(s.n, core.KindStage)
	if stage == nil {
		return nil, false
	}
	if name == "execution" {
		return props{"steps": &list{s, stage}, "rollbackSteps": &list{s, &core.Node{Children: stage.Rollback}}}, true
	}
	return &nearest{s}, true
}

// child finds a node by its identifier among n's children, looking through
// parallels, which have no name. An iteration has the identifier of its looped node
// with its number behind.
func (s *scope) child(n *core.Node, id string) (*core.Node, error) {
	for _, c := range n.Children {
		switch {
		case c.Kind == core.KindParallel:
			if d, err := s.child(c, id); d != nil || err != nil {
				return d, err
			}
		case c.Identifier == id:
			return c, nil
		case c.Loop != nil:
			if d, err := s.iteration(c, id); d != nil || err != nil {
				return d, err
			}
		}
	}
	return nil, nil
}

// unknown stands for what has to be looked up first.
type unknown struct{ err error }

// Get implements expr.Object.
func (u unknown) Get(string) (any, bool, error) { return nil, false, u.err }

// Expand implements expr.Expander.
func (u unknown) Expand() (any, error) { return nil, u.err }

// props is an Object of fixed properties.
type props map[string]any

// Get implements expr.Object.
func (p props) Get(key string) (any, bool, error) {
	v, ok := p[key]
	if f, later := v.(lazy); later {
		v, err := f()
		return v, err == nil, err
	}
	if m, gone := v.(missing); gone {
		return nil, false, m.err()
	}
	return v, ok, nil
}

// Expand implements expr.Expander: what is there.
func (p props) Expand() (any, error) {
	m := make(map[string]any, len(p))
	for k, v := range p {
		_, gone := v.(missing)
		_, later := v.(lazy)
		if !gone && !later {
			m[k] = v
		}
	}
	return m, nil
}

// list gives the children of a node by identifier.
type list struct {
	s *scope
	n *core.Node
}

// Get implements expr.Object.
func (l *list) Get(key string) (any, bool, error) {
	c, err := l.s.child(l.n, key)
	if c == nil || err != nil {
		return nil, false, err
	}
	return &node{l.s, c}, true, nil
}

// nearest finds a step among the siblings, then further out up to the stage.
type nearest struct{ s *scope }

// Get implements expr.Object.
func (l *nearest) Get(key string) (any, bool, error) {
	r := l.s.w.run
	for a := r.Parent(l.s.n); a != nil && a.Kind != core.KindPipeline; a = r.Parent(a) {
		if c, err := l.s.child(a, key); c != nil || err != nil {
			return &node{l.s, c}, c != nil, err
		}
	}
	return nil, false, nil
}

// variables gives the values of a node's variables.
type variables struct {
	s *scope
	n *core.Node
}

// Get implements expr.Object. An undeclared variable is an error, not null
// (BEHAVIOUR §13.12).
func (v *variables) Get(key string) (any, bool, error) {
	i := slices.IndexFunc(v.n.Variables, func(d core.Variable) bool { return d.Name == key })
	if i < 0 {
		return nil, false, &expr.UnresolvedError{Path: v.n.FQN + ".variables." + key}
	}
	return v.value(v.n.Variables[i]), true, nil
}

// Expand implements expr.Expander.
func (v *variables) Expand() (any, error) {
	m := map[string]any{}
	for _, d := range v.n.Variables {
		m[d.Name] = v.value(d)
	}
	return m, nil
}

func (v *variables) value(d core.Variable) any {
	if d.Type == "Secret" {
		if ref, ok := d.Value.(string); ok && ref != "" && !expr.Has(ref) {
			return v.s.secret(ref)
		}
	}
	return template(d.Value)
}

// template marks the author's own text, whose expressions are to be evaluated.
func template(v any) any {
	switch v := v.(type) {
	case string:
		if expr.Has(v) {
			return expr.Template(v)
		}
		return v
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = template(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = template(e)
		}
		return l
	default:
		return v
	}
}

// secret hands out a reference and remembers it.
func (s *scope) secret(ref string) expr.Secret {
	s.secrets[ref] = true
	return expr.Secret{Ref: ref}
}

// secretManager is the functor whose calls stand for secrets in text that was
// rendered upstream: ngSecretManager.obtain("ref", token).
type secretManager struct{ secrets }

// Call implements expr.Caller. The token is upstream's own affair.
func (f *secretManager) Call(method string, args []any) (any, error) {
	if method != "obtain" || len(args) < 1 || len(args) > 2 {
		return nil, expr.ErrNoMethod
	}
	return f.secrets.Call("getValue", args[:1])
}

// secrets is the functor of that name.
type secrets struct{ s *scope }

// Get implements expr.Object.
func (*secrets) Get(string) (any, bool, error) { return nil, false, nil }

// Call implements expr.Caller.
func (f *secrets) Call(method string, args []any) (any, error) {
	if method != "getValue" || len(args) != 1 {
		return nil, expr.ErrNoMethod
	}
	ref, ok := args[0].(string)
	if !ok || ref == "" {
		return nil, errNotSecret
	}
	return f.s.secret(ref), nil
}
