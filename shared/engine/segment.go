package engine

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
)

// Kinds of routes, which are names of states. Holds are named by what is waited for.
const (
	kindWork      = "Work"
	kindLeave     = "Leave"
	kindDone      = "Done"
	kindRunStage  = "RunStage"
	kindApproval  = "Approval"
	kindWait      = "Wait"
	kindBackOff   = "BackOff"
	kindIntervene = "Intervene"
	kindInput     = "Input"
	kindBranches  = "Branches"
	kindStages    = "Stages"
	kindRollback  = "Rollback"
	kindLock      = "Lock"
	kindChild     = "Child"
	kindPause     = "Pause"
)

// entered stores a segment's token and goes on with the walk when it was waiting
// for exactly that (DESIGN §3, Tokens).
func (w *walk) entered(e core.Entered) error {
	switch {
	case e.Round.N < w.t.Round.N: // of a walk that is over
		w.do(core.Command{Do: core.DoFinish, Token: e.Token, Route: &core.Route{Kind: kindLeave}})
		return nil
	case e.Round.N > w.t.Round.N:
		if err := w.renewTrack(e.Round); err != nil {
			return err
		}
	}
	if x := (core.ExecutionID{Round: e.Round, Generation: max(1, e.Generation), Continued: e.Continued}); w.run.Over(w.t, x) != nil {
		w.do(core.Command{Do: core.DoFinish, Token: e.Token, Route: w.run.Over(w.t, x)})
		return nil
	}
	w.walkedBy(e)
	s := &w.t.Segment
	if s.N == 0 { // the first segment of the track
		s.N, s.Kind = 1, kindWork
	}
	if s.Closed && (e.Segment == 0 || e.Segment > s.N) && e.Token != s.Token { // run again, or out of a hold that ended the track
		w.do(core.Command{Do: core.DoFinish, Token: e.Token, Route: w.t.Route})
		s.Token = e.Token
		return nil
	}
	if e.Segment != 0 && e.Segment != s.N || s.Closed {
		return errIgnored // of a segment that is over
	}
	if s.Token == e.Token || s.Token != "" && !newer(e, *s) {
		return errIgnored
	}
	s.Token, s.At, s.Retry = e.Token, e.At, e.Retry
	if s.Outcome != nil {
		w.settle()
		return nil
	}
	if s.Kind != kindWork {
		if e.State == kindWork { // a new execution begins there: the hold is further on
			w.t.Segment.Token = ""
			w.do(core.Command{Do: core.DoFinish, Token: e.Token,
				Route: &core.Route{Kind: s.Kind, Segment: s.N, TimeoutSeconds: w.holdLeft()}})
		}
		return nil
	}
	if w.t.Status == core.NotStarted {
		w.t.Round = e.Round
		w.beginTrack()
		if !e.Round.Rollback {
			if ended, err := w.arrives(); ended || err != nil {
				return err
			}
		}
		if w.askStage() {
			return nil
		}
	}
	if w.t.Task != nil || w.t.Hold != nil {
		return nil // a second token for a walk that is under way
	}
	return w.walk()
}

// newer reports whether the token e brings stands over the one stored.
func newer(e core.Entered, s Segment) bool {
	if e.At != s.At {
		return e.At > s.At
	}
	return e.Retry > s.Retry
}

// outcome decides where the machine goes when it leaves the current segment.
func (w *walk) outcome(r core.Route) {
	if w.t.Segment.N == 0 && !w.isPipeline() {
		w.t.Segment.N, w.t.Segment.Kind = 1, kindWork // ended before its machine arrived
	}
	r.Segment = w.t.Segment.N + 1
	w.t.Route = &r
	if w.isPipeline() && w.t.Segment.Kind == "" {
		w.continuePipeline(r)
		// The pipeline's machine is not at a token: it takes Route from its start or
		// from the stage it runs.
		if r.Kind == kindStages || r.Kind == kindPause {
			w.t.Segment = Segment{N: r.Segment, Kind: r.Kind}
		}
		return
	}
	w.t.Segment.Outcome = &r
	w.settle()
}

// settle finishes the segment once it has both a token and an outcome, and
// begins the next.
func (w *walk) settle() {
	s := w.t.Segment
	if s.Token == "" || s.Outcome == nil {
		return
	}
	if !w.continueElsewhere(s) {
		w.do(core.Command{Do: core.DoFinish, Token: s.Token, Route: s.Outcome})
	}
	w.advance()
}

// advance begins the segment that the outcome leads to.
func (w *walk) advance() {
	s := w.t.Segment
	next := Segment{N: s.Outcome.Segment, Kind: s.Outcome.Kind}
	switch next.Kind {
	case kindLeave, kindDone:
		next = s
		next.Closed = true
	case kindRunStage:
		next = Segment{N: s.N} // at no token until the pipeline holds again
	}
	w.t.Segment = next
}

// hold ends the Work segment: the machine waits in the state kind for at most ms.
func (w *walk) hold(h Hold, ms int64) {
	h.Until = w.ev.At + ms
	w.t.Hold = &h
	w.outcome(core.Route{Kind: h.Kind, TimeoutSeconds: max(1, (ms+999)/1000)})
}

// holdLeft is how long the machine may still wait, in seconds.
func (w *walk) holdLeft() int64 {
	if h := w.t.Hold; h != nil && h.Until > 0 && w.t.Stopping == "" {
		return max(1, (h.Until-w.ev.At+999)/1000)
	}
	return w.remaining()
}

// release ends a hold: back to Work.
func (w *walk) release() { w.outcome(core.Route{Kind: kindWork}) }

// recovered answers a machine that caught an error at a segment. The answer is
// Track.Route: the outcome of that segment when it has one by now, or a decision
// taken here. The token is dead either way.
func (w *walk) recovered(e core.Recovered) error {
	if e.Round.N < w.t.Round.N {
		return errIgnored // its machine is sent away
	}
	if e.Round.N > w.t.Round.N {
		if err := w.renewTrack(e.Round); err != nil {
			return err
		}
	}
	s := w.t.Segment
	if s.Closed {
		return errIgnored // it was told to leave before; Route still says so
	}
	if e.Segment != 0 && e.Segment < s.N {
		return w.recoverLate()
	}
	if w.isPipeline() && s.Kind == "" {
		return w.rerunStage()
	}
	w.t.Segment.Token = ""
	if s.Outcome != nil {
		w.advance()
		return nil
	}
	if s.Kind == kindRollback { // the machine shows that it turns round; that is all it does there
		w.release()
		w.advance()
		return nil
	}
	if err := w.lost(e); err != nil {
		return err
	}
	if w.t.Segment.Outcome == nil { // nothing decided: the machine takes a new token
		w.outcome(core.Route{Kind: w.t.Segment.Kind, TimeoutSeconds: w.holdLeft()})
	}
	w.advance()
	return nil
}

// recoverLate answers for a segment whose outcome was decided while its token
// died: Route, unless the segment it leads to has been decided by now as well.
func (w *walk) recoverLate() error {
	if w.t.Segment.Outcome == nil {
		return errIgnored
	}
	w.advance()
	return nil
}

// lost decides what a dead segment means for what it was waiting for.
func (w *walk) lost(e core.Recovered) error {
	switch {
	case w.t.Hold != nil:
		return w.holdTimedOut(e)
	case w.t.Task == nil:
		if w.t.Status == core.NotStarted {
			w.t.Segment.N, w.t.Segment.Kind = 1, kindWork
		}
		return nil
	case w.t.Task.Delegate != nil && e.Lease == "lost":
		return w.taskLost("DELEGATE_RESTART",
			fmt.Sprintf("delegate %s stopped reporting while it ran this step", w.t.Task.Delegate.Name))
	case w.t.Task.Delegate == nil && !e.Eligible:
		return w.taskLost("DELEGATE_PROVISIONING", w.noDelegate())
	}
	return nil
}
