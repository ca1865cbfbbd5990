package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Chained is the run of another pipeline that a stage has started (docs/adr/0015).
type Chained struct {
	Run    string         `json:"run"`
	Inputs map[string]any `json:"inputs,omitempty"` // while it runs
	Status core.Status    `json:"status,omitempty"` // how it ended
}

// startChain has the pipeline run that the stage names. Its inputs are evaluated here,
// once: to the other run they are data.
func (w *walk) startChain(n *core.Node) (waits bool, err error) {
	inputs, err := w.chainInputs(n)
	if isNeed(err) {
		return false, err
	}
	s := w.begin(n)
	if err == nil && n.Chain.Plan == nil {
		err = fault.New(fault.Invalid, "%s: the pipeline that %s runs was not found", n.Pos, n.Identifier)
	}
	if err != nil {
		return false, w.stepEnded(n, core.Failed, failed(err))
	}
	s.Chained = &Chained{Run: chainedRun(w.run.Launch.Run, n.FQN, s.Attempt, w.ev.At), Inputs: inputs}
	w.chain(s.Chained, nil)
	w.holdStep(n, kindChild, core.Running, w.remaining()*1000, false)
	return true, nil
}

// chain is the command to start the run, or to give it an event.
func (w *walk) chain(c *Chained, ev *core.Event) {
	w.do(core.Command{Do: core.DoChain, Run: c.Run, Track: w.t.ID, Event: ev,
		Chain: &core.ChainCall{Node: w.root.FQN, Attempt: w.t.Nodes[w.root.FQN].Attempt, Inputs: c.Inputs}})
}

// stopChain ends the run that the stage has started, also when it has not begun.
func (w *walk) stopChain(c *Chained, e core.Stop) {
	w.chain(c, &core.Event{V: core.EventVersion, Type: core.EventStop, Source: "stop:" + w.run.Launch.Run, Actor: w.ev.Actor,
		Stop: &core.Stop{Status: e.Status, Reason: e.Reason}})
}

// chained is the run that the track waits for, nil for none.
func (t *Track) chained() *Chained {
	for _, h := range []*Hold{t.Hold, t.Next} {
		if h != nil && h.Kind == kindChild {
			return t.Nodes[h.Node].Chained
		}
	}
	return nil
}

// unchain stops a run that the stage does not wait for any more although it has not
// ended: somebody marked the stage as failed.
func (w *walk) unchain(before *Track) {
	c := before.chained()
	if c == nil || w.ev.Type == core.EventChained {
		return
	}
	if now := w.t.chained(); now != nil && now.Run == c.Run {
		return
	}
	w.stopChain(c, core.Stop{Status: core.Aborted, Reason: "stage " + w.root.Identifier + " of run " + w.run.Launch.Run + " does not wait for it any more"})
}

// chainEnded ends the stage as the run ended that it has started (BEHAVIOUR §7.10).
func (w *walk) chainEnded(e core.Chained) error {
	c := w.t.chained()
	if c == nil || c.Run != e.Run || !e.Status.Terminal() {
		return errIgnored // of an earlier try, or a repetition
	}
	n := w.root
	s := w.t.Nodes[n.FQN]
	s.Chained, s.Outputs = &Chained{Run: e.Run, Status: e.Status}, map[string]any{}
	maps.Copy(s.Outputs, e.Outputs)
	if w.t.Stopping != "" {
		w.endStopped()
		return nil
	}
	f := w.chainFailure(e)
	switch {
	case e.Status == core.Aborted: // as a stage's abort is the run's (BEHAVIOUR §14.4)
		if w.t.Failure == nil {
			w.t.Failure = f
		}
		w.t.Stopping = core.Aborted
		w.endNode(n, core.Aborted, f)
		w.endStopped()
		return nil
	case f != nil && !e.Status.Failing():
		return w.released(n, core.Failed, f)
	}
	return w.released(n, e.Status, f)
}

// chainFailure is why the run's stage fails, nil when it does not.
func (w *walk) chainFailure(e core.Chained) *core.Failure {
	if e.Failure == nil && !e.Status.Failing() {
		return nil
	}
	f := core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "it ended as " + e.Status.API()}
	if e.Failure != nil {
		f = *e.Failure
	}
	f.Message = fmt.Sprintf("pipeline %s, run %s: %s", w.root.Chain.Plan.Identifier, e.Run, f.Message)
	return &f
}

// chainOutputs are what the run that a stage has started gave it.
func (t *Track) chainOutputs(stage string) map[string]any {
	if s := t.Nodes[stage]; s != nil && s.Chained != nil {
		return s.Outputs
	}
	return nil
}

// chainInputs are the values that a chained run is given.
func (w *walk) chainInputs(n *core.Node) (map[string]any, error) {
	var all []any
	for _, text := range n.Chain.Inputs {
		all = append(all, text)
	}
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(n.Chain.Inputs)) {
		v, err := w.handOn(n, n.Chain.Inputs[key], all)
		if isNeed(err) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%s: inputs: %s: %w", n.Pos, n.Chain.Inputs[key], err)
		}
		out[key] = v
	}
	return out, small(out, "the inputs of a chained pipeline")
}

// report has the stage told that has started this run, when the run has just ended:
// with the outputs it asks for, evaluated here (BEHAVIOUR §7.10).
func (w *walk) report(before *Track) error {
	p := w.run.Launch.Parent
	if p == nil || !w.isPipeline() || before.Status.Terminal() || !w.t.Status.Terminal() {
		return nil
	}
	e := core.Chained{Run: w.run.Launch.Run, Status: w.t.Status, Started: w.t.Started, Failure: w.t.Failure}
	if !e.Status.Failing() { // what was ignored
		e.Failure = nil
	}
	var err error
	if e.Outputs, err = w.chainResult(p); isNeed(err) {
		return err
	}
	if err != nil && !e.Status.Failing() {
		e.Failure = &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: err.Error()}
	}
	told := core.Command{Do: core.DoDeliver, Run: p.Run, Track: p.Track,
		Event: &core.Event{V: core.EventVersion, Type: core.EventChained, Source: "run:" + e.Run, Chained: &e}}
	at := len(w.cmds)
	if at > 0 && w.cmds[at-1].Do == core.DoSaveRun { // it stays last: see endRun
		at--
	}
	w.cmds = slices.Insert(w.cmds, at, told)
	return nil
}

// chainResult are the outputs that the parent asks for: those that can be evaluated,
// and why others cannot.
func (w *walk) chainResult(p *core.Parent) (map[string]any, error) {
	var all []any
	for _, o := range p.Outputs {
		all = append(all, o.Value)
	}
	out := map[string]any{}
	var bad error
	for _, o := range p.Outputs {
		v, err := w.handOn(w.root, o.Value, all)
		switch {
		case isNeed(err):
			return nil, err
		case err == nil:
			out[o.Name] = v
		case bad == nil:
			bad = fmt.Errorf("output %s: %w", o.Name, err)
		}
	}
	if err := small(out, "the outputs of a chained pipeline"); err != nil {
		return nil, err
	}
	return out, bad
}

// handOn evaluates a text for another run: what comes of it is data there, a secret the
// reference of one. all are the texts that are looked up together.
func (w *walk) handOn(n *core.Node, text string, all []any) (any, error) {
	s := &scope{w: w, n: n, also: all, secrets: map[string]bool{}}
	v, err := expr.Render(text, s)
	if err != nil {
		return nil, err
	}
	if secret, ok := v.(expr.Secret); ok {
		return map[string]any{core.SecretKey: secret.Ref}, nil
	}
	if len(s.secrets) > 0 {
		return nil, fault.New(fault.Invalid, "a secret can be handed on alone, not inside other text")
	}
	return plain(v)
}

func small(values map[string]any, what string) error {
	body, err := json.Marshal(values)
	if err == nil && len(body) > core.MaxChainBytes {
		err = fault.New(fault.TooLarge, "%s have %d bytes of JSON: at most %d are allowed", what, len(body), core.MaxChainBytes)
	}
	return err
}

// parentInputs is what a chained pipeline reads the values by that its parent gives.
const parentInputs = "parentInputs"

// handedOn are those values: data, never evaluated again.
type handedOn struct {
	s      *scope
	values map[string]any
}

// Get implements expr.Object.
func (h *handedOn) Get(key string) (any, bool, error) {
	v, ok := h.values[key]
	if !ok {
		return nil, false, &expr.UnresolvedError{Path: parentInputs + "." + key}
	}
	return h.s.outputs(v), true, nil
}

// Expand implements expr.Expander.
func (h *handedOn) Expand() (any, error) { return h.s.outputs(h.values), nil }

// ChainStage is the node of the plan whose pipeline the stage of a track runs: of an
// iteration the looped stage.
func (r *Run) ChainStage(track string) *core.Node {
	base, _, _ := strings.Cut(track, iterationMark)
	return r.TrackRoot(base)
}

// chainedRun is the id of the run that one attempt at a stage starts: a ULID of the time
// it was decided at, the same whenever that is decided again.
func chainedRun(run, node string, attempt int, at int64) string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's
	var id [26]byte
	for i := 9; i >= 0; i-- {
		id[i] = digits[at&31]
		at >>= 5
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00chain", run, node, attempt))
	for i := range 16 { // five bits of each byte
		id[10+i] = digits[sum[i]&31]
	}
	return string(id[:])
}
