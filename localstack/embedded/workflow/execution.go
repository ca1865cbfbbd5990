package workflow

import (
	"sync"
	"sync/atomic"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
)

// execution is a running execution in memory.
type execution struct {
	key     string
	machine *asl.Machine
	fam     *family
	input   any // decoded

	// saved is the record as it is on the disk, nil until the first step is there.
	saved atomic.Pointer[record]
	// attempt is the seq of the attempt now standing, read without the lock.
	attempt atomic.Uint64
	// beaten is when the token's heartbeat was last renewed, ms.
	beaten atomic.Int64

	// The rest is guarded by fam.mu.
	at    asl.At
	task  *asl.Task
	stops []func() // the attempt's timers
	pulse func()   // the heartbeat's timer, nil when there is none
	end   func()   // the machine's time-out, nil when it has none
}

// family is the lock of an execution and all that it waits for. As a machine
// waits for one child at a time, at most one of them can be answered anyway.
type family struct {
	mu sync.Mutex
	// suspects are keys of executions that a failed Save may have left behind. The
	// next Save removes them.
	suspects []string
}

func (x *execution) stopTimers() {
	for _, stop := range x.stops {
		stop()
	}
	x.stops = nil
	if x.pulse != nil {
		x.pulse()
		x.pulse = nil
	}
}

// register holds the running executions by key.
type register struct {
	mu  sync.RWMutex
	all map[string]*execution
}

func (r *register) get(key string) *execution {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[key]
}

// add registers x unless its key is taken; then it returns who has it.
func (r *register) add(x *execution) *execution {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.all[x.key]; other != nil {
		return other
	}
	r.all[x.key] = x
	return nil
}

func (r *register) remove(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, key)
}

func (r *register) list() []*execution {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]*execution, 0, len(r.all))
	for _, x := range r.all {
		out = append(out, x)
	}
	return out
}
