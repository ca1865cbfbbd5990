package contract

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Firing is one invocation that a schedule has made.
type Firing struct {
	Function string
	Payload  json.RawMessage
	At       time.Time // by the schedule's clock
}

// Schedule tests an adapter of core.Schedule. now is the schedule's clock, which
// goes on by itself; fired returns the invocations so far, others' included.
func Schedule(t *testing.T, open func(t *testing.T) (s core.Schedule, now func() time.Time, fired func() []Firing)) {
	tests := map[string]func(*testing.T, schedule){
		"a timer fires, not before its time": scheduleFires,
		"a timer in the past fires":          schedulePast,
		"a timer is moved":                   scheduleMoves,
		"a timer is canceled":                scheduleCancels,
		"malformed timers are refused":       scheduleRefusals,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, now, fired := open(t)
			test(t, schedule{s, t, now, fired})
		})
	}
}

type schedule struct {
	core.Schedule
	t     *testing.T
	now   func() time.Time
	fired func() []Firing
}

const (
	soon      = time.Second // long enough for a call to happen before it
	precision = time.Minute // how late AWS may fire
)

func (s schedule) set(name string, in time.Duration, payload string) (at time.Time) {
	s.t.Helper()
	at = s.now().Add(in)
	timer := core.Timer{Name: name, At: at, Function: "contract", Payload: json.RawMessage(payload)}
	if err := try(func() error { return s.Set(s.t.Context(), timer) }); err != nil {
		s.t.Fatal(err)
	}
	return at
}

func (s schedule) await(payload string) (f Firing) {
	s.t.Helper()
	within(s.t, precision+patience, "timer "+payload, func() (ok bool) { f, ok = s.find(payload); return ok })
	return f
}

func (s schedule) find(payload string) (Firing, bool) {
	for _, f := range s.fired() {
		if string(f.Payload) == payload {
			return f, true
		}
	}
	return Firing{}, false
}

func payload() string { return `{"is":"` + unique("timer") + `"}` }

// name makes a timer's name: at most 64 characters.
func timerName() string { return unique("contract.timer_") }

func scheduleFires(t *testing.T, s schedule) {
	p := payload()
	at := s.set(timerName(), soon, p)
	f := s.await(p)
	if f.Function != "contract" {
		t.Errorf("function %q was invoked", f.Function)
	}
	if f.At.Before(at.Truncate(time.Second)) {
		t.Errorf("fired at %s, set for %s", f.At, at)
	}
}

func schedulePast(_ *testing.T, s schedule) {
	p := payload()
	s.set(timerName(), -time.Hour, p)
	s.await(p)
}

func scheduleMoves(t *testing.T, s schedule) {
	name, old, p, last := timerName(), payload(), payload(), payload()
	s.set(name, soon, old)
	at := s.set(name, 2*soon, p)
	if f := s.await(p); f.At.Before(at.Truncate(time.Second)) {
		t.Errorf("fired at %s, moved to %s", f.At, at)
	}
	if _, ok := s.find(old); ok {
		t.Error("it fired at its old time as well")
	}
	s.set(name, soon, last)
	s.await(last)
}

func scheduleCancels(t *testing.T, s schedule) {
	name, p, later := timerName(), payload(), payload()
	cancel := func(name string) {
		t.Helper()
		if err := try(func() error { return s.Cancel(t.Context(), name) }); err != nil {
			t.Error(err)
		}
	}
	cancel(timerName())
	s.set(name, soon, p)
	cancel(name)
	cancel(name)
	s.set(timerName(), 2*soon, later)
	s.await(later)
	if _, ok := s.find(p); ok {
		t.Error("a canceled timer fired")
	}
}

func scheduleRefusals(t *testing.T, s schedule) {
	good := core.Timer{Name: timerName(), At: s.now().Add(time.Hour), Function: "contract", Payload: json.RawMessage(`{}`)}
	tests := map[string]func(*core.Timer){
		"no name":             func(t *core.Timer) { t.Name = "" },
		"a name with a slash": func(t *core.Timer) { t.Name = "a/b" },
		"65 characters":       func(t *core.Timer) { t.Name = strings.Repeat("x", 65) },
		"no function":         func(t *core.Timer) { t.Function = "" },
		"payload is not JSON": func(t *core.Timer) { t.Payload = json.RawMessage(`{`) },
	}
	for name, spoil := range tests {
		bad := good
		spoil(&bad)
		wantKind(t, name, try(func() error { return s.Set(t.Context(), bad) }), fault.Invalid)
	}
	good.Name = good.Name + strings.Repeat("x", 64-len(good.Name))
	if err := try(func() error { return s.Set(t.Context(), good) }); err != nil {
		t.Errorf("64 characters: %v", err)
	}
	if err := try(func() error { return s.Cancel(t.Context(), good.Name) }); err != nil {
		t.Error(err)
	}
}
