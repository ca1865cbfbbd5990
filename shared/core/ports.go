package core

import (
	"context"
	"encoding/json"
	"time"
)

// BusEvent is one message on the bus: something that happened, for others.
type BusEvent struct {
	ID     string          `json:"id"`     // the same on every redelivery
	Type   string          `json:"type"`   // e.g. "run.ended"; events/ holds the schema
	Time   int64           `json:"time"`   // ms since 1970
	Detail json.RawMessage `json:"detail"` // at most 256 KB with the rest
}

// MaxBusEventBytes bounds one bus event.
const MaxBusEventBytes = 256 << 10

// Bus carries events to whoever has a rule for them: at least once, any order.
type Bus interface {
	// Publish accepts all events or fails; after a failure some may have been sent.
	Publish(ctx context.Context, events ...BusEvent) error
}

// Secrets keeps small secret values, encrypted at rest. Names are paths like
// "acct/default/token" of letters, digits and /_+=.@-, at most 512 characters.
type Secrets interface {
	// Get returns the value; fault.NotFound when there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put stores a value of at most 64 KB, replacing an older one.
	Put(ctx context.Context, name string, value []byte) error
	// Delete removes a value; absent is no error.
	Delete(ctx context.Context, name string) error
}

// Timer is a one-shot schedule: at At, Function is invoked with Payload.
type Timer struct {
	Name     string // letters, digits, - _ and ., at most 64
	At       time.Time
	Function string
	Payload  json.RawMessage
}

// Schedule fires timers at least once, not before their time. Precision: a
// second or so on a laptop, a minute on AWS.
type Schedule interface {
	// Set creates the timer or moves the one of that name.
	Set(ctx context.Context, t Timer) error
	// Cancel removes a timer; absent or fired is no error.
	Cancel(ctx context.Context, name string) error
}

// Blobs keeps bytes too large for an item. Keys are slash paths, at most 1,024 bytes.
type Blobs interface {
	// Get returns the bytes; fault.NotFound when there are none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put stores the bytes, replacing older ones, durable when it returns.
	Put(ctx context.Context, key string, data []byte) error
	// Delete removes the bytes; absent is no error.
	Delete(ctx context.Context, key string) error
}

// Clock is where time comes from. Tests use one that is set or runs fast.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f on its own goroutine once d has passed; stop cancels it.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// IDs makes new identifiers.
type IDs interface {
	// New returns a ULID: 26 characters, sortable by the time of making.
	New() string
	// Token returns an unguessable string of at least 256 bits, URL-safe.
	Token() string
}

// Millis is how times travel and are stored: ms since 1970, 0 for none.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Ports are all the ways to the world, as one runtime provides them.
type Ports struct {
	Store    Store
	Workflow Workflow
	Bus      Bus
	Secrets  Secrets
	Schedule Schedule
	Blobs    Blobs
	Clock    Clock
	IDs      IDs
}
