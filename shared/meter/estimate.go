package meter

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// callTime is what a call of a service takes away from a laptop, as MB × ms of
// function time: 8 ms each.
const callTime = 8 * DefaultMemory

// itemBytes stands for what DynamoDB counts of an item besides keys and body.
const itemBytes = 24

func itemSize(it core.Item) int64 {
	return int64(len(it.PK) + len(it.SK) + len(it.Body) + len(it.Index.PK) + len(it.Index.SK) + itemBytes)
}

// ReadHalves is what reading so many bytes takes, in halves of a read unit: an
// eventual read of up to 4 KB is one.
func ReadHalves(bytes int64, strong bool) int64 {
	n := max(1, (bytes+4095)/4096)
	if strong {
		return 2 * n
	}
	return n
}

// ItemsSize is about how many bytes items have as DynamoDB counts them.
func ItemsSize(items ...core.Item) int64 {
	n := int64(0)
	for _, it := range items {
		n += itemSize(it)
	}
	return n
}

// WriteHalves is what a write takes, in halves of a write unit: 1 KB is two, the
// index as much again, and a transaction twice as much.
func WriteHalves(puts ...core.Put) int64 {
	n := int64(0)
	for _, p := range puts {
		n += writeHalves(p.Item, 0)
	}
	if len(puts) > 1 {
		n *= 2
	}
	return n
}

// writeHalves is for one item that may yet grow by so many bytes.
func writeHalves(it core.Item, more int64) int64 {
	n := 2 * ((itemSize(it) + more + 1023) / 1024)
	if !it.Index.IsZero() {
		n *= 2
	}
	return n
}

// EventUnits is how many events of the bus so many bytes are billed as.
func EventUnits(bytes int64) int64 { return max(1, (bytes+64<<10-1)/(64<<10)) }

// Estimate returns the ports with their calls counted as AWS would bill them: for
// adapters that stand in for it.
func Estimate(p core.Ports) core.Ports {
	p.Store, p.Workflow, p.Bus = store{p.Store}, workflow{p.Workflow}, bus{p.Bus}
	p.Secrets, p.Blobs, p.Schedule = secrets{p.Secrets}, blobs{p.Blobs}, schedule{p.Schedule}
	return p
}

func count(ctx context.Context, u core.Use) {
	u[core.MemoryTime] += callTime
	core.Count(ctx, u)
}

type store struct{ core.Store }

// Get implements core.Store.
func (s store) Get(ctx context.Context, key core.Key, strong bool) (core.Item, error) {
	it, err := s.Store.Get(ctx, key, strong)
	count(ctx, core.Use{core.Reads: 1, core.ReadHalves: ReadHalves(itemSize(it), strong)})
	return it, err
}

// Query implements core.Store.
func (s store) Query(ctx context.Context, q core.Query) (core.Page, error) {
	p, err := s.Store.Query(ctx, q)
	count(ctx, core.Use{core.Reads: 1, core.ReadHalves: ReadHalves(ItemsSize(p.Items...), q.Strong)})
	return p, err
}

// Write implements core.Store. A write whose condition failed is billed too.
func (s store) Write(ctx context.Context, puts ...core.Put) error {
	err := s.Store.Write(ctx, puts...)
	if !fault.Is(err, fault.Throttled) {
		count(ctx, core.Use{core.Writes: 1, core.WriteHalves: WriteHalves(puts...)})
	}
	return err
}

// Delete implements core.Store. What was there is not known; items that are
// deleted here are below 1 KB and not in the index.
func (s store) Delete(ctx context.Context, keys ...core.Key) error {
	count(ctx, core.Use{core.Writes: 1, core.WriteHalves: 2 * int64(len(keys))})
	return s.Store.Delete(ctx, keys...)
}

type workflow struct{ core.Workflow }

// Start implements core.Workflow.
func (w workflow) Start(ctx context.Context, machine, name string, input json.RawMessage) error {
	count(ctx, core.Use{core.Workflows: 1})
	return w.Workflow.Start(ctx, machine, name, input)
}

// Finish implements core.Workflow.
func (w workflow) Finish(ctx context.Context, token string, output json.RawMessage) error {
	count(ctx, core.Use{core.Workflows: 1})
	return w.Workflow.Finish(ctx, token, output)
}

// Beat implements core.Workflow.
func (w workflow) Beat(ctx context.Context, token string) error {
	count(ctx, core.Use{core.Workflows: 1})
	return w.Workflow.Beat(ctx, token)
}

type bus struct{ core.Bus }

// Publish implements core.Bus.
func (b bus) Publish(ctx context.Context, events ...core.BusEvent) error {
	var u core.Use
	for _, e := range events {
		u[core.Events] += EventUnits(int64(len(e.Detail)))
	}
	count(ctx, u)
	return b.Bus.Publish(ctx, events...)
}

type secrets struct{ core.Secrets }

// Get implements core.Secrets.
func (s secrets) Get(ctx context.Context, name string) ([]byte, error) {
	count(ctx, core.Use{core.SecretCalls: 1})
	return s.Secrets.Get(ctx, name)
}

// Put implements core.Secrets.
func (s secrets) Put(ctx context.Context, name string, value []byte) error {
	count(ctx, core.Use{core.SecretCalls: 1})
	return s.Secrets.Put(ctx, name, value)
}

type blobs struct{ core.Blobs }

// Get implements core.Blobs.
func (b blobs) Get(ctx context.Context, key string) ([]byte, error) {
	count(ctx, core.Use{core.BlobReads: 1})
	return b.Blobs.Get(ctx, key)
}

// Put implements core.Blobs.
func (b blobs) Put(ctx context.Context, key string, data []byte) error {
	count(ctx, core.Use{core.BlobWrites: 1})
	return b.Blobs.Put(ctx, key, data)
}

type schedule struct{ core.Schedule }

// Set implements core.Schedule; a timer is billed when it fires.
func (s schedule) Set(ctx context.Context, t core.Timer) error {
	count(ctx, core.Use{})
	return s.Schedule.Set(ctx, t)
}

// Cancel implements core.Schedule.
func (s schedule) Cancel(ctx context.Context, name string) error {
	count(ctx, core.Use{})
	return s.Schedule.Cancel(ctx, name)
}
