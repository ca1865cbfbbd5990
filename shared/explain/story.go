// Package explain tells why a node of a run stands as it does: the chain of what decided
// it, each link with its place in a file. It asks the engine, which decides the recorded
// events once more and says what it decides; nothing is guessed.
package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
)

// Of is what a link of the chain is about.
type Of string

// What links are about, in the order in which they decide.
const (
	OfTrigger   Of = "trigger"   // who or what started the run
	OfInput     Of = "input"     // a runtime input that the node reads, and where its value is from
	OfCondition Of = "condition" // whether the node runs, or one around it
	OfDelegate  Of = "delegate"  // who took its task and why
	OfRun       Of = "run"       // a run of another pipeline that a stage has started
	OfFailure   Of = "failure"   // that it failed, or that one before it did
	OfStrategy  Of = "strategy"  // a failure strategy that was asked
	OfAction    Of = "action"    // what was done about the failure
	OfPerson    Of = "person"    // what somebody said
	OfWaiting   Of = "waiting"   // what it waits for
	OfEnd       Of = "end"       // how it stands
)

// Link is one link of the chain.
type Link struct {
	Of     Of      `json:"of"`
	Text   string  `json:"text"`
	Pos    string  `json:"pos,omitempty"` // file:line:column
	At     int64   `json:"at,omitempty"`  // ms
	Values []Value `json:"values,omitempty"`
}

// Value is what a condition read.
type Value struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// Answer is why a node stands as it does.
type Answer struct {
	Run    string `json:"run"`
	Node   string `json:"node"` // its path, without spec.execution; "" for the run
	Kind   string `json:"kind"`
	Type   string `json:"type,omitempty"`
	Status string `json:"status"` // as REST spells it
	Links  []Link `json:"links"`
}

// Story is a run with all that was decided in it.
type Story struct {
	plan    *engine.Run // without iterations
	run     *engine.Run // with those that there are by now
	grown   bool        // since run was made
	tracks  map[string]*engine.Track
	events  map[string][]core.Event
	decided map[string][]moment // by FQN
}

// moment is a decision with the event it was taken on.
type moment struct {
	engine.Decision
	at int64
	n  int64
}

// New returns an empty story of a run, for Add.
func New(run *engine.Run) *Story {
	return &Story{plan: run, run: run, tracks: map[string]*engine.Track{}, events: map[string][]core.Event{}, decided: map[string][]moment{}}
}

// Add adds the next event of a track. Its facts are whole: as the engine used them.
func (s *Story) Add(track string, ev core.Event) error {
	t := s.track(track)
	res, decisions, err := engine.Trace(s.plan, t, ev, ev.Facts)
	if err != nil {
		return fault.New(fault.Internal, "event %d of track %s cannot be decided again: %w", ev.N, track, err)
	}
	s.tracks[track] = res.Track
	s.grown = s.grown || len(res.Track.Loops) > 0
	s.events[track] = append(s.events[track], ev)
	for _, d := range decisions {
		s.decided[d.Node] = append(s.decided[d.Node], moment{d, ev.At, ev.N})
	}
	return nil
}

// Recorded is the story of a recorded run.
func Recorded(rec *replay.Recording) (*Story, error) {
	s := New(engine.NewRun(rec.Launch))
	for id, steps := range rec.Tracks {
		for _, step := range steps {
			ev := step.Event
			var err error
			if ev.Facts, err = rec.Facts(ev); err != nil {
				return nil, err
			}
			if err = s.Add(id, ev); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Why tells why the node with that FQN stands as it does.
func (s *Story) Why(fqn string) (Answer, error) {
	n := s.node(fqn)
	if n == nil {
		return Answer{}, fault.New(fault.NotFound, "run %s has no node %q", s.run.Launch.Run, fqn)
	}
	a := Answer{Run: s.run.Launch.Run, Kind: string(n.Kind), Type: n.Type, Status: s.status(n).API()}
	if n.Kind != core.KindPipeline {
		a.Node = Path(n.FQN)
	}
	a.Links = append(a.Links, s.trigger())
	a.Links = append(a.Links, s.inputs(n)...)
	a.Links = append(a.Links, s.above(n)...)
	a.Links = append(a.Links, s.happened(n)...)
	a.Links = append(a.Links, s.standing(n)...)
	return a, nil
}

// Short is why a node stands as it does in a line: what decided, last of all. It is
// empty where nothing out of the ordinary did.
func (s *Story) Short(fqn string) (text, pos string) {
	n := s.node(fqn)
	if n == nil {
		return "", ""
	}
	failed := ""
	for _, l := range append(s.above(n), append(s.happened(n), s.standing(n)...)...) {
		switch {
		case l.Of == OfFailure:
			failed, text, pos = l.Text, l.Text, l.Pos
		case l.Of == OfDelegate, l.Of == OfRun, l.Of == OfEnd && l.At > 0, l.Of == OfCondition && strings.Contains(l.Text, runs):
		case failed != "":
			text, pos = failed+"; "+l.Text, cmp.Or(l.Pos, pos)
		default:
			text, pos = l.Text, l.Pos
		}
	}
	return text, pos
}

// node finds a node, in the iterations of loops too.
func (s *Story) node(fqn string) *core.Node {
	if s.grown {
		whole, _, err := engine.World{Track: func(id string) (*engine.Track, error) { return s.track(id), nil }}.Whole(s.plan)
		if err == nil {
			s.run, s.grown = whole, false
		}
	}
	return s.run.Node(fqn)
}

// walk visits a node and what is in it, of a loop its iterations.
func (s *Story) walk(n *core.Node, f func(*core.Node)) {
	f(n)
	children := s.run.Children(n)
	for _, c := range children {
		s.walk(c, f)
	}
	if n.Loop == nil {
		for _, c := range n.Rollback {
			s.walk(c, f)
		}
	}
}

// Path is a node's FQN as people write it: without spec.execution.
func Path(fqn string) string {
	return strings.ReplaceAll(strings.TrimPrefix(fqn, "pipeline."), ".spec.execution.", ".")
}

func (s *Story) track(id string) *engine.Track {
	if t := s.tracks[id]; t != nil {
		return t
	}
	return &engine.Track{ID: id}
}

// state is how a node stands, nil when it has not begun: in its own track, or in the
// track above when it was not let in.
func (s *Story) state(n *core.Node) *engine.Node {
	t := s.track(s.run.Owner(n.FQN))
	if n.Track != "" && t.Status == core.NotStarted {
		if o := s.track(core.ParentTrack(n.Track)).Nodes[n.FQN]; o != nil && o.Status.Terminal() {
			return o
		}
		return nil
	}
	if n.Kind == core.KindPipeline || n.Kind == core.KindStage && (n.Chain == nil || t.Nodes[n.FQN] == nil) {
		return &engine.Node{Status: t.Status, Started: t.Started, Ended: t.Ended, Failure: t.Failure}
	}
	return t.Nodes[n.FQN]
}

func (s *Story) status(n *core.Node) core.Status {
	if o := s.state(n); o != nil {
		return o.Status
	}
	return core.NotStarted
}

// trigger is the first link.
func (s *Story) trigger() Link {
	l := s.run.Launch
	by := cmp.Or(l.Started.By.Name, l.Started.By.ID)
	if p := l.Parent; p != nil {
		by = fmt.Sprintf("stage %s of run %s for %s: slipway why %s %s", p.Stage, p.Run, by, p.Run, Path(p.Node))
	}
	return Link{Of: OfTrigger, At: l.At, Pos: place(l.Plan.Root.Pos),
		Text: fmt.Sprintf("run %d of %s, started by %s (%s)", l.Started.Sequence, l.Plan.Identifier, by, l.Started.Trigger)}
}

func place(p core.Position) string {
	if p.Line == 0 {
		return ""
	}
	return p.String()
}

// name is a node in a sentence.
func name(n *core.Node) string { return string(n.Kind) + " " + Path(n.FQN) }
