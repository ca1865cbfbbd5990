// Package wire is what travels between a delegate and the control plane: JSON
// bodies of three POST routes under /slipway/v1/delegate. Times in it are
// durations; no clock of a delegate is ever compared with the server's.
package wire

import "encoding/json"

// Routes, relative to the server's URL. Every request is a POST with a JSON body
// and the header "Authorization: Bearer <join token>".
const (
	RouteSync     = "/slipway/v1/delegate/sync"
	RouteComplete = "/slipway/v1/delegate/complete"
	RouteLogs     = "/slipway/v1/delegate/logs"
)

// Limits, enforced by the server (fault.TooLarge) and kept by the delegate.
const (
	MaxLogLineBytes  = 25 << 10 // a longer line is cut and says so (BEHAVIOUR §14.10)
	MaxLogChunkBytes = 96 << 10 // text of one chunk
	MaxStepLogBytes  = 25 << 20 // a step's log; what is behind it is dropped and said so
	MaxOutputBytes   = 1 << 20  // outputs of one step as JSON (BEHAVIOUR §7.9)
	MaxHolding       = 256      // tasks one delegate may hold
)

// TaskRef names a dispatch of a task. ID is the idempotency key, the same on
// every dispatch of one attempt; Fence rises with every dispatch, and the server
// refuses what carries an older one.
type TaskRef struct {
	Run   string `json:"run"`
	Track string `json:"track"`
	ID    string `json:"id"`
	Fence int64  `json:"fence"`
}

// Task is one unit of work for a delegate.
type Task struct {
	TaskRef
	Node      string          `json:"node"` // the step's FQN
	Name      string          `json:"name"`
	Type      string          `json:"type"` // step type
	Attempt   int             `json:"attempt"`
	Spec      json.RawMessage `json:"spec"`      // the step's spec, expressions evaluated but for deferred and secret ones
	TimeoutMS int64           `json:"timeoutMs"` // from the hand-over on; then kill and complete as TIMEOUT_FAILURE
	Selectors []string        `json:"selectors,omitempty"`
	// Secrets maps each secret reference in Spec to its value. It is filled in when
	// the task is handed over and never stored.
	Secrets map[string]string `json:"secrets,omitempty"`
}

// Identity is who a delegate says it is.
type Identity struct {
	ID      string   `json:"id"`   // ULID, kept in the delegate's work folder
	Name    string   `json:"name"` // its group; also an implicit tag
	Boot    string   `json:"boot"` // new on every start of the process
	Version string   `json:"version"`
	Host    string   `json:"host,omitempty"`
	Tags    []string `json:"tags,omitempty"`
}

// SyncRequest is a delegate's regular call: it proves life, renews what it
// holds, and asks for work.
type SyncRequest struct {
	Delegate Identity  `json:"delegate"`
	Free     int       `json:"free"`    // tasks it can take now, 0 while draining
	Holding  []TaskRef `json:"holding"` // every task it has and has not completed
	// Yield leaves to others what another connected delegate can take: a platform's
	// built-in delegate steps back when one of its own is started.
	Yield bool `json:"yield,omitempty"`
}

// SyncResponse says what to do. Tasks may repeat one the delegate already has
// (same ID and Fence), which it ignores. A task in Cancel is to be killed; no
// completion is expected.
type SyncResponse struct {
	NextMS int64     `json:"nextMs"` // when to call again; the delegate adds up to 10 % jitter
	Tasks  []Task    `json:"tasks,omitempty"`
	Cancel []TaskRef `json:"cancel,omitempty"`
}

// LogLine is one line of output. Level is INFO or ERROR.
type LogLine struct {
	Time  int64  `json:"t"` // ms since 1970 by the delegate's clock, for display only
	Level string `json:"l"`
	Text  string `json:"x"`
}

// LogChunk is a run of lines. Seq counts a task's chunks from 1; the server
// stores each number once and answers a repeated one as if it were new.
type LogChunk struct {
	Seq   int       `json:"seq"`
	Lines []LogLine `json:"lines"`
}

// LogRequest appends a chunk.
type LogRequest struct {
	Delegate string   `json:"delegate"` // Identity.ID
	Task     TaskRef  `json:"task"`
	Chunk    LogChunk `json:"chunk"`
}

// LogResponse acknowledges a chunk as stored. Cancel tells the delegate that the
// task is no longer its own.
type LogResponse struct {
	Cancel bool `json:"cancel,omitempty"`
}

// Outcome is how a task ended: a value, not an error.
type Outcome struct {
	OK      bool     `json:"ok"`
	Failure *Failure `json:"failure,omitempty"` // when not OK
	// Outputs is what expressions read below <+steps.ID.output>, e.g.
	// {"outputVariables":{"v":"1"},"exitCode":0}.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Secret holds output variables of type Secret by name; the server encrypts
	// them before anything is recorded.
	Secret     map[string]string `json:"secret,omitempty"`
	DurationMS int64             `json:"durationMs"`
}

// Failure says why a node failed. Types are engine names of BEHAVIOUR §8.2, e.g.
// TIMEOUT_FAILURE, CONNECTIVITY_FAILURE, DELEGATE_RESTART, UNKNOWN_FAILURE.
type Failure struct {
	Types   []string `json:"types"`
	Message string   `json:"message"`
}

// CompleteRequest ends a task. It may be sent any number of times.
type CompleteRequest struct {
	Delegate string   `json:"delegate"`
	Task     TaskRef  `json:"task"`
	Outcome  Outcome  `json:"outcome"`
	Log      LogChunk `json:"log"`  // the last lines; no Lines when there are none left
	More     bool     `json:"more"` // whether it can take the next task of the track
}

// CompleteResponse answers a completion. Stale means the dispatch had been taken
// away: the outcome was not recorded. Next is the track's next task, handed back
// as claimed; repeating the same completion returns the same Next.
type CompleteResponse struct {
	Stale bool  `json:"stale,omitempty"`
	Next  *Task `json:"next,omitempty"`
}
