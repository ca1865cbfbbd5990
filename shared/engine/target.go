package engine

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/target"
)

// deployed is what a Deployment stage deploys and where, as expressions read it. Its
// text is evaluated at a node of that stage.
type deployed struct {
	*target.Chosen
	at *scope
	// far: it is read from another stage, where its text would mean something else.
	far bool
}

// maxRefs is how often a reference may come to another expression.
const maxRefs = 3

// arrives decides what a Deployment stage deploys and where, when it starts. What
// cannot be found fails the stage before any step (BEHAVIOUR §5.6); of its failure
// strategies only Abort has something to say about that.
func (w *walk) arrives() (ended bool, err error) {
	if w.root.Target == nil || w.root.Kind != core.KindStage {
		return false, nil
	}
	_, err = (&scope{w: w, n: w.root, early: true, secrets: map[string]bool{}}).chosen(w.root)
	if err == nil || isNeed(err) {
		return false, err
	}
	f := &core.Failure{Types: []string{"CONFIGURATION_FAILURE"}, Message: w.root.Target.Pos.String() + ": " + err.Error()}
	w.t.Failure = f
	status := core.Failed
	if r, ok := w.strategy(w.root, f); ok && r.action.Type == core.ActionAbort {
		status, w.t.Stopping = core.Aborted, core.Aborted
	}
	w.endTrack(status)
	return true, nil
}

// chosen is what a stage's references come to.
func (s *scope) chosen(stage *core.Node) (*target.Chosen, error) {
	if c := s.w.chosen[stage]; c != nil {
		return c, nil
	}
	at := &scope{w: s.w, n: stage, early: true, secrets: s.secrets}
	p := stage.Target.Pair
	for _, ref := range []*string{&p.Service, &p.Environment, &p.Infrastructure} {
		for i := 0; expr.Has(*ref); i++ {
			if i == maxRefs {
				return nil, fault.New(fault.Invalid, "the reference %s comes to one expression after another", *ref)
			}
			v, err := expr.RenderString(*ref, at)
			if err != nil && !isNeed(err) && stage.Target.Open {
				v, err = "", nil
			}
			if err != nil {
				return nil, err
			}
			*ref = v
		}
	}
	c, err := target.Choose(stage.Target, p)
	if err != nil {
		return nil, err
	}
	if s.w.chosen == nil {
		s.w.chosen = map[*core.Node]*target.Chosen{}
	}
	s.w.chosen[stage] = c
	return c, nil
}

// deployment is what the contexts of a Deployment stage read; nil in other stages,
// and where it is not known yet: in the condition of the stage itself.
func (s *scope) deployment() (*deployed, error) {
	stage := s.w.run.enclosing(s.n, core.KindStage)
	if stage == nil || stage.Target == nil || s.early {
		return nil, nil
	}
	c, err := s.chosen(stage)
	if err != nil {
		return nil, err
	}
	return &deployed{Chosen: c, at: s}, nil
}

// elsewhere is what another stage deployed, nil when it did not start.
func (s *scope) elsewhere(stage *core.Node) (*deployed, error) {
	if s.w.run.enclosing(s.n, core.KindStage) == stage {
		return s.deployment()
	}
	f, err := s.lookup(stage, false)
	if err != nil || !f.Found || f.Status == core.Skipped {
		return nil, err
	}
	at := &scope{w: s.w, n: stage, secrets: s.secrets}
	c, err := at.chosen(stage)
	if err != nil {
		return nil, err
	}
	return &deployed{c, at, true}, nil
}

// targetContexts are the names that Deployment stages give, each with what reads it.
var targetContexts = map[string]func(*deployed) any{
	"service":                  (*deployed).service,
	"serviceVariables":         func(d *deployed) any { return d.variables("serviceVariables", d.Variables) },
	"serviceVariableOverrides": func(d *deployed) any { return &nearestVariables{d} },
	"serviceConfig":            (*deployed).serviceConfig,
	"env":                      (*deployed).env,
	"environment":              (*deployed).env,
	"infra":                    (*deployed).infra,
	"infrastructure":           (*deployed).infra,
	"INFRA_KEY":                func(d *deployed) any { return keyOf{d, 0} },
	"INFRA_KEY_SHORT_ID":       func(d *deployed) any { return keyOf{d, target.ShortKey} },
	"artifacts":                (*deployed).artifacts,
	"artifact":                 (*deployed).primary,
	"manifests":                (*deployed).manifests,
	"manifest":                 (*deployed).manifest,
	"manifestConfig":           (*deployed).manifestConfig,
}

// ofTarget reports whether a name is one that Deployment stages give. Elsewhere, and
// before it is known, it stands for null (BEHAVIOUR §5.6).
func ofTarget(name string) bool { return targetContexts[name] != nil && name != "infrastructure" }

// target is a context of a Deployment stage; ok is false where there is none.
func (s *scope) target(name string) (v any, ok bool) {
	if !ofTarget(name) {
		return nil, false
	}
	read := targetContexts[name]
	d, err := s.deployment()
	switch {
	case err != nil:
		return wrong{err}, true
	case d == nil:
		return nil, false
	}
	if k, ok := read(d).(keyOf); ok {
		v, err := k.value()
		if err != nil {
			return wrong{err}, true
		}
		return v, v != nil
	}
	return read(d), true
}

// stageTarget is a field of the spec of a stage that gives contexts.
func (s *scope) stageTarget(stage *core.Node) props {
	out := props{}
	if stage.Target == nil {
		return out
	}
	for name, read := range targetContexts {
		out[name] = lazy(func() (any, error) {
			d, err := s.elsewhere(stage)
			if err != nil || d == nil {
				return nil, err
			}
			if k, ok := read(d).(keyOf); ok {
				return k.value()
			}
			return read(d), nil
		})
	}
	return out
}

// lazy is a property that is only looked up when it is read.
type lazy func() (any, error)

// wrong stands for a context that cannot be told: reading it is the error.
type wrong struct{ err error }

// Get implements expr.Object.
func (w wrong) Get(string) (any, bool, error) { return nil, false, w.err }

// Expand implements expr.Expander.
func (w wrong) Expand() (any, error) { return nil, w.err }

// text is the author's own value: evaluated when it is read, at once for another
// stage.
func (d *deployed) text(v any) (any, error) {
	if d.far {
		return d.at.render(v, nil)
	}
	return template(v), nil
}

// value is a field's value evaluated, as text.
func (d *deployed) value(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	r, err := d.at.render(v, nil)
	return expr.Format(r), err
}

// object reads fields that may be the author's text, and others that are computed.
type object struct {
	d     *deployed
	texts map[string]any
	more  map[string]any
	// except is asked for fields that neither has.
	except func(key string) (any, bool, error)
}

// Get implements expr.Object.
func (o *object) Get(key string) (any, bool, error) {
	if v, ok := o.more[key]; ok {
		if m, gone := v.(missing); gone {
			return nil, false, m.err()
		}
		if f, ok := v.(lazy); ok {
			r, err := f()
			return r, err == nil, err
		}
		return v, true, nil
	}
	if v, ok := o.texts[key]; ok {
		r, err := o.d.text(v)
		return r, err == nil, err
	}
	if o.except != nil {
		return o.except(key)
	}
	return nil, false, nil
}

// Expand implements expr.Expander: what is there.
func (o *object) Expand() (any, error) {
	out := make(map[string]any, len(o.texts)+len(o.more))
	for k, v := range o.more {
		_, gone := v.(missing)
		_, later := v.(lazy)
		if !gone && !later {
			out[k] = v
		}
	}
	for k, v := range o.texts {
		r, err := o.d.text(v)
		if err != nil {
			return nil, err
		}
		out[k] = r
	}
	return out, nil
}

func texts(f core.Found) map[string]any {
	tags := make(map[string]any, len(f.Tags))
	for k, v := range f.Tags {
		tags[k] = v
	}
	return map[string]any{"name": f.Name, "identifier": f.Identifier, "description": f.Description, "tags": tags}
}

// targetVariables reads variables by name; one that is not declared is an error
// (BEHAVIOUR §13.12).
type targetVariables struct {
	d    *deployed
	path string
	list []core.TargetVariable
}

func (d *deployed) variables(path string, list []core.TargetVariable) any {
	return &targetVariables{d, path, list}
}

// Get implements expr.Object.
func (v *targetVariables) Get(key string) (any, bool, error) {
	for _, x := range v.list {
		if x.Name == key {
			r, err := v.value(x)
			return r, err == nil, err
		}
	}
	return nil, false, &expr.UnresolvedError{Path: v.path + "." + key}
}

func (v *targetVariables) value(x core.TargetVariable) (any, error) {
	if ref, ok := x.Value.(string); ok && x.Type == "Secret" && ref != "" && !expr.Has(ref) {
		return v.d.at.secret(ref), nil
	}
	return v.d.text(x.Value)
}

// Expand implements expr.Expander.
func (v *targetVariables) Expand() (any, error) {
	out := map[string]any{}
	for _, x := range v.list {
		r, err := v.value(x)
		if err != nil {
			return nil, err
		}
		out[x.Name] = r
	}
	return out, nil
}

// nearestVariables are the service's variables as step groups override them, the
// nearest first (BEHAVIOUR §2.9).
type nearestVariables struct{ d *deployed }

// Get implements expr.Object.
func (v *nearestVariables) Get(key string) (any, bool, error) {
	r := v.d.at.w.run
	for g := r.enclosing(v.d.at.n, core.KindGroup); g != nil; g = r.enclosing(r.Parent(g), core.KindGroup) {
		for _, x := range g.Variables {
			if x.Name == key {
				return (&variables{v.d.at, g}).value(x), true, nil
			}
		}
	}
	return (&targetVariables{v.d, "serviceVariableOverrides", v.d.Variables}).Get(key)
}

// namedByTarget collects the nodes that a stage's variables and infrastructures name.
func (s *scope) namedByTarget(need *Need) {
	stage := s.w.run.enclosing(s.n, core.KindStage)
	if stage == nil || stage.Target == nil {
		return
	}
	t := stage.Target
	for _, list := range variablesOf(t) {
		for _, v := range list {
			s.named(v.Value, need)
		}
	}
	for _, in := range t.Infrastructures {
		s.named(in.Spec, need)
	}
	s.named(strings.Join([]string{t.Service, t.Environment, t.Infrastructure}, " "), need)
}

func variablesOf(t *core.Target) (out [][]core.TargetVariable) {
	for _, x := range t.Services {
		out = append(out, x.Variables)
	}
	for _, x := range t.Environments {
		out = append(out, x.Variables)
	}
	for _, x := range t.Overrides {
		out = append(out, x.Variables)
	}
	return out
}
