package parity

import "github.com/slipway-cd/slipway/shared/core"

// holds follows a track's machine through its segments, to tell which events are
// those of one hold.
type holds struct {
	pipeline bool
	kinds    map[int]string // of segments, as far as commands have said
	arrived  bool           // the machine stands at the hold under way
}

// next takes the track's next event. independent says that its place among its
// neighbours means nothing; last, that what follows is ordered behind it.
func (h *holds) next(ev core.Event) (independent, last bool) {
	defer h.learn(ev)
	switch ev.Type {
	case core.EventEntered:
		if !h.holding(ev.Entered.Segment) {
			h.arrived = false
			return false, true
		}
		h.arrived = true
		return true, false
	case core.EventChild, core.EventChained, core.EventDecided, core.EventIntervened:
		// The end of the last child may begin the next parallel at once; one that lets the
		// next iteration of a loop begin is one of many.
		return true, h.arrived && begins(ev) && leaves(ev)
	default:
		h.arrived = false
		return false, true
	}
}

// holding reports whether the segment is one of a hold. The pipeline's machine
// has a token only while it holds.
func (h *holds) holding(segment int) bool {
	if h.pipeline {
		return true
	}
	kind := h.kinds[segment]
	return kind != "" && kind != "Work"
}

// learn remembers where the machine is sent.
func (h *holds) learn(ev core.Event) {
	for _, c := range ev.Commands {
		if c.Do == core.DoFinish && c.Route != nil {
			h.kinds[c.Route.Segment] = c.Route.Kind
		}
	}
	// A machine that waited for children in vain is sent back to wait: they are
	// being stopped.
	if r := ev.Recovered; r != nil && waiting(h.kinds[r.Segment]) {
		h.kinds[r.Segment+1] = h.kinds[r.Segment]
	}
}

// waiting reports whether a state is one that waits for children: a pipeline that a stage
// runs is one.
func waiting(kind string) bool { return kind == "Branches" || kind == "Stages" || kind == "Child" }

func begins(ev core.Event) bool { return does(ev, core.DoStart) }

func leaves(ev core.Event) bool { return does(ev, core.DoFinish) }

func does(ev core.Event, what core.CommandKind) bool {
	for _, c := range ev.Commands {
		if c.Do == what {
			return true
		}
	}
	return false
}
