package dispatch

import "github.com/slipway-cd/slipway/shared/core"

// sighting is when this process last heard from a delegate.
type sighting struct {
	core.DelegateRef
	at    int64 // ms
	yield bool  // or serves less than the account: whether a task is for it is not known here
}

// note remembers that the delegate has called.
func (d *Dispatch) note(s *syncing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[s.me.ID] = sighting{s.me, s.now, s.req.Yield || s.scope.Org != ""}
}

// yields reports whether the delegate leaves the task to another one that calls
// regularly and can take it. Only a platform in one process has delegates that
// yield, so what this process has heard is all there is.
func (s *syncing) yields(t core.QueuedTask) bool {
	if !s.req.Yield {
		return false
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	for id, o := range s.d.seen {
		fresh := s.now-o.at <= 3*s.d.pace.Idle.Milliseconds()
		if id != s.me.ID && fresh && !o.yield && o.Serves(t.Selectors) {
			return true
		}
	}
	return false
}
