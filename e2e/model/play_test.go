package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/e2e/model"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// play is one run of a generated pipeline by the engine.
type play struct {
	*simulate.World
	nodes map[string]*model.Node // by identifier
	fqn   map[string]string      // by identifier
	id    map[string]string      // by FQN
	asked map[string]int64       // when an approval or intervention was begun, by node and attempt
	asks  map[string]int         // interventions of a node so far
}

// compiled is the plan of a pipeline.
func compiled(p *model.Node) (*core.Plan, error) {
	plan, diags := compile.Compile(compile.Source{File: "p.yaml", Data: model.YAML(p)}, compile.Options{})
	if plan == nil {
		return nil, fmt.Errorf("the compiler refuses the pipeline: %v", diags)
	}
	return plan, nil
}

// run has the engine run a pipeline. Of what happens at one time dice choose the order,
// and now and then it happens twice.
func run(p *model.Node, plan *core.Plan, seed uint64) (*play, error) {
	g := &play{nodes: map[string]*model.Node{}, fqn: map[string]string{}, id: map[string]string{},
		asked: map[string]int64{}, asks: map[string]int{}}
	g.World = simulate.NewWorld(core.Launch{Run: "R", Plan: plan, Started: core.Started{Sequence: 1, By: core.Actor{ID: "admin"}}})
	g.Dice, g.Timed, g.Twice = rand.New(rand.NewPCG(seed, 2)), true, true
	g.Limit, g.World.Work, g.World.Held = 20_000, g.work, g.held
	p.Walk(func(n *model.Node) { g.nodes[n.ID] = n })
	plan.Root.Walk(func(n *core.Node) { g.fqn[n.Identifier], g.id[n.FQN] = n.FQN, n.Identifier })
	_, err := g.Play()
	return g, err
}

// failures are the engine's names of types.
var failures = map[string]string{"Unknown": "UNKNOWN_FAILURE", "Timeout": "TIMEOUT_FAILURE", "Authentication": "AUTHENTICATION_FAILURE",
	"Authorization": "AUTHORIZATION_FAILURE", "Connectivity": "CONNECTIVITY_FAILURE", "Verification": "VERIFICATION_FAILURE",
	"DelegateRestart": "DELEGATE_RESTART", "ConfigurationFailure": "CONFIGURATION_FAILURE", "UserMarkedFailure": "USER_MARKED_FAILURE"}

func (g *play) node(fqn string) *engine.Node { return g.World.Node(g.Run, fqn) }

func (g *play) try(fqn string, attempt int) model.Try {
	n := g.nodes[g.id[fqn]]
	return n.Tries[min(attempt-1, len(n.Tries)-1)]
}

func (g *play) work(t *engine.Task) (core.Completed, int64) {
	try := g.try(t.Node, t.Attempt)
	done := core.Completed{OK: try.Error == ""}
	if try.Error != "" {
		done.Failure = &core.Failure{Types: []string{failures[try.Error]}, Message: "no"}
	}
	return done, int64(try.Takes) * 1000
}

// held lets people answer. Of an approval or intervention that is begun again, after
// a fault of the platform's, they know already.
func (g *play) held(track string, h engine.Hold) bool {
	if h.Kind != "Approval" && h.Kind != "Intervene" {
		return false
	}
	n := g.node(h.Node)
	attempt := n.Attempt
	key := fmt.Sprint(h.Kind, h.Node, attempt)
	since, again := g.asked[key]
	if !again {
		since = g.Now
		g.asked[key] = since
		if h.Kind == "Intervene" {
			g.asks[h.Node]++
		}
	}
	if h.Kind == "Approval" {
		try := g.try(h.Node, attempt)
		action := "APPROVE"
		if try.Error == "Reject" {
			action = "REJECT"
		}
		g.answer(since, try.Takes, h, track, core.Event{Type: core.EventDecided, Decided: &core.Decided{
			Approval: n.Approval.ID, Action: action, By: core.Actor{ID: "alice", Groups: []string{"approvers"}}}}, attempt)
		return true
	}
	if answers := g.nodes[g.id[h.Node]].Answers; g.asks[h.Node] <= len(answers) {
		a := answers[g.asks[h.Node]-1]
		g.answer(since, a.After, h, track, core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &core.Intervened{
			Node: h.Node, Action: core.ActionType(a.Action), By: core.Actor{ID: "alice"}}}, attempt)
	}
	return true
}

// answer gives somebody's answer when its time has come, unless it is too late.
func (g *play) answer(since int64, after int, h engine.Hold, track string, ev core.Event, attempt int) {
	at := since + int64(after)*1000
	if at >= h.Until {
		return
	}
	g.After(at-g.Now, func() {
		if now := g.Track(track).Hold; now == nil || *now != h || g.node(h.Node).Attempt != attempt {
			return
		}
		_ = g.Apply(track, ev) // refused when it is repeated
	})
}

// compare says in what the engine and the model differ.
func compare(p *model.Node, want model.Result, g *play) []string {
	if want.Tie {
		ties.Add(1)
		return nil
	}
	var out []string
	differ := func(id, what string, want, got any) {
		out = append(out, fmt.Sprintf("%s: %s is %v by the model, %v by the engine", id, what, want, got))
	}
	if got := string(g.Track("0").Status); got != want.Status {
		differ("run", "status", want.Status, got)
	}
	p.Walk(func(n *model.Node) {
		if n.Kind == model.Pipeline || n.Kind == model.Parallel {
			return
		}
		got := g.node(g.fqn[n.ID])
		if got == nil {
			got = &engine.Node{}
		}
		rec := want.Nodes[n.ID]
		if rec == nil {
			rec = &model.Record{}
		}
		switch status := string(got.Status); {
		case rec.Fits(status):
		default:
			differ(n.ID, "status", name(rec.Status), name(status))
		}
		if len(rec.Or) > 0 || rec.Status == model.Passed || rec.Status == model.Skipped || rec.Status == model.NotStarted {
			return
		}
		var starts []int
		for _, a := range got.Earlier {
			starts = append(starts, int(a.Started/1000))
		}
		starts = append(starts, int(got.Started/1000))
		if want := rec.Starts; n.Kind == model.Step && !slices.Equal(want, starts) {
			differ(n.ID, "attempts begin", want, starts)
		} else if n.Kind != model.Step && rec.Start != starts[0] {
			differ(n.ID, "start", rec.Start, starts[0])
		}
		if end := int(got.Ended / 1000); end != rec.End {
			differ(n.ID, "end", rec.End, end)
		}
	})
	return out
}

func name(status string) string {
	if status == "" {
		return "NOT_STARTED"
	}
	return status
}

// report is all that is known about a disagreement.
func report(p *model.Node, seed uint64, diffs []string, g *play) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\n%s\n%s%s", seed, strings.Join(diffs, "\n"), model.Outline(p), model.YAML(p))
	want := model.Interpret(p)
	p.Walk(func(n *model.Node) {
		if n.Kind == model.Pipeline || n.Kind == model.Parallel {
			return
		}
		m, e := want.Nodes[n.ID], g.node(g.fqn[n.ID])
		if m == nil {
			m = &model.Record{}
		}
		if e == nil {
			e = &engine.Node{}
		}
		fmt.Fprintf(&b, "%-10s model %-17s %6d–%-6d ×%d   engine %-17s %6d–%-6d ×%d\n", n.ID, name(m.Status), m.Start, m.End, len(m.Starts),
			name(string(e.Status)), e.Started/1000, e.Ended/1000, e.Attempt)
	})
	fmt.Fprintf(&b, "run: model %s, engine %s\n", want.Status, g.Track("0").Status)
	return b.String()
}
