package core

import "context"

// Store limits, those of DynamoDB. An adapter refuses more with fault.TooLarge.
const (
	MaxItemBytes  = 400 << 10 // one item: key, body and attributes
	MaxWriteItems = 100       // items in one Write
	MaxWriteBytes = 4 << 20   // bytes in one Write
	MaxPageBytes  = 1 << 20   // bytes read by one Query before it returns a cursor
)

// Key addresses an item: PK is the partition, SK orders items inside it, by bytes.
type Key struct {
	PK string `json:"pk"`
	SK string `json:"sk"`
}

// IsZero reports whether the key addresses nothing.
func (k Key) IsZero() bool { return k == Key{} }

// Item is one record. Body is JSON and opaque to the store.
type Item struct {
	Key
	// Body is JSON, at most MaxItemBytes with everything else.
	Body []byte
	// Version is chosen by the writer; IfVersion compares it.
	Version int64
	// Index, when not zero, makes the item readable through Query with Index set.
	// Index reads are eventual: they may miss new items and show deleted ones.
	Index Key
	// Pending marks an item that Watch must deliver: an event with commands.
	Pending bool
	// Expires is Unix seconds, 0 for never. An expired item may stay readable.
	Expires int64
}

// Condition is what must hold for a Put to happen.
type Condition struct {
	kind    conditionKind
	version int64
}

type conditionKind int

const (
	always conditionKind = iota
	absent
	version
)

// Always puts whatever is there. It is the zero Condition.
func Always() Condition { return Condition{} }

// IfAbsent holds when there is no item at the key.
func IfAbsent() Condition { return Condition{kind: absent} }

// IfVersion holds when the item exists and its Version is v.
func IfVersion(v int64) Condition { return Condition{kind: version, version: v} }

// Holds reports whether the condition holds for the item found at the key.
func (c Condition) Holds(found bool, v int64) bool {
	switch c.kind {
	case absent:
		return !found
	case version:
		return found && v == c.version
	default:
		return true
	}
}

// Absent reports whether c is IfAbsent; Version returns the number of an IfVersion.
func (c Condition) Absent() bool { return c.kind == absent }

// Version returns the version c demands, and whether it demands one.
func (c Condition) Version() (int64, bool) { return c.version, c.kind == version }

// Put is one conditional write of a whole item.
type Put struct {
	Item Item
	If   Condition
}

// Query reads a range of one partition (or one index partition) in SK order.
type Query struct {
	PK       string
	SKPrefix string
	After    string // exclusive: a page's Cursor, or an SK to start behind
	Limit    int    // items at most, 0 for as many as a page holds
	Reverse  bool   // newest first
	Index    bool   // PK and SKPrefix are those of Item.Index; never strong
	Strong   bool   // base table only: sees every write that has returned
}

// Page is one answer to a Query. It may hold no items and still have a cursor;
// an empty Cursor means the end.
type Page struct {
	Items  []Item
	Cursor string
}

// ConflictError says which puts of a Write failed their condition. Its kind is
// fault.Conflict (adapters wrap it); nothing of the Write has happened.
type ConflictError struct {
	// Failed holds the positions in the Write, ascending.
	Failed []int
}

func (e *ConflictError) Error() string { return "a condition did not hold" }

// Store keeps items. The contract is DynamoDB's, not a laptop's: any call may
// fail with fault.Throttled, or fail after it has happened.
type Store interface {
	// Get reads one item; fault.NotFound when there is none. strong sees every
	// write that has returned, otherwise the answer may be a little old.
	Get(ctx context.Context, key Key, strong bool) (Item, error)
	// Query reads one page.
	Query(ctx context.Context, q Query) (Page, error)
	// Write does all puts or none. One put is an ordinary conditional put; more
	// are a transaction, which costs twice. Fails with fault.Conflict and a
	// *ConflictError when a condition does not hold.
	Write(ctx context.Context, puts ...Put) error
	// Delete removes items; absent ones are no error. Not atomic over several keys.
	Delete(ctx context.Context, keys ...Key) error
	// Watch delivers every item written with Pending set, at least once, in order
	// per item only, until ctx ends. A batch whose fn fails is delivered again.
	// consumer names the position, which survives restarts.
	Watch(ctx context.Context, consumer string, fn func(context.Context, []Item) error) error
}
