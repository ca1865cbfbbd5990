package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bus tests an adapter of core.Bus. receive returns all that a subscriber for
// every event has got so far, doubles included; it may hold others' events.
func Bus(t *testing.T, open func(t *testing.T) (bus core.Bus, receive func() []core.BusEvent)) {
	tests := map[string]func(*testing.T, core.Bus, func() []core.BusEvent){
		"events arrive as they were published": busArrives,
		"malformed events are refused":         busRefusals,
		"size of an event, ± 1 byte":           busBound,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bus, receive := open(t)
			test(t, bus, receive)
		})
	}
}

func busEvent(detail string) core.BusEvent {
	return core.BusEvent{ID: unique("event"), Type: "contract.tested", Time: 1_790_000_000_123, Detail: json.RawMessage(detail)}
}

func publish(t *testing.T, bus core.Bus, events ...core.BusEvent) error {
	return try(func() error { return bus.Publish(t.Context(), events...) })
}

func received(receive func() []core.BusEvent, id string) (core.BusEvent, bool) {
	for _, e := range receive() {
		if e.ID == id {
			return e, true
		}
	}
	return core.BusEvent{}, false
}

func busArrives(t *testing.T, bus core.Bus, receive func() []core.BusEvent) {
	var want []core.BusEvent
	for _, detail := range []string{`{"a":[1,2]}`, `"text"`, `null`, `{}`} {
		want = append(want, busEvent(detail))
	}
	if err := publish(t, bus); err != nil {
		t.Errorf("nothing: %v", err)
	}
	if err := publish(t, bus, want[0]); err != nil {
		t.Fatal(err)
	}
	if err := publish(t, bus, want[1:]...); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		eventually(t, "event "+string(w.Detail), func() bool { _, ok := received(receive, w.ID); return ok })
		got, _ := received(receive, w.ID)
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func busRefusals(t *testing.T, bus core.Bus, receive func() []core.BusEvent) {
	noID, noType, noJSON, good := busEvent(`{}`), busEvent(`{}`), busEvent(`{`), busEvent(`{}`)
	noID.ID, noType.Type = "", ""
	for name, e := range map[string]core.BusEvent{"no id": noID, "no type": noType, "detail is not JSON": noJSON} {
		wantKind(t, name, publish(t, bus, e), fault.Invalid)
	}
	if err := publish(t, bus, good); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the good one", func() bool { _, ok := received(receive, good.ID); return ok })
	for _, bad := range []core.BusEvent{noType, noJSON} {
		if _, ok := received(receive, bad.ID); ok {
			t.Errorf("a refused event arrived: %+v", bad)
		}
	}
}

func busBound(t *testing.T, bus core.Bus, receive func() []core.BusEvent) {
	e := busEvent(`""`)
	fill := func(n int) { e.Detail = json.RawMessage(`"` + strings.Repeat("x", n) + `"`) }
	low, high := core.MaxBusEventBytes-1024, core.MaxBusEventBytes
	for low < high { // what an event counts besides its strings is the adapter's own
		mid := (low + high + 1) / 2
		if fill(mid); publish(t, bus, e) == nil {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if fill(low); low == core.MaxBusEventBytes-1024 || low == core.MaxBusEventBytes {
		t.Fatalf("the largest detail has %d bytes", low)
	}
	e.ID = unique("event")
	if err := publish(t, bus, e); err != nil {
		t.Errorf("the largest event: %v", err)
	}
	eventually(t, "the largest event", func() bool { _, ok := received(receive, e.ID); return ok })
	fill(low + 1)
	wantKind(t, "a byte more", publish(t, bus, e), fault.TooLarge)
}
