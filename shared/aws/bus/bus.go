// Package bus is the Bus port on EventBridge: entries of the source "slipway" on
// one event bus, whose detail is the event without its type.
package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/meter"
)

// Source is what rules look for; the detail-type is the event's type.
const Source = "slipway"

// Bounds of PutEvents, and how often what it left is sent again.
const (
	maxEntries = 10
	maxTries   = 5
	firstPause = 50 * time.Millisecond
	timeBytes  = 14 // what an entry's time counts
)

var kinds = call.Kinds{
	"InternalException": fault.Unavailable,
	"InternalFailure":   fault.Unavailable,
}

// Detail is an entry's detail.
type Detail struct {
	ID     string          `json:"id"`
	Time   int64           `json:"time"` // ms since 1970; the entry's own has seconds
	Detail json.RawMessage `json:"detail"`
}

// Event reads what EventBridge delivers to the target of a rule. The detail may
// have been written anew on the way, with other blanks: it is compact.
func Event(delivered []byte) (core.BusEvent, error) {
	var envelope struct {
		Type   string `json:"detail-type"`
		Source string `json:"source"`
		Detail Detail `json:"detail"`
	}
	if err := json.Unmarshal(delivered, &envelope); err != nil {
		return core.BusEvent{}, fault.New(fault.Invalid, "this is no event of EventBridge: %w", err)
	}
	e := core.BusEvent{ID: envelope.Detail.ID, Type: envelope.Type, Time: envelope.Detail.Time}
	if envelope.Source != Source || e.ID == "" || e.Type == "" {
		return core.BusEvent{}, fault.New(fault.Invalid, "this is no event of the bus: source %q, type %q, id %q", envelope.Source, e.Type, e.ID)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, envelope.Detail.Detail); err != nil {
		return core.BusEvent{}, fault.New(fault.Invalid, "event %q has no detail: %w", e.ID, err)
	}
	e.Detail = compact.Bytes()
	return e, nil
}

// Bus implements core.Bus.
type Bus struct {
	name   string
	clock  core.Clock
	client func() *eventbridge.Client
}

// New returns the event bus of a name or ARN. clock paces repeated tries.
func New(cfg aws.Config, name string, clock core.Clock) *Bus {
	return &Bus{name: name, clock: clock, client: call.Lazy(cfg, func(c aws.Config) *eventbridge.Client {
		return eventbridge.NewFromConfig(c)
	})}
}

// Publish implements core.Bus.
func (b *Bus) Publish(ctx context.Context, events ...core.BusEvent) error {
	var part []types.PutEventsRequestEntry
	var parts [][]types.PutEventsRequestEntry
	room := 0
	for _, e := range events {
		entry, size, err := b.entry(e)
		if err != nil {
			return err
		}
		if len(part) == maxEntries || size > room {
			parts, part, room = append(parts, part), nil, core.MaxBusEventBytes
		}
		part = append(part, entry)
		room -= size
	}
	for _, p := range append(parts, part) {
		if err := b.send(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// entry checks an event and returns it as EventBridge counts it.
func (b *Bus) entry(e core.BusEvent) (entry types.PutEventsRequestEntry, size int, err error) {
	if e.ID == "" || e.Type == "" {
		return entry, 0, fault.New(fault.Invalid, "an event of the bus needs an id and a type: %q %q", e.ID, e.Type)
	}
	detail, err := json.Marshal(Detail{ID: e.ID, Time: e.Time, Detail: e.Detail})
	if err != nil {
		return entry, 0, fault.New(fault.Invalid, "event %q: %w", e.ID, err)
	}
	size = timeBytes + len(Source) + len(e.Type) + len(detail)
	if size > core.MaxBusEventBytes {
		return entry, 0, fault.New(fault.TooLarge, "event %q has %d bytes: at most %d are allowed", e.ID, size, core.MaxBusEventBytes)
	}
	return types.PutEventsRequestEntry{
		EventBusName: &b.name, Source: aws.String(Source), DetailType: aws.String(e.Type),
		Detail: aws.String(string(detail)), Time: aws.Time(time.UnixMilli(e.Time)),
	}, size, nil
}

// send puts entries, and those again that EventBridge has refused for now.
func (b *Bus) send(ctx context.Context, entries []types.PutEventsRequestEntry) error {
	if len(entries) == 0 {
		return nil
	}
	var refused error
	for try := range maxTries {
		if try > 0 {
			if err := call.Pause(ctx, b.clock, firstPause<<try); err != nil {
				return call.Fault(ctx, "publishing events", err, kinds)
			}
		}
		out, err := b.client().PutEvents(ctx, &eventbridge.PutEventsInput{Entries: entries})
		if err != nil {
			return call.Fault(ctx, "publishing events", err, kinds)
		}
		core.Count(ctx, core.Use{core.Events: billed(entries)})
		if entries, refused = left(entries, out.Entries); refused == nil || !fault.Retryable(refused) {
			return refused
		}
	}
	return refused
}

// billed is how many events EventBridge makes of entries: one for each 64 KB.
func billed(entries []types.PutEventsRequestEntry) (n int64) {
	for _, e := range entries {
		n += meter.EventUnits(int64(timeBytes + len(Source) + len(aws.ToString(e.DetailType)) + len(aws.ToString(e.Detail))))
	}
	return n
}

// left returns the entries that were refused, and why the last of them was; what
// will never be taken goes before what may be.
func left(sent []types.PutEventsRequestEntry, results []types.PutEventsResultEntry) (again []types.PutEventsRequestEntry, why error) {
	for i, r := range results {
		code := aws.ToString(r.ErrorCode)
		if code == "" || i >= len(sent) {
			continue
		}
		again = append(again, sent[i])
		if why == nil || fault.Retryable(why) {
			why = call.Refused("publishing an event", code, aws.ToString(r.ErrorMessage), kinds)
		}
	}
	return again, why
}
