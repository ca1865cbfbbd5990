package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/steps"
)

// Asked is a question to people.
type Asked struct {
	Path    string   `json:"path"`
	Kind    string   `json:"kind"` // approval or intervention
	Message string   `json:"message,omitempty"`
	Who     []string `json:"who"`               // groups; empty: whoever may execute the pipeline
	Count   int      `json:"count"`             // of people who must agree
	Choices []string `json:"choices,omitempty"` // of an intervention
	At      float64  `json:"at"`                // seconds
	Until   float64  `json:"until"`
	Answer  string   `json:"answer"` // "" when nobody answers
}

// recorder does nothing and says that it was done, as the script says.
type recorder struct {
	*World
	script *Script
	prefix string // of the paths of its nodes: the stage that has started the run
	*notes
}

// notes are what a run and those that its stages start have in common.
type notes struct {
	asked    []*Asked
	answered map[string]int // answers to interventions, by path
	tries    map[string]int // of the steps of chained runs, by path: in all of those
	events   int
}

// path is how a node of the run is named to people.
func (r *recorder) path(fqn string) string { return r.prefix + Path(fqn) }

func (r *recorder) seconds(ms int64) float64 { return float64(ms-r.top().Run.At) / 1000 }

// work is the recording runner.
func (r *recorder) work(t *engine.Task) (core.Completed, int64) {
	p := r.script.of(r.path(t.Node))
	ms := int64(0)
	typ := p.fail(r.attempt(t))
	if typ == "Timeout" {
		ms = t.Timeout
	}
	if p.duration != nil {
		ms = *p.duration
	}
	switch typ {
	case "":
		return core.Completed{OK: true, Outputs: r.outputs(t, p)}, ms
	case "Timeout":
		return TimedOut, min(ms, t.Timeout)
	default:
		return core.Completed{Failure: failure(typ)}, ms
	}
}

// attempt is which try at a step it is: the tries of a stage that is run again count.
func (r *recorder) attempt(t *engine.Task) int {
	if r.prefix == "" {
		return t.Attempt
	}
	r.tries[r.path(t.Node)]++
	return r.tries[r.path(t.Node)]
}

// failure is one of a type; what only AllErrors matches has none that has a name.
func failure(e core.ErrorType) *core.Failure {
	typ := engine.FailureType(e)
	if typ == "" {
		typ = "UNMAPPED_FAILURE"
	}
	return &core.Failure{Types: []string{typ}, Message: "made to fail"}
}

// published are the outputs that steps of the type have beside output variables.
func published(typ string, spec map[string]any) map[string]any {
	switch typ {
	case "ShellScript":
		return map[string]any{"exitCode": 0}
	case "Http":
		return map[string]any{"httpUrl": spec["url"], "httpMethod": spec["method"], "httpResponseBody": "",
			"httpResponseCode": 200, "status": "SUCCESS"}
	default:
		return map[string]any{}
	}
}

// outputs are what a step of the type publishes, with what the script sets: every
// output variable that is declared is there, empty as after a script that sets none.
func (r *recorder) outputs(t *engine.Task, p part) map[string]any {
	vars := map[string]any{}
	out := published(t.Type, t.Spec)
	out["outputVariables"] = vars
	list, _ := t.Spec["outputVariables"].([]any)
	for _, it := range list {
		m, _ := it.(map[string]any)
		name, _ := m["name"].(string)
		if vars[name] = ""; m["type"] == "Secret" {
			vars[name] = map[string]any{core.SecretKey: "simulated." + r.path(t.Node) + "." + name}
		}
	}
	for name, value := range p.outputs {
		if _, own := out[name]; own {
			out[name] = value
		} else {
			vars[name] = value
		}
	}
	return out
}

// held answers what people are asked.
func (r *recorder) held(track string, h engine.Hold) bool {
	n := r.Track(track).Nodes[h.Node]
	if n == nil {
		return false
	}
	p := r.script.of(r.path(h.Node))
	typ := p.fail(n.Attempt)
	switch {
	case n.Asked != nil:
		r.intervention(track, h, n, p)
		return false
	case h.Kind == "BackOff":
		return false
	case n.Approval != nil && n.Approval.Status == "WAITING":
		r.approval(track, h, n, p, typ)
	}
	if typ == "UserMarkedFailure" {
		r.After(p.pause(), func() { r.mark(track, h.Node) })
	}
	return false
}

// lasts lets a step that is over when its time is take the time that the script says.
func (r *recorder) lasts(h engine.Hold, most int64) int64 {
	p := r.script.of(r.path(h.Node))
	if h.Own && h.Kind != "BackOff" && p.duration != nil {
		return *p.duration
	}
	return most
}

// mark fails a step in a person's name.
func (r *recorder) mark(track, node string) {
	_ = r.Apply(track, core.Event{Type: core.EventIntervened, Actor: somebody, Intervened: &core.Intervened{
		Node: node, Action: core.InterruptMarkFailed, By: core.Actor{ID: somebody, Name: somebody}}}) // too late
}

// somebody is who answers in a simulation.
const somebody = "somebody"

// ask notes a question.
func (r *recorder) ask(a Asked, h engine.Hold) *Asked {
	a.At, a.Until = r.seconds(r.Now), r.seconds(h.Until)
	r.asked = append(r.asked, &a)
	return &a
}

// approval has as many people answer as are asked for.
func (r *recorder) approval(track string, h engine.Hold, n *engine.Node, p part, typ core.ErrorType) {
	spec := n.Approval.Spec
	a := r.ask(Asked{Path: r.path(h.Node), Kind: "approval", Message: spec.Message, Count: spec.MinimumCount,
		Who: slices.Concat([]string{}, spec.UserGroups, spec.ServiceAccounts)}, h)
	action, people := p.approval, spec.MinimumCount
	if action == "" {
		action = r.script.everybody
	}
	if typ == "ApprovalRejection" {
		action = "REJECT"
	}
	if action == "" || typ == "Timeout" || typ == "UserMarkedFailure" {
		return
	}
	if action == "REJECT" {
		people = 1
	}
	id := n.Approval.ID
	for i := range people {
		name := fmt.Sprintf("%s %d", somebody, i+1)
		r.After(p.pause(), func() {
			err := r.Apply(track, core.Event{Type: core.EventDecided, Actor: name, Decided: &core.Decided{
				Approval: id, Action: action, By: core.Actor{ID: name, Name: name, Groups: spec.UserGroups}, Inputs: answers(spec, action)}})
			if a.Answer = action; err != nil {
				a.Answer = "refused: " + err.Error()
			}
		})
	}
}

// answers fills in what an approver must and has no default.
func answers(a steps.Approval, action string) map[string]string {
	out := map[string]string{}
	for _, in := range a.Inputs {
		if !in.Required || in.DefaultValue != "" || action != "APPROVE" {
			continue
		}
		out[in.Name] = "simulated"
		if one := slices.Concat(in.AllowedValues, in.SelectOneFrom, in.SelectManyFrom); len(one) > 0 {
			out[in.Name] = one[0]
		}
	}
	return out
}

// intervention gives the next answer that the script has for the node.
func (r *recorder) intervention(track string, h engine.Hold, n *engine.Node, p part) {
	a := r.ask(Asked{Path: r.path(h.Node), Kind: "intervention", Who: []string{}, Count: 1}, h)
	for _, t := range n.Asked.Allowed {
		a.Choices = append(a.Choices, string(t))
	}
	next := r.answered[r.path(h.Node)]
	if next >= len(p.answers) {
		return
	}
	r.answered[r.path(h.Node)]++
	action := p.answers[next]
	r.After(0, func() {
		err := r.Apply(track, core.Event{Type: core.EventIntervened, Actor: somebody, Intervened: &core.Intervened{
			Node: h.Node, Action: action, By: core.Actor{ID: somebody, Name: somebody}}})
		if a.Answer = string(action); err != nil {
			a.Answer = "refused: " + err.Error()
		}
	})
}

// prepared is the plan with the script's say about steps that the engine does by
// itself, and with steps of types that nothing runs as tasks without a spec, which
// nothing can be rendered for. kinds are their types, by path.
func prepared(p *core.Plan, s *Script, kinds map[string]string) map[string]string {
	p.Root.Walk(func(n *core.Node) {
		if n.Chain != nil && n.Chain.Plan != nil {
			prepared(n.Chain.Plan, s, kinds)
		}
		if n.Kind != core.KindStep {
			return
		}
		step, known := steps.Lookup(n.Type)
		if !known {
			kinds[s.paths[n]] = cmp.Or(n.Type, untyped)
			n.Type, n.Spec = "ShellScript", map[string]any{}
			return
		}
		part := s.of(s.paths[n])
		if step.Mode != steps.Wait {
			return
		}
		switch {
		case part.fail(1) == "Timeout":
			if n.Timeout == 0 {
				n.Timeout = (10 * time.Minute).Milliseconds()
			}
			setDuration(n, "53w")
		case part.duration != nil && *part.duration >= (10*time.Second).Milliseconds():
			setDuration(n, fmt.Sprintf("%ds", *part.duration/1000))
		}
	})
	return kinds
}

func setDuration(n *core.Node, text string) {
	spec := map[string]any{}
	for k, v := range n.Spec {
		spec[k] = v
	}
	spec["duration"] = text
	n.Spec = spec
}
