package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of Watch. DynamoDB allows five reads of a shard a second to all readers.
const (
	watchItems  = 100
	pollPause   = 250 * time.Millisecond
	maxPause    = 10 * time.Second
	listShards  = 10 * time.Second // between looks for new shards
	readRecords = 1000
)

// watchPrefix begins the PK of the items that keep a consumer's positions, one a
// shard. They are not pending, so that no one is woken by them.
const watchPrefix = "W#"

// position is how far a consumer has come in a shard.
type position struct {
	After string `json:"after,omitempty"` // sequence number of the last record delivered
	Ended bool   `json:"ended,omitempty"` // the shard is closed and has been read
}

// shard is a shard being read.
type shard struct {
	position
	id, parent string
	iterator   *string
	pause      time.Duration // after failures
	rest       time.Time     // until then it is left alone
}

// watch is one Watch.
type watch struct {
	*Store
	stream   string
	consumer string
	fn       func(context.Context, []core.Item) error
	shards   []*shard
	listed   time.Time
}

// Watch implements core.Store by polling the table's stream, for relays that are
// not Lambda functions and for tests; see Records for functions. One consumer is
// to be watched by one process only, else items come oftener than need be. The
// stream keeps records for a day. fault.Invalid when the consumer has no name; a
// throttled or unreachable stream is waited for.
func (s *Store) Watch(ctx context.Context, consumer string, fn func(context.Context, []core.Item) error) error {
	if consumer == "" {
		return fault.New(fault.Invalid, "a watch needs a consumer's name")
	}
	w := &watch{Store: s, consumer: consumer, fn: fn}
	pause := pollPause
	for ctx.Err() == nil {
		busy, err := w.round(ctx)
		switch {
		case err != nil && ctx.Err() == nil && !fault.Retryable(err):
			return err
		case err != nil:
			_ = call.Pause(ctx, s.clock, pause)
			pause = min(2*pause, maxPause)
		case busy:
			pause = pollPause
		default:
			pause = pollPause
			_ = call.Pause(ctx, s.clock, pause)
		}
	}
	return nil
}

// round reads once from every shard whose parent has been read; busy when there
// was something.
func (w *watch) round(ctx context.Context) (busy bool, err error) {
	if w.stream == "" {
		if w.stream, err = w.Store.stream(ctx); err != nil {
			return false, err
		}
	}
	now := w.clock.Now()
	if now.Sub(w.listed) >= listShards {
		if err := w.list(ctx); err != nil {
			return false, err
		}
		w.listed = now
	}
	for _, s := range w.shards {
		if s.Ended || now.Before(s.rest) || w.before(s) {
			continue
		}
		some, err := w.read(ctx, s)
		if err != nil {
			return false, err
		}
		busy = busy || some
	}
	return busy, nil
}

// before reports whether an unread shard comes before s: the order of an item's
// records runs from parent to child.
func (w *watch) before(s *shard) bool {
	return slices.ContainsFunc(w.shards, func(p *shard) bool { return p.id == s.parent && !p.Ended })
}

// list adds shards that are new and drops those that are no more, positions too.
func (w *watch) list(ctx context.Context) error {
	kept, err := w.Store.shards(ctx, w.stream)
	if err != nil {
		return err
	}
	saved, err := w.positions(ctx)
	if err != nil {
		return err
	}
	var shards []*shard
	for _, k := range kept {
		id := deref(k.ShardId)
		i := slices.IndexFunc(w.shards, func(s *shard) bool { return s.id == id })
		if i >= 0 {
			shards = append(shards, w.shards[i])
		} else {
			shards = append(shards, &shard{id: id, parent: deref(k.ParentShardId), position: saved[id]})
		}
		delete(saved, id)
	}
	w.shards = shards
	var gone []core.Key
	for id := range saved {
		gone = append(gone, core.Key{PK: watchPrefix + w.consumer, SK: id})
	}
	if gone == nil {
		return nil
	}
	return w.Delete(ctx, gone...)
}

func (w *watch) positions(ctx context.Context) (map[string]position, error) {
	saved := map[string]position{}
	q := core.Query{PK: watchPrefix + w.consumer, Strong: true}
	for {
		page, err := w.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			var p position
			if err := json.Unmarshal(it.Body, &p); err != nil {
				return nil, fault.New(fault.Internal, "the position of %q: %w", w.consumer, err)
			}
			saved[it.SK] = p
		}
		if q.After = page.Cursor; q.After == "" {
			return saved, nil
		}
	}
}

func (w *watch) save(ctx context.Context, s *shard) error {
	body, err := json.Marshal(s.position)
	if err != nil {
		return fault.New(fault.Internal, "the position of %q: %w", w.consumer, err)
	}
	return w.Write(ctx, core.Put{Item: core.Item{Key: core.Key{PK: watchPrefix + w.consumer, SK: s.id}, Body: body}})
}

// read reads and delivers the next records of a shard.
func (w *watch) read(ctx context.Context, s *shard) (busy bool, err error) {
	if s.iterator == nil {
		if s.iterator, err = w.Store.iterator(ctx, w.stream, s.id, s.After); err != nil {
			return false, err
		}
	}
	out, err := w.streams().GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: s.iterator, Limit: aws.Int32(readRecords)})
	_, expired := errors.AsType[*streamtypes.ExpiredIteratorException](err)
	_, trimmed := errors.AsType[*streamtypes.TrimmedDataAccessException](err)
	if expired || trimmed {
		s.iterator = nil // the next read takes a new one
		return true, nil
	}
	if err != nil {
		return false, call.Fault(ctx, "reading the stream", err, kinds)
	}
	delivered, err := w.deliver(ctx, s, out.Records)
	if err != nil {
		return false, err
	}
	if !delivered {
		s.iterator = nil
		s.pause = min(max(2*s.pause, pollPause/4), maxPause)
		s.rest = w.clock.Now().Add(s.pause)
		return false, nil
	}
	s.pause = 0
	if s.iterator = out.NextShardIterator; s.iterator == nil {
		s.Ended, w.listed = true, time.Time{} // its children are next
		return true, w.save(ctx, s)
	}
	return len(out.Records) > 0, nil
}

// deliver hands the pending items of records on, and moves the shard's position
// past what was taken. false when fn has failed.
func (w *watch) deliver(ctx context.Context, s *shard, records []streamtypes.Record) (bool, error) {
	var items []core.Item
	for i, r := range records {
		it, ok, err := record(r)
		if err != nil {
			return false, err
		}
		if ok {
			items = append(items, it)
		}
		if len(items) < watchItems && i < len(records)-1 {
			continue
		}
		taken := len(items) > 0
		if taken && w.fn(ctx, items) != nil {
			return false, nil
		}
		if r.Dynamodb != nil {
			s.After = deref(r.Dynamodb.SequenceNumber)
		}
		items = nil
		if !taken {
			continue // saving what was not for us would make a record again
		}
		if err := w.save(ctx, s); err != nil {
			return false, err
		}
	}
	return true, nil
}
