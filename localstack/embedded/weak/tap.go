package weak

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
)

// Hook is told of a call to a port: op is "store.Write", "workflow.Finish" and so
// on. Of a store, keys are the items'; of other ports they name the things: PK
// says what ("token", "timer", the machine, the event's type), SK which. A hook
// may panic or call runtime.Goexit to end its caller there.
type Hook func(op string, keys []core.Key)

// taps calls hooks around an operation; nil hooks are not called. after is called
// whether the operation failed or not.
type taps struct{ before, after Hook }

func (t taps) around(op string, keys []core.Key, do func() error) error {
	if t.before != nil {
		t.before(op, keys)
	}
	err := do()
	if t.after != nil {
		t.after(op, keys)
	}
	return err
}

func one(pk, sk string) []core.Key { return []core.Key{{PK: pk, SK: sk}} }

type tappedStore struct {
	core.Store
	taps
}

// Tap calls hooks around every call of a store, and around every batch that a
// Watch delivers ("store.Watch"). A query's key is its PK and SKPrefix.
func Tap(inner core.Store, before, after func(op string, keys []core.Key)) core.Store {
	return tappedStore{inner, taps{before, after}}
}

func (s tappedStore) Get(ctx context.Context, key core.Key, strong bool) (it core.Item, err error) {
	err = s.around("store.Get", []core.Key{key}, func() error { it, err = s.Store.Get(ctx, key, strong); return err })
	return it, err
}

func (s tappedStore) Query(ctx context.Context, q core.Query) (page core.Page, err error) {
	err = s.around("store.Query", one(q.PK, q.SKPrefix), func() error { page, err = s.Store.Query(ctx, q); return err })
	return page, err
}

func (s tappedStore) Write(ctx context.Context, puts ...core.Put) error {
	keys := make([]core.Key, len(puts))
	for i, p := range puts {
		keys[i] = p.Item.Key
	}
	return s.around("store.Write", keys, func() error { return s.Store.Write(ctx, puts...) })
}

func (s tappedStore) Delete(ctx context.Context, keys ...core.Key) error {
	return s.around("store.Delete", keys, func() error { return s.Store.Delete(ctx, keys...) })
}

func (s tappedStore) Watch(ctx context.Context, consumer string, fn func(context.Context, []core.Item) error) error {
	return s.Store.Watch(ctx, consumer, func(ctx context.Context, items []core.Item) error {
		keys := make([]core.Key, len(items))
		for i, it := range items {
			keys[i] = it.Key
		}
		return s.around("store.Watch", keys, func() error { return fn(ctx, items) })
	})
}

type tappedWorkflow struct {
	core.Workflow
	taps
}

// TapWorkflow calls hooks around every call of a workflow.
func TapWorkflow(inner core.Workflow, before, after Hook) core.Workflow {
	return tappedWorkflow{inner, taps{before, after}}
}

func (w tappedWorkflow) Start(ctx context.Context, machine, name string, input json.RawMessage) error {
	return w.around("workflow.Start", one(machine, name), func() error { return w.Workflow.Start(ctx, machine, name, input) })
}

func (w tappedWorkflow) Finish(ctx context.Context, token string, output json.RawMessage) error {
	return w.around("workflow.Finish", one("token", token), func() error { return w.Workflow.Finish(ctx, token, output) })
}

func (w tappedWorkflow) Beat(ctx context.Context, token string) error {
	return w.around("workflow.Beat", one("token", token), func() error { return w.Workflow.Beat(ctx, token) })
}

func (w tappedWorkflow) Stop(ctx context.Context, machine, name, cause string) error {
	return w.around("workflow.Stop", one(machine, name), func() error { return w.Workflow.Stop(ctx, machine, name, cause) })
}

func (w tappedWorkflow) Describe(ctx context.Context, machine, name string) (e core.Execution, err error) {
	err = w.around("workflow.Describe", one(machine, name), func() error { e, err = w.Workflow.Describe(ctx, machine, name); return err })
	return e, err
}

type tappedBus struct {
	core.Bus
	taps
}

// TapBus calls hooks around Publish.
func TapBus(inner core.Bus, before, after Hook) core.Bus {
	return tappedBus{inner, taps{before, after}}
}

func (b tappedBus) Publish(ctx context.Context, events ...core.BusEvent) error {
	keys := make([]core.Key, len(events))
	for i, e := range events {
		keys[i] = core.Key{PK: e.Type, SK: e.ID}
	}
	return b.around("bus.Publish", keys, func() error { return b.Bus.Publish(ctx, events...) })
}

type tappedSecrets struct {
	core.Secrets
	taps
}

// TapSecrets calls hooks around every call of secrets.
func TapSecrets(inner core.Secrets, before, after Hook) core.Secrets {
	return tappedSecrets{inner, taps{before, after}}
}

func (s tappedSecrets) Get(ctx context.Context, name string) (value []byte, err error) {
	err = s.around("secrets.Get", one("secret", name), func() error { value, err = s.Secrets.Get(ctx, name); return err })
	return value, err
}

func (s tappedSecrets) Put(ctx context.Context, name string, value []byte) error {
	return s.around("secrets.Put", one("secret", name), func() error { return s.Secrets.Put(ctx, name, value) })
}

func (s tappedSecrets) Delete(ctx context.Context, name string) error {
	return s.around("secrets.Delete", one("secret", name), func() error { return s.Secrets.Delete(ctx, name) })
}

type tappedSchedule struct {
	core.Schedule
	taps
}

// TapSchedule calls hooks around every call of a schedule.
func TapSchedule(inner core.Schedule, before, after Hook) core.Schedule {
	return tappedSchedule{inner, taps{before, after}}
}

func (s tappedSchedule) Set(ctx context.Context, t core.Timer) error {
	return s.around("schedule.Set", one("timer", t.Name), func() error { return s.Schedule.Set(ctx, t) })
}

func (s tappedSchedule) Cancel(ctx context.Context, name string) error {
	return s.around("schedule.Cancel", one("timer", name), func() error { return s.Schedule.Cancel(ctx, name) })
}

type tappedBlobs struct {
	core.Blobs
	taps
}

// TapBlobs calls hooks around every call of blobs.
func TapBlobs(inner core.Blobs, before, after Hook) core.Blobs {
	return tappedBlobs{inner, taps{before, after}}
}

func (b tappedBlobs) Get(ctx context.Context, key string) (data []byte, err error) {
	err = b.around("blobs.Get", one("blob", key), func() error { data, err = b.Blobs.Get(ctx, key); return err })
	return data, err
}

func (b tappedBlobs) Put(ctx context.Context, key string, data []byte) error {
	return b.around("blobs.Put", one("blob", key), func() error { return b.Blobs.Put(ctx, key, data) })
}

func (b tappedBlobs) Delete(ctx context.Context, key string) error {
	return b.around("blobs.Delete", one("blob", key), func() error { return b.Blobs.Delete(ctx, key) })
}
