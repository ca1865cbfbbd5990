package engine

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

var errNotSecret = fault.New(fault.Invalid, "secrets.getValue takes the identifier of a secret")

// pipeline is what <+pipeline…> reads.
type pipeline struct{ s *scope }

// Get implements expr.Object (BEHAVIOUR §13.6).
func (p *pipeline) Get(key string) (any, bool, error) {
	r := p.s.w.run
	l := r.Launch
	switch key {
	case "executionId":
		return l.Run, true, nil
	case "resumedExecutionId":
		if l.Retry != nil {
			return l.Retry.Root, true, nil
		}
		return l.Run, true, nil
	case "sequenceId":
		return l.Started.Sequence, true, nil
	case "executionUrl":
		return l.Started.URL, true, nil
	case "executionMode":
		return p.s.w.mode(), true, nil
	case "startTs":
		return l.At, true, nil
	case "triggerType":
		return l.Started.Trigger, true, nil
	case "triggeredBy":
		by := l.Started.By
		return map[string]any{"name": by.Name, "email": by.Email, "identifier": by.ID}, true, nil
	case "orgIdentifier":
		return l.Plan.Scope.Org, true, nil
	case "projectIdentifier":
		return l.Plan.Scope.Project, true, nil
	case "storeType":
		return "inline", true, nil
	case "selectedStages":
		return p.s.w.run.stageNames(), true, nil
	case "stages":
		return &list{p.s, r.Plan.Root}, true, nil
	case "tags":
		return tags(l.Plan.Tags), true, nil
	}
	if v, ok, err := (&node{p.s, r.Plan.Root}).Get(key); ok || err != nil {
		return v, ok, err
	}
	return p.chained(key)
}

// chained is a stage that runs another pipeline, by its identifier alone: its outputs
// may be read as <+pipeline.STAGE.NAME> too (BEHAVIOUR §7.10).
func (p *pipeline) chained(key string) (any, bool, error) {
	n, err := p.s.child(p.s.w.run.Plan.Root, key)
	if n == nil || err != nil || n.Chain == nil {
		return nil, false, err
	}
	f, err := p.s.lookup(n, true)
	if err != nil || !f.Found {
		return nil, false, err
	}
	return p.s.outputs(f.Outputs), true, nil
}

func tags(t map[string]string) map[string]any {
	m := make(map[string]any, len(t))
	for k, v := range t {
		m[k] = template(v)
	}
	return m
}

// node is what a path to any node of the plan reads.
type node struct {
	s *scope
	n *core.Node
}

// Get implements expr.Object: what the plan says of the node, then how it stands.
func (o *node) Get(key string) (any, bool, error) {
	n := o.n
	switch key {
	case "identifier":
		return n.Identifier, true, nil
	case "name":
		return template(n.Name), true, nil
	case "type":
		return n.Type, true, nil
	case "tags":
		return tags(n.Tags), true, nil
	case "delegateSelectors":
		return template(strings.Join(n.Selectors, ",")), true, nil
	case "variables":
		return &variables{o.s, n}, true, nil
	case "executionId":
		return o.s.w.run.Launch.Run, true, nil
	case "executionUrl":
		return o.s.w.run.Launch.Started.URL + "?node=" + n.FQN, true, nil
	case "identifierPostFix":
		if p := o.s.w.run.iterationOf(n); p != nil {
			return p.PostFix, true, nil
		}
		return "", true, nil
	case "matrix":
		if p := o.s.w.run.iterationOf(n); p != nil && p.Matrix != nil {
			return p.Matrix, true, nil
		}
		return nil, false, nil
	case "getParentStepGroup":
		return o.parentGroup()
	case "currentStatus", "liveStatus":
		return o.s.combined(n)
	case "description", "log", "deployedHosts", "stepInputs":
		return nil, false, missing(string(n.Kind) + "." + key).err()
	case "spec", "execution", "steps":
		return o.body(key)
	}
	if n.Loop != nil {
		if it, err := o.s.iteration(n, key); it != nil || err != nil {
			return &node{o.s, it}, it != nil, err
		}
	}
	if v, ok, err := o.made(key); ok || err != nil {
		return v, ok, err
	}
	return o.state(key)
}

// parentGroup is the step group around a group, null for one that stands in none.
func (o *node) parentGroup() (any, bool, error) {
	r := o.s.w.run
	if o.n.Kind != core.KindGroup {
		return nil, false, nil
	}
	if p := r.enclosing(r.above(o.n), core.KindGroup); p != nil {
		return &node{o.s, p}, true, nil
	}
	return nil, false, nil
}

// Expand implements expr.Expander: a node rendered whole is what is known of it.
func (o *node) Expand() (any, error) {
	m := &expr.Map{}
	for _, key := range []string{"identifier", "name", "type", "status", "startTs", "endTs", "variables", "spec", "output"} {
		if key == "spec" && o.n.Kind != core.KindStep || key == "variables" && o.n.Variables == nil {
			continue
		}
		v, ok, err := o.Get(key)
		if err != nil {
			return nil, err
		}
		if ok {
			m.Set(key, v)
		}
	}
	return m, nil
}

// body is the part of the path that mirrors the YAML.
func (o *node) body(key string) (any, bool, error) {
	switch {
	case o.n.Kind == core.KindStep && key == "spec":
		return template(o.n.Spec), true, nil
	case o.n.Kind == core.KindGroup && key == "steps":
		return &list{o.s, o.n}, true, nil
	case o.n.Kind == core.KindStage && key == "spec":
		spec := o.s.stageTarget(o.n)
		spec["execution"] = props{"steps": &list{o.s, o.n}, "rollbackSteps": &list{o.s, &core.Node{Children: o.n.Rollback}}}
		return spec, true, nil
	}
	return nil, false, nil
}

// state is how the node stands; null before it has started.
func (o *node) state(key string) (any, bool, error) {
	switch key {
	case "status", "startTs", "endTs", "retryCount", "output", "nodeExecutionId":
	default:
		return nil, false, nil
	}
	f, err := o.s.lookup(o.n, key == "output")
	if err != nil || !f.Found {
		return nil, false, err
	}
	switch key {
	case "startTs":
		return f.Started, true, nil
	case "endTs":
		return f.Ended, true, nil
	case "retryCount":
		return max(0, f.Attempt-1), true, nil
	case "nodeExecutionId":
		return NodeExecutionID(o.s.w.run.Launch.Run, o.n.FQN), true, nil
	case "output":
		if o.n.Kind == core.KindStage && o.n.Chain == nil {
			return props{"hosts": lazy(func() (any, error) { return o.s.hosts(o.n) }), "skippedHosts": missing("stage.output.skippedHosts")}, true, nil
		}
		return o.s.outputs(f.Outputs), true, nil
	default:
		return string(f.Status), true, nil
	}
}

// NodeExecutionID is a node's id on the wire.
func NodeExecutionID(run, fqn string) string { return TaskID(run, fqn, 1, "node") }

// outputs gives recorded outputs to expressions: data, never templates, with
// references to secret ones made opaque.
func (s *scope) outputs(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v[core.SecretKey].(string); ok && len(v) == 1 {
			return s.secret(ref)
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = s.outputs(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = s.outputs(e)
		}
		return l
	default:
		return v
	}
}

// BlobRef is the reference of outputs kept outside the event; the fact's Outputs
// are they. The event that is being decided on may be the one that brings them.
func BlobRef(o core.OutputsRef) string { return "blob:" + o.Digest + ":" + o.Blob }

// ExportRef is the reference of what was published under an alias in a scope;
// the fact's Outputs are the output variables.
func ExportRef(scopeFQN, key string) string { return "export:" + scopeFQN + "#" + key }

// lookup tells how a node stands: from this track when it walks the node, else
// from the facts. outputs says whether its outputs are wanted too.
func (w *walk) lookup(n *core.Node, outputs bool) (core.Fact, error) {
	if w.run.wasRun(n) {
		return w.fact(w.run.nodeRef(n))
	}
	if w.run.Owner(n.FQN) == w.t.ID {
		if n == w.root && n.Kind != core.KindStep && n.Kind != core.KindGroup {
			at := w.t.Standing()
			return core.Fact{Found: true, Status: at.Status, Started: at.Started, Ended: at.Ended, Attempt: 1, Outputs: w.t.chainOutputs(n.FQN)}, nil
		}
		s := w.t.Nodes[n.FQN]
		if s == nil || s.Status == core.NotStarted {
			return core.Fact{}, nil
		}
		f := core.Fact{Found: true, Status: s.Status, Started: s.Started, Ended: s.Ended, Attempt: s.Attempt, Outputs: s.Outputs}
		if s.OutputsRef != nil && outputs {
			kept, err := w.fact(BlobRef(*s.OutputsRef))
			f.Outputs = kept.Outputs
			return f, err
		}
		return f, nil
	}
	_, elsewhere := w.run.Launch.Retry.From(n.Track)                                                                    // where its outputs are, too
	if s := w.t.Nodes[n.FQN]; n.Track != "" && s != nil && !w.t.HasStarted(n.Track) && (!elsewhere || n.Chain == nil) { // it was not let in
		return core.Fact{Found: true, Status: s.Status, Started: s.Started, Ended: s.Ended, Attempt: s.Attempt}, nil
	}
	return w.fact(w.run.nodeRef(n))
}

// fact reads what was looked up, or asks for it.
func (w *walk) fact(ref string) (core.Fact, error) {
	f, ok := w.facts[ref]
	if !ok {
		return core.Fact{}, &Need{Refs: []string{ref}}
	}
	if w.used == nil {
		w.used = map[string]core.Fact{}
	}
	w.used[ref] = f
	return f, nil
}

// exported is the functor exportedVariables.
type exported struct{ s *scope }

// Get implements expr.Object.
func (*exported) Get(string) (any, bool, error) { return nil, false, nil }

// Call implements expr.Caller: getValue("scope.key") is the map of variables,
// getValue("scope.key.name") one of them.
func (e *exported) Call(method string, args []any) (any, error) {
	if method != "getValue" || len(args) != 1 {
		return nil, expr.ErrNoMethod
	}
	path, _ := args[0].(string)
	part := strings.SplitN(path, ".", 3)
	if len(part) < 2 {
		return nil, fault.New(fault.Invalid, "exportedVariables.getValue takes \"scope.key\" or \"scope.key.variable\", scope being pipeline, stage or stepGroup, not %q", path)
	}
	vars, err := e.find(part[0], part[1])
	if err != nil || vars == nil {
		return nil, err
	}
	if len(part) == 2 {
		return e.s.outputs(vars), nil
	}
	return e.s.outputs(vars[part[2]]), nil
}

// find looks for the alias in the scope, of several enclosing groups the innermost.
func (e *exported) find(scopeName, key string) (map[string]any, error) {
	w := e.s.w
	kind, ok := exportScopes[scopeName]
	if !ok {
		return nil, fault.New(fault.Invalid, "exportedVariables knows the scopes pipeline, stage and stepGroup, not %q", scopeName)
	}
	for n := w.run.enclosing(e.s.n, kind); n != nil; n = w.run.enclosing(w.run.above(n), kind) {
		if x := w.t.Exports[n.FQN+"#"+key]; x != nil {
			f, err := w.lookup(w.run.Node(x.Node), true)
			if err != nil {
				return nil, err
			}
			return OutputVariables(f.Outputs), nil
		}
		f, err := w.fact(ExportRef(n.FQN, key))
		if err != nil || f.Found {
			return f.Outputs, err
		}
	}
	return nil, nil
}

var exportScopes = map[string]core.NodeKind{
	"pipeline": core.KindPipeline, "stage": core.KindStage, "stepGroup": core.KindGroup,
}

// OutputVariables are the output variables among a step's outputs.
func OutputVariables(outputs map[string]any) map[string]any {
	m, _ := outputs["outputVariables"].(map[string]any)
	return m
}

// export publishes a step's output variables under its alias (BEHAVIOUR §15.7).
func (w *walk) export(n *core.Node) {
	alias, _ := n.Spec["outputAlias"].(map[string]any)
	key, _ := alias["key"].(string)
	name, _ := alias["scope"].(string)
	if key == "" || name == "" {
		return
	}
	kind := exportScopes[strings.ToLower(name[:1])+name[1:]]
	if at := w.run.enclosing(n, kind); at != nil {
		if w.t.Exports == nil {
			w.t.Exports = map[string]*Exported{}
		}
		w.t.Exports[at.FQN+"#"+key] = &Exported{Node: n.FQN}
	}
}

// stageNames are the identifiers of the stages that the run has.
func (r *Run) stageNames() []any {
	var out []any
	for _, c := range r.Plan.Root.Children {
		if c.Kind == core.KindParallel {
			for _, in := range c.Children {
				out = append(out, in.Identifier)
			}
			continue
		}
		out = append(out, c.Identifier)
	}
	return out
}
