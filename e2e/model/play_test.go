package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
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
	g := &play{nodes: map[string]*model.Node{}, asked: map[string]int64{}, asks: map[string]int{}}
	g.World = simulate.NewWorld(core.Launch{Run: "R", Plan: plan, Started: core.Started{Sequence: 1, By: core.Actor{ID: "admin"}}})
	g.Dice, g.Timed, g.Twice = rand.New(rand.NewPCG(seed, 2)), true, true
	g.Limit, g.World.Work, g.World.Held = 20_000, g.work, g.held
	p.Walk(func(n *model.Node) { g.nodes[n.ID] = n })
	_, err := g.Play()
	return g, err
}

// failures are the engine's names of types.
var failures = map[string]string{"Unknown": "UNKNOWN_FAILURE", "Timeout": "TIMEOUT_FAILURE", "Authentication": "AUTHENTICATION_FAILURE",
	"Authorization": "AUTHORIZATION_FAILURE", "Connectivity": "CONNECTIVITY_FAILURE", "Verification": "VERIFICATION_FAILURE",
	"DelegateRestart": "DELEGATE_RESTART", "ConfigurationFailure": "CONFIGURATION_FAILURE", "UserMarkedFailure": "USER_MARKED_FAILURE"}

// key is what the model calls the node of an FQN: identifiers have no _ but in iterations.
func key(fqn string) string {
	words := strings.Split(fqn, ".")
	last := len(words) - 1
	return strings.Join(append(slices.DeleteFunc(words[:last:last], func(w string) bool { return !strings.Contains(w, "_") }), words[last]), ".")
}

// of is the node of the pipeline that the node of an FQN is, or is an iteration of; turn
// is the sum of the numbers of the iterations around it.
func (g *play) of(fqn string) (n *model.Node, turn int) {
	for word := range strings.SplitSeq(fqn, ".") {
		id, number, iterates := strings.Cut(word, "_")
		n = g.nodes[id]
		if iterates {
			i, _ := strconv.Atoi(number)
			turn += i
		}
	}
	return n, turn
}

func (g *play) try(fqn string, attempt int) model.Try {
	n, turn := g.of(fqn)
	return n.Tries[(min(attempt-1, len(n.Tries)-1)+turn)%len(n.Tries)]
}

// track is what walks the node.
func (g *play) track(fqn string) string {
	if !strings.Contains(fqn, "_") {
		return g.Run.Owner(fqn)
	}
	return g.Whole().Owner(fqn)
}

// marks has somebody mark as failed what still runs then.
func (g *play) marks(track, fqn string, attempt int, try model.Try) {
	if try.Marked == 0 || try.Marked >= try.Takes {
		return
	}
	once := false
	g.After(int64(try.Marked)*1000, func() {
		if n := g.Track(track).Nodes[fqn]; !once && n != nil && n.Attempt == attempt {
			once = true // else who waits to be tried again would be failed again
			_ = g.Apply(track, core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &core.Intervened{
				Node: fqn, Action: core.InterruptMarkFailed, By: core.Actor{ID: "alice"}}}) // refused when it runs no more
		}
	})
}

func (g *play) work(t *engine.Task) (core.Completed, int64) {
	try := g.try(t.Node, t.Attempt)
	g.marks(g.track(t.Node), t.Node, t.Attempt, try)
	done := core.Completed{OK: try.Error == ""}
	if try.Error != "" {
		done.Failure = &core.Failure{Types: []string{failures[try.Error]}, Message: "no"}
	}
	return done, int64(try.Takes) * 1000
}

// held lets people answer. Of an approval, an intervention or an input that is begun
// again, after a fault of the platform's, they know already.
func (g *play) held(track string, h engine.Hold) bool {
	if !slices.Contains([]string{"Approval", "Intervene", "Input", "Wait"}, h.Kind) {
		return false
	}
	n := g.Track(track).Nodes[h.Node]
	attempt := n.Attempt
	key := fmt.Sprint(h.Kind, h.Node, attempt, h.Until)
	since, again := g.asked[key]
	if !again {
		since = g.Now
		g.asked[key] = since
		switch h.Kind {
		case "Intervene":
			g.asks[h.Node]++
		case "Approval", "Wait":
			g.marks(track, h.Node, attempt, g.try(h.Node, attempt))
		}
	}
	try := g.try(h.Node, attempt)
	switch h.Kind {
	case "Input":
		if try.Given > 0 {
			ev := core.Event{Type: core.EventGiven, Given: &core.Given{Node: h.Node, Values: map[string]string{}, By: core.Actor{ID: "alice"}}}
			for _, a := range g.Run.From(g.Track(track)).Node(h.Node).Asks {
				ev.Given.Values[a.Path] = "v"
			}
			g.answer(since, try.Given, h, track, ev, attempt)
		}
	case "Approval":
		action := "APPROVE"
		if try.Error == "Reject" {
			action = "REJECT"
		}
		g.answer(since, try.Takes, h, track, core.Event{Type: core.EventDecided, Decided: &core.Decided{
			Approval: n.Approval.ID, Action: action, By: core.Actor{ID: "alice", Groups: []string{"approvers"}}}}, attempt)
	case "Intervene":
		of, _ := g.of(h.Node)
		if g.asks[h.Node] <= len(of.Answers) {
			a := of.Answers[g.asks[h.Node]-1]
			g.answer(since, a.After, h, track, core.Event{Type: core.EventIntervened, Actor: "alice", Intervened: &core.Intervened{
				Node: h.Node, Action: core.ActionType(a.Action), By: core.Actor{ID: "alice"}}}, attempt)
		}
	}
	return h.Kind != "Wait"
}

// answer gives somebody's answer when its time has come, unless it is too late.
func (g *play) answer(since int64, after int, h engine.Hold, track string, ev core.Event, attempt int) {
	at := since + int64(after)*1000
	if at >= h.Until {
		return
	}
	g.After(at-g.Now, func() {
		if now := g.Track(track).Hold; now == nil || *now != h || g.Track(track).Nodes[h.Node].Attempt != attempt {
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
	r := g.Whole()
	seen := map[string]bool{}
	r.Walk(func(n *core.Node) {
		if n.Kind == core.KindPipeline || n.Kind == core.KindParallel {
			return
		}
		id := key(n.FQN)
		seen[id] = true
		got := g.World.Node(r, n.FQN)
		if got == nil {
			got = &engine.Node{}
		}
		rec := want.Nodes[id]
		if rec == nil {
			rec = &model.Record{}
		}
		if status := string(got.Status); !rec.Fits(status) {
			differ(id, "status", name(rec.Status), name(status))
		}
		if len(rec.Or) > 0 || rec.Status == model.Passed || rec.Status == model.Skipped || rec.Status == model.NotStarted {
			return
		}
		var starts []int
		for _, a := range got.Earlier {
			starts = append(starts, int(a.Started/1000))
		}
		starts = append(starts, int(got.Started/1000))
		if want := rec.Starts; want != nil && !slices.Equal(want, starts) {
			differ(id, "attempts begin", want, starts)
		} else if last := starts[len(starts)-1]; want == nil && rec.Start != last {
			differ(id, "start", rec.Start, last)
		}
		if end := int(got.Ended / 1000); end != rec.End {
			differ(id, "end", rec.End, end)
		}
	})
	for id, rec := range want.Nodes {
		if !seen[id] && !rec.Fits(model.NotStarted) {
			differ(id, "it", "there", "not there")
		}
	}
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
	r := g.Whole()
	r.Walk(func(n *core.Node) {
		if n.Kind == core.KindPipeline || n.Kind == core.KindParallel {
			return
		}
		m, e := want.Nodes[key(n.FQN)], g.World.Node(r, n.FQN)
		if m == nil {
			m = &model.Record{}
		}
		if e == nil {
			e = &engine.Node{}
		}
		fmt.Fprintf(&b, "%-18s model %-17s %6d–%-6d ×%d   engine %-17s %6d–%-6d ×%d\n", key(n.FQN), name(m.Status), m.Start, m.End, len(m.Starts),
			name(string(e.Status)), e.Started/1000, e.Ended/1000, e.Attempt)
	})
	fmt.Fprintf(&b, "run: model %s, engine %s\n", want.Status, g.Track("0").Status)
	return b.String()
}
