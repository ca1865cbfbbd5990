// Package follow turns what a platform answers about a run, asked again and again,
// into what happened since: nodes that started and ended, lines logged, approvals
// asked for; each once and in order.
package follow

import (
	"context"
	"slices"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Kind says what an event is.
type Kind string

// Event kinds.
const (
	Started Kind = "start"        // Node has started
	Ended   Kind = "end"          // Node has ended; all its lines came before
	Logged  Kind = "log"          // Node has logged Line
	Asked   Kind = "approval"     // Node waits for Approval
	Wants   Kind = "input"        // Node waits for values
	Failed  Kind = "intervention" // Node has failed and waits for a person to say what now
)

// Event is one thing that happened. Node is how the node stood when asked last.
type Event struct {
	Kind     Kind
	Node     view.Node
	Line     wire.LogLine
	Approval view.Approval
	Run      string // the one that the node is of
	In       string // FQN of the stage that has started that run; "" of the run that is followed
}

// Source answers; client.Client is one.
type Source interface {
	Run(ctx context.Context, id string) (view.Run, error)
	Logs(ctx context.Context, run, task string, after int) (client.Logs, error)
}

// Follower remembers what it has told. It is not safe for concurrent use.
type Follower struct {
	source  Source
	run     string
	told    map[string]*told     // by FQN
	asked   map[string]bool      // by approval
	chained map[string]*Follower // of the runs that stages have started
	over    bool                 // of one of those: it has ended, and all is told
}

type told struct {
	started, ended bool
	failed         int    // the attempt that a person was last asked about
	wants          int    // the attempt that input was last asked for
	task           string // whose log is being read
	after          int
}

// New follows a run from its beginning.
func New(s Source, run string) *Follower {
	return &Follower{source: s, run: run, told: map[string]*told{}, asked: map[string]bool{}, chained: map[string]*Follower{}}
}

// Poll asks once and emits what happened since the last call. After an error the
// next call goes on where this one stopped. When the run returned has ended,
// everything has been told.
func (f *Follower) Poll(ctx context.Context, emit func(Event)) (view.Run, error) {
	run, err := f.source.Run(ctx, f.run)
	if err != nil {
		return run, err
	}
	for _, e := range f.happened(run.Nodes) {
		if err := f.tell(ctx, e, emit); err != nil {
			return run, err
		}
	}
	for _, n := range run.Nodes {
		if t := f.told[n.FQN]; t != nil && t.started && !t.ended {
			if err := f.logs(ctx, n, t, false, emit); err != nil {
				return run, err
			}
			if err := f.chains(ctx, n, emit); err != nil {
				return run, err
			}
		}
	}
	for _, n := range run.Nodes {
		if t := f.told[n.FQN]; len(n.Allowed) > 0 && t.failed != n.Attempt {
			t.failed = n.Attempt
			emit(Event{Kind: Failed, Node: n, Run: f.run})
		} else if len(n.Asks) > 0 && t.wants != n.Attempt {
			t.wants = n.Attempt
			emit(Event{Kind: Wants, Node: n, Run: f.run})
		}
	}
	for _, a := range run.Approvals {
		if a.Approval.Status == "WAITING" && !f.asked[a.ID] {
			f.asked[a.ID] = true
			emit(Event{Kind: Asked, Node: find(run.Nodes, a.Node), Approval: a, Run: f.run})
		}
	}
	return run, nil
}

// happened lists starts and ends not told yet, by time.
func (f *Follower) happened(nodes []view.Node) []change {
	var news []change
	for _, c := range tour(nodes) {
		t := f.told[c.node.FQN]
		if t == nil {
			t = &told{}
			f.told[c.node.FQN] = t
		}
		if c.at != 0 && c.node.Kind != core.KindParallel && (c.end && !t.ended || !c.end && !t.started) {
			news = append(news, c)
		}
	}
	slices.SortStableFunc(news, func(a, b change) int { return int(a.at - b.at) })
	return news
}

func (f *Follower) tell(ctx context.Context, c change, emit func(Event)) error {
	t := f.told[c.node.FQN]
	if !c.end {
		t.started = true
		emit(Event{Kind: Started, Node: c.node, Run: f.run})
		return nil
	}
	if err := f.logs(ctx, c.node, t, true, emit); err != nil {
		return err
	}
	if err := f.chains(ctx, c.node, emit); err != nil {
		return err
	}
	t.ended = true
	emit(Event{Kind: Ended, Node: c.node, Run: f.run})
	return nil
}

// logs emits a node's new lines; all there are, or those of one answer.
func (f *Follower) logs(ctx context.Context, n view.Node, t *told, all bool, emit func(Event)) error {
	if n.Task == "" {
		return nil
	}
	if n.Task != t.task { // the first, or another attempt
		t.task, t.after = n.Task, 0
	}
	for {
		page, err := f.source.Logs(ctx, f.run, t.task, t.after)
		if err != nil {
			return err
		}
		for _, line := range page.Lines {
			emit(Event{Kind: Logged, Node: n, Line: line, Run: f.run})
		}
		if page.Next == t.after || !all {
			t.after = page.Next
			return nil
		}
		t.after = page.Next
	}
}

func find(nodes []view.Node, fqn string) view.Node {
	i := slices.IndexFunc(nodes, func(n view.Node) bool { return n.FQN == fqn })
	if i < 0 {
		return view.Node{FQN: fqn}
	}
	return nodes[i]
}
