package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/steps"
)

// Input is how the values stand that a node asks for when it starts (BEHAVIOUR §12.3).
type Input struct {
	Deadline int64             `json:"deadline,omitempty"` // ms, while they are waited for; 0 for none of its own
	Given    map[string]string `json:"given,omitempty"`    // by path
	By       core.Actor        `json:"by,omitzero"`        // nobody: they are defaults
	At       int64             `json:"at,omitempty"`
	Resumed  bool              `json:"resumed,omitempty"` // the attempt that asked goes on
}

// inputTimeout is the type of the failure of an input that nobody gave in time.
const inputTimeout = "INPUT_TIMEOUT_FAILURE"

// askInputs waits for what the node asks for, unless it has been given.
func (w *walk) askInputs(n *core.Node) (waits bool) {
	if s := w.t.Nodes[n.FQN]; len(n.Asks) == 0 || s != nil && s.Input != nil && s.Input.Given != nil {
		return false
	}
	ms := n.Timeout
	if step, ok := steps.Lookup(n.Type); ms == 0 && ok && n.Kind == core.KindStep {
		ms = step.DefaultTimeout.Milliseconds()
	}
	if ms == 0 {
		ms = w.remaining() * 1000
	}
	w.begin(n).Input = &Input{Deadline: w.ev.At + ms}
	w.holdStep(n, kindInput, core.InputWaiting, ms, false)
	return true
}

// given takes the values that a person gives. A refusal is an error: nothing is
// recorded.
func (w *walk) given(e core.Given) error {
	h, leave := w.held()
	if h == nil || h.Kind != kindInput || h.Node != e.Node {
		return fault.New(fault.Gone, "%s does not wait for input: it was given, has timed out or was aborted", e.Node)
	}
	n := w.run.Node(e.Node)
	values, err := checked(n, e.Values)
	if err != nil {
		return err
	}
	w.goOn(n, &Input{Given: values, By: e.By, At: w.ev.At, Resumed: true})
	return leave(nil)
}

// goOn lets a node go on with its values.
func (w *walk) goOn(n *core.Node, in *Input) {
	w.t.Hold, w.t.Next = nil, nil
	w.t.Nodes[n.FQN].Input = in
	w.tryAgain(n)
}

// checked are the values by path, defaults for those left out.
func checked(n *core.Node, values map[string]string) (map[string]string, error) {
	given, rest := map[string]string{}, maps.Clone(values)
	var missing []string
	for _, a := range n.Asks {
		v, ok := "", false
		for _, name := range names(a.Path) {
			if v, ok = rest[name]; ok {
				delete(rest, name)
				break
			}
		}
		switch {
		case ok:
			if why := a.Accept(v); why != "" {
				return nil, fault.New(fault.Invalid, "%s: %s", a.Path, why)
			}
			given[a.Path] = v
		case a.Default != nil:
			given[a.Path] = *a.Default
		default:
			missing = append(missing, a.Path)
		}
	}
	if len(rest) > 0 {
		return nil, fault.New(fault.Invalid, "%s asks for no %s: it asks for %s", n.Identifier, strings.Join(slices.Sorted(maps.Keys(rest)), ", "), strings.Join(paths(n), ", "))
	}
	if len(missing) > 0 {
		return nil, fault.New(fault.Invalid, "no value for %s", strings.Join(missing, ", "))
	}
	return given, nil
}

// names are what a value may be called by: its path, or any end of it.
func names(path string) []string {
	list := []string{path}
	for i, c := range path {
		if c == '.' {
			list = append(list, path[i+1:])
		}
	}
	return list
}

func paths(n *core.Node) (list []string) {
	for _, a := range n.Asks {
		list = append(list, a.Path)
	}
	return list
}

// notGiven is what becomes of a node whose values nobody gave in time.
func (w *walk) notGiven(n *core.Node) error {
	f := &core.Failure{Types: []string{inputTimeout}, Message: "nobody gave " + strings.Join(paths(n), ", ") + " in time"}
	w.t.Nodes[n.FQN].Input = nil
	if n == w.root && n.Kind == core.KindStage {
		w.stageNotGiven(n, f)
		return w.leaveHold(nil)
	}
	return w.released(n, core.Expired, f)
}

// proceed goes on with the defaults of what nobody gave; ok is false when one has none.
func (w *walk) proceed(n *core.Node, f *core.Failure) (ok bool) {
	if !slices.Contains(f.Types, inputTimeout) {
		return false
	}
	values, err := checked(n, nil)
	if err != nil {
		return false
	}
	w.goOn(n, &Input{Given: values, At: w.ev.At, Resumed: true})
	return true
}

// stageNotGiven does what the stage's own strategies say: it has not begun, so that what
// would try or ask again is passed over.
func (w *walk) stageNotGiven(n *core.Node, f *core.Failure) {
	r, _ := w.strategy(n, f)
	for r.action.Then != nil {
		r.action = *r.action.Then
	}
	if r.action.Type == core.ActionProceedDefault && w.proceed(n, f) {
		return
	}
	w.t.Hold = nil
	w.endNode(n, core.Failed, f)
	w.t.Failure = f
	status := core.Failed
	switch r.action.Type {
	case core.ActionIgnore:
		status = core.IgnoreFailed
	case core.ActionMarkAsSuccess:
		status = core.Succeeded
	case core.ActionAbort:
		w.t.Stopping = core.Aborted
	case core.ActionPipelineRollback:
		w.t.Wanted, w.t.FailAll = w.run.Plan.Root.FQN, r.action.FailAll
	case core.ActionMarkAsFailure, core.ActionRetry, core.ActionRetryStepGroup, core.ActionManualIntervention,
		core.ActionStepGroupRollback, core.ActionStageRollback, core.ActionProceedDefault, "":
	}
	w.endTrack(status)
}

// askStage has a stage wait for its values before it begins.
func (w *walk) askStage() (waits bool) {
	return w.root.Kind == core.KindStage && !w.t.Round.Rollback && w.askInputs(w.root)
}

// GivenRef is the reference of the values given to a node, in Need and facts.
func GivenRef(track, fqn string) string { return "given:" + track + ":" + fqn }

// givenTo answers a GivenRef: t is the track that walks the node.
func givenTo(t *Track, fqn string) core.Fact {
	s := t.Nodes[fqn]
	if s == nil || s.Input == nil || s.Input.Given == nil {
		return core.Fact{}
	}
	out := map[string]any{}
	for k, v := range s.Input.Given {
		out[k] = v
	}
	return core.Fact{Found: true, Outputs: out}
}

// executionInput is the functor that stands for values given while running.
type executionInput struct{ s *scope }

// Get implements expr.Object.
func (*executionInput) Get(string) (any, bool, error) { return nil, false, nil }

// Call implements expr.Caller: get("path") is the value.
func (x *executionInput) Call(method string, args []any) (any, error) {
	if method != "get" || len(args) != 1 {
		return nil, expr.ErrNoMethod
	}
	path, _ := args[0].(string)
	n := x.s.asker(path)
	if n == nil {
		return nil, fault.New(fault.Invalid, "nothing asks for %q while running", path)
	}
	w := x.s.w
	f := givenTo(w.t, n.FQN)
	if owner := w.run.Owner(n.FQN); owner != w.t.ID || w.run.wasRun(n) {
		var err error
		if f, err = w.fact(GivenRef(owner, n.FQN)); err != nil {
			return nil, err
		}
	}
	if !f.Found {
		return nil, fmt.Errorf("%s was not given yet: %s asks for it when it starts", path, n.FQN)
	}
	return template(f.Outputs[path]), nil
}

// asker is the node at or around this one, or anywhere, that asks for the path.
func (s *scope) asker(path string) *core.Node {
	asks := func(n *core.Node) bool {
		return slices.ContainsFunc(n.Asks, func(a core.Ask) bool { return a.Path == path })
	}
	for n := s.n; n != nil; n = s.w.run.Parent(n) {
		if asks(n) {
			return n
		}
	}
	var found *core.Node
	s.w.run.Plan.Root.Walk(func(n *core.Node) {
		if found == nil && asks(n) {
			found = n
		}
	})
	return found
}
