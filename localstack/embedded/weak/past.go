package weak

import (
	"bytes"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
)

// past remembers for a number of calls how items were before they were changed.
type past struct {
	mu    sync.Mutex
	calls int
	was   map[core.Key][]state // oldest first
}

type state struct {
	item  *core.Item // nil when there was none
	until int        // shown up to this call
}

func (p *past) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	for key, states := range p.was {
		for len(states) > 0 && states[0].until < p.calls {
			states = states[1:]
		}
		if p.was[key] = states; len(states) == 0 {
			delete(p.was, key)
		}
	}
}

// remember hides a change for some calls, and for as long as an earlier change of
// the same item is hidden: nobody sees them in the wrong order.
func (p *past) remember(key core.Key, before *core.Item, calls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.was[key] = append(p.was[key], state{before, p.calls + calls})
}

// view returns the items that are shown otherwise than they are, nil for those
// that are not shown.
func (p *past) view() map[core.Key]*core.Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	view := make(map[core.Key]*core.Item, len(p.was))
	for key, states := range p.was {
		view[key] = states[0].item
	}
	return view
}

func clone(it core.Item) core.Item {
	it.Body = bytes.Clone(it.Body)
	return it
}
