package engine

import (
	"cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

// Executing is which execution walks a track in its round.
type Executing struct {
	Generation int   `json:"generation"`
	Continued  int   `json:"continued,omitempty"`
	Since      int64 `json:"since,omitempty"` // Transitions when it began
}

// eventsPerState is how many events a state adds to a history at most: a Task with a
// token has Entered, Scheduled, Started, Submitted, Succeeded and Exited.
const eventsPerState = 6

// executing is which execution walks the track.
func (t *Track) executing() Executing {
	if t.Execution == nil {
		return Executing{Generation: 1}
	}
	return *t.Execution
}

// walkedBy notes the execution that has come to a segment.
func (w *walk) walkedBy(e core.Entered) {
	at := w.t.executing()
	if e.Generation > at.Generation || e.Generation == at.Generation && e.Continued > at.Continued {
		w.t.Execution = &Executing{Generation: e.Generation, Continued: e.Continued, Since: w.t.Transitions}
	}
}

// Over is where the machine of an execution goes that another goes on in place of, nil
// when it is the track's.
func (r *Run) Over(t *Track, x core.ExecutionID) *core.Route {
	at := t.executing()
	if x.Round != t.Round || x.Generation > at.Generation || x.Generation == at.Generation && x.Continued >= at.Continued {
		return nil
	}
	return r.departure(t)
}

// departure is how an execution ends in whose place another goes on: a stage's tells the
// pipeline's machine to run that one.
func (r *Run) departure(t *Track) *core.Route {
	switch {
	case core.ParentTrack(t.ID) == "":
		return &core.Route{Kind: kindDone}
	case !r.Serial(t.ID):
		return &core.Route{Kind: kindLeave}
	}
	return &core.Route{Kind: kindLeave, Then: &core.Route{Kind: kindRunStage, Segment: t.Segment.N, Track: t.ID, Name: r.executionOf(t)}}
}

// executionOf is the name of the execution that walks the track.
func (r *Run) executionOf(t *Track) string {
	at := t.executing()
	return core.ExecutionID{Round: t.Round, Generation: at.Generation, Continued: at.Continued}.Name(r.Launch.Run, t.ID)
}

// atEdge reports whether the execution has grown so long that another has to go on.
func (w *walk) atEdge() bool {
	edge := cmp.Or(int64(w.run.Launch.Edge), core.HistoryEdge)
	return (w.t.Transitions-w.t.executing().Since)*eventsPerState >= edge
}

// another makes the next execution the track's.
func (w *walk) another() {
	at := w.t.executing()
	w.t.Execution = &Executing{Generation: at.Generation, Continued: at.Continued + 1, Since: w.t.Transitions}
}

// continueElsewhere has another execution go on at the segment that the outcome leads to,
// when this one has grown too long: where the machine is free to go anywhere.
func (w *walk) continueElsewhere(s Segment) bool {
	if !w.atEdge() || s.Outcome.Kind == kindLeave || s.Outcome.Kind == kindDone || !w.isPipeline() && s.Kind != kindWork {
		return false
	}
	w.another()
	first := s.Outcome
	if !w.isPipeline() {
		first = &core.Route{Kind: kindWork, Segment: s.Outcome.Segment}
	}
	if !w.run.Serial(w.t.ID) {
		w.do(core.Command{Do: core.DoStart, Machine: machine(w.root), Track: w.t.ID, Name: w.run.executionOf(w.t), Route: first})
	}
	away := w.run.departure(w.t)
	if away.Then != nil {
		away.Then.Segment = s.Outcome.Segment
	}
	w.do(core.Command{Do: core.DoFinish, Token: s.Token, Route: away})
	return true
}

// continuePipeline has another execution of the pipeline's machine go on with the route
// behind a stage that has ended; the one that ran the stage is done.
func (w *walk) continuePipeline(r core.Route) {
	if w.ev.Type != core.EventChild || r.Kind == kindDone || !w.atEdge() || !w.run.Serial(w.ev.Child.Track) {
		return
	}
	w.another()
	w.t.Children[w.ev.Child.Track].Then = &core.Route{Kind: kindDone}
	w.do(core.Command{Do: core.DoStart, Machine: core.MachinePipeline, Track: w.t.ID, Name: w.run.executionOf(w.t), Route: w.t.Route})
}
