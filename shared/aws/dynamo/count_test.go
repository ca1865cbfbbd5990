package dynamo_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/dynamo"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// tally is a counter of one sum.
type tally struct {
	mu  sync.Mutex
	sum core.Use
}

func (c *tally) Count(_ context.Context, u core.Use) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Add(u)
}

func (c *tally) RunEnded(context.Context) {}

// TestCapacity holds what the adapter counts to DynamoDB's rules: 1 KB a write unit,
// the index as much again, transactions twice, refused writes too; 4 KB a read unit,
// half of it when eventual.
func TestCapacity(t *testing.T) {
	s := dynamo.New(awstest.Config(t), awstest.Table(t, awstest.Config(t)), clock.System())
	item := func(sk string, bytes int) core.Item {
		return core.Item{Key: core.Key{PK: "p", SK: sk}, Body: []byte(strings.Repeat("x", bytes)), Version: 1}
	}
	indexed := item("indexed", 100)
	indexed.Index = core.Key{PK: "i", SK: "1"}
	tests := []struct {
		name string
		do   func(context.Context) error
		want core.Use
	}{
		{"small write", func(ctx context.Context) error { return s.Write(ctx, core.Put{Item: item("a", 100)}) },
			core.Use{core.Writes: 1, core.WriteHalves: 2}},
		{"write of 2.5 KB", func(ctx context.Context) error { return s.Write(ctx, core.Put{Item: item("b", 2500)}) },
			core.Use{core.Writes: 1, core.WriteHalves: 6}},
		{"with the index", func(ctx context.Context) error { return s.Write(ctx, core.Put{Item: indexed}) },
			core.Use{core.Writes: 1, core.WriteHalves: 4}},
		{"refused", func(ctx context.Context) error {
			return s.Write(ctx, core.Put{Item: item("a", 100), If: core.IfAbsent()})
		}, core.Use{core.Writes: 1, core.WriteHalves: 2}},
		{"transaction", func(ctx context.Context) error {
			return s.Write(ctx, core.Put{Item: item("c", 100)}, core.Put{Item: item("d", 100)})
		}, core.Use{core.Writes: 1, core.WriteHalves: 8}},
		{"refused transaction", func(ctx context.Context) error {
			return s.Write(ctx, core.Put{Item: item("c", 100), If: core.IfAbsent()}, core.Put{Item: item("e", 100)})
		}, core.Use{core.Writes: 1, core.WriteHalves: 8}},
		{"eventual read", func(ctx context.Context) error { _, err := s.Get(ctx, item("a", 0).Key, false); return err },
			core.Use{core.Reads: 1, core.ReadHalves: 1}},
		{"strong read", func(ctx context.Context) error { _, err := s.Get(ctx, item("a", 0).Key, true); return err },
			core.Use{core.Reads: 1, core.ReadHalves: 2}},
		{"read of nothing", func(ctx context.Context) error { _, err := s.Get(ctx, item("none", 0).Key, true); return err },
			core.Use{core.Reads: 1, core.ReadHalves: 2}},
		{"query of 2.9 KB", func(ctx context.Context) error {
			_, err := s.Query(ctx, core.Query{PK: "p", Strong: true})
			return err
		}, core.Use{core.Reads: 1, core.ReadHalves: 2}},
		{"query of the index", func(ctx context.Context) error {
			_, err := s.Query(ctx, core.Query{PK: "i", Index: true})
			return err
		}, core.Use{core.Reads: 1, core.ReadHalves: 1}},
		{"one delete", func(ctx context.Context) error { return s.Delete(ctx, item("a", 0).Key) },
			core.Use{core.Writes: 1, core.WriteHalves: 2}},
		{"two deletes", func(ctx context.Context) error { return s.Delete(ctx, item("c", 0).Key, item("d", 0).Key) },
			core.Use{core.Writes: 1, core.WriteHalves: 4}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := &tally{}
			err := tc.do(core.WithCounter(t.Context(), c))
			if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			if c.sum != tc.want {
				t.Errorf("counted %v, want %v", c.sum, tc.want)
			}
		})
	}
}
