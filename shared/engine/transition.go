package engine

import "github.com/slipway-cd/slipway/shared/core"

// passed is how many states the track's machine enters because of the event: what
// Step Functions bills as transitions, retries of a state included. It follows from
// the tokens and routes alone, so that the sum in Track.Transitions is as sure as the
// track itself; path tests compare it with what the interpreter really entered.
//
// A Task state (Work, a hold, Recover) shows itself by its event, whatever stands
// between two of them by the route that leads there.
func (w *walk) passed(before Segment, route *core.Route) int64 {
	n := int64(0)
	finished, continued := false, false
	for _, c := range w.cmds {
		if c.Do == core.DoStart && c.Track == w.t.ID && w.t.Execution != nil && w.isPipeline() {
			continued = true // the new one, at Route
			n += 1 + last(c.Route)
		}
		if c.Do == core.DoFinish {
			kind := before.Kind
			if before.Closed { // out of a hold that ended the track, or run again
				kind = kindWork
			}
			n += w.leaves(kind, c.Route)
			if c.Route.Kind == kindLeave && c.Route.Then != nil { // the pipeline's, which is not told
				n += 2
			}
			finished = true
		}
	}
	switch w.ev.Type {
	case core.EventEntered:
		e := w.ev.Entered
		if before.At != 0 && before.At == e.At { // the same state, invoked again
			return n + int64(e.Retry-before.Retry)
		}
		return n + 1 + int64(e.Retry)
	case core.EventRecovered:
		if before.Kind == kindRollback { // which showed itself by nothing else
			n++
		}
		if w.ev.Recovered.Error == TurnRound { // straight to Work
			return n
		}
		if w.ev.Recovered.Error != reconciled {
			return n + 2 + last(w.t.Route) // Recover, Route
		}
		if w.isPipeline() { // a new execution begins at Route, the others' at Work
			return n + 1 + last(w.t.Route)
		}
		return n
	case core.EventStarted:
		return n + 1 + last(w.t.Route)
	default:
		if w.isPipeline() && !finished && continued {
			return n + 2 // the old one, out of RunStage: Route, Done
		}
		if w.isPipeline() && !finished && w.t.Route != route {
			n += 1 + last(w.t.Route) // out of RunStage
		}
		return n
	}
}

// reconciled is the error of a Recovered that comes from no machine's Recover
// (dispatch.Reconcile).
const reconciled = "Slipway.Reconcile"

// leaves is what a machine passes on its way from a segment of this kind, whose
// token was finished with the route, to the next Task state.
func (w *walk) leaves(kind string, r *core.Route) int64 {
	switch {
	case w.isPipeline(), kind == kindWork, kind == "":
		return 1 + last(r)
	case r.Kind == kind: // an execution in place of a failed one, from its Work to the hold
		return 1
	default: // a hold leads to Work, which shows itself
		return 0
	}
}

// last is 1 for a route to a state that sends the engine no event of its own.
func last(r *core.Route) int64 {
	if r != nil && (r.Kind == kindRunStage || r.Kind == kindDone || r.Kind == kindLeave) {
		return 1
	}
	return 0
}
