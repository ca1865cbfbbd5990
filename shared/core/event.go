package core

import "encoding/json"

// EventVersion is the shape of events written now. Older ones are read through
// upcasters; a newer one is refused.
const EventVersion = 1

// EventType names what happened to a track.
type EventType string

// Event types, with the field of Event that carries their data.
const (
	EventStarted    EventType = "started"    // the run was asked for: its Launch
	EventEntered    EventType = "entered"    // a state machine stands at a segment with a token: Entered
	EventClaimed    EventType = "claimed"    // a delegate took the track's task: Claimed
	EventCompleted  EventType = "completed"  // a delegate ended it: Completed
	EventDecided    EventType = "decided"    // a person answered an approval: Decided
	EventChild      EventType = "child"      // a child track ended: Child
	EventStop       EventType = "stop"       // abort or expiry of everything open: Stop
	EventRecovered  EventType = "recovered"  // a machine caught an error at a segment: Recovered
	EventIntervened EventType = "intervened" // a person said what is to become of a step: Intervened
	EventGiven      EventType = "given"      // a person gave values a node asked for: Given
	EventWarned     EventType = "warned"     // something about the run that people should know: Warned
	EventLock       EventType = "lock"       // a claim was told how it stands: Lock
	EventPause      EventType = "pause"      // a person holds the walk up or lets it go on: Pause
	EventBarrier    EventType = "barrier"    // a position of a barrier told, or was told, how it stands: Barrier
	EventChained    EventType = "chained"    // a run that the stage has started ended: Chained
)

// Event is one change of a track: the truth, written once under (track, N). The
// track's state is the fold of its events through engine.Apply.
type Event struct {
	V    int       `json:"v"`
	N    int64     `json:"n"`  // number in the track, from 1, set when it is stored
	At   int64     `json:"at"` // ms since 1970, the server's clock
	Type EventType `json:"type"`
	// Source identifies what caused the event; a track takes each source once.
	Source string `json:"source,omitempty"`
	Actor  string `json:"actor,omitempty"` // who, when a person or credential did it

	Entered    *Entered         `json:"entered,omitempty"`
	Claimed    *Claimed         `json:"claimed,omitempty"`
	Completed  *Completed       `json:"completed,omitempty"`
	Decided    *Decided         `json:"decided,omitempty"`
	Child      *Child           `json:"child,omitempty"`
	Stop       *Stop            `json:"stop,omitempty"`
	Recovered  *Recovered       `json:"recovered,omitempty"`
	Warned     *Warned          `json:"warned,omitempty"`
	Intervened *Intervened      `json:"intervened,omitempty"`
	Lock       *LockAnswer      `json:"lock,omitempty"`
	Barrier    *BarrierPosition `json:"barrier,omitempty"`
	Given      *Given           `json:"given,omitempty"`
	Chained    *Chained         `json:"chained,omitempty"`
	Pause      *Pause           `json:"pause,omitempty"`

	// Facts are what the engine looked up outside the track to decide on this
	// event, by reference; folding it again uses them, not the world.
	Facts map[string]Fact `json:"facts,omitempty"`
	// Commands are what the event caused, executed after it is stored.
	Commands []Command `json:"commands,omitempty"`
}

// Started says how a run came to be.
type Started struct {
	Semantics int    `json:"semantics"`
	Sequence  int64  `json:"sequence"` // 1-based per pipeline
	Trigger   string `json:"trigger"`  // MANUAL
	By        Actor  `json:"by"`
	URL       string `json:"url"` // the run's page
}

// Actor is a person or credential that did something.
type Actor struct {
	ID     string   `json:"id"`
	Name   string   `json:"name,omitempty"`
	Email  string   `json:"email,omitempty"`
	Groups []string `json:"groups,omitempty"`
}

// Entered stores a segment's token. Of two tokens for one segment the one with
// the higher (At, Retry) stands.
type Entered struct {
	Segment int    `json:"segment"`
	Token   string `json:"token"`
	At      int64  `json:"at"` // $$.State.EnteredTime in ms
	Retry   int    `json:"retry,omitempty"`
	// State is where the machine stands; said only by an execution that was started
	// in place of a failed one.
	State string `json:"state,omitempty"`
	Round Round  `json:"round,omitzero"` // of the execution; one that is over by now is sent away
	// Generation and Continued are said by an execution that is not the first.
	Generation int `json:"generation,omitempty"`
	Continued  int `json:"continued,omitempty"`
}

// DelegateRef says which delegate, and what it can take.
type DelegateRef struct {
	ID   string   `json:"id"`
	Name string   `json:"name"`
	Boot string   `json:"boot,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

// Claimed gives the track's queued task to a delegate.
type Claimed struct {
	Task     string      `json:"task"`
	Delegate DelegateRef `json:"delegate"`
}

// Completed ends the track's task. Outputs over MaxInlineOutputs bytes are kept
// apart and OutputsRef says where.
type Completed struct {
	Task       string         `json:"task"`
	Fence      int64          `json:"fence"`
	Delegate   string         `json:"delegate"`
	More       bool           `json:"more,omitempty"` // it can take the next task at once
	OK         bool           `json:"ok"`
	Failure    *Failure       `json:"failure,omitempty"`
	Outputs    map[string]any `json:"outputs,omitempty"`
	OutputsRef *OutputsRef    `json:"outputsRef,omitempty"`
	Duration   int64          `json:"duration,omitempty"` // ms, the delegate's measure
	Log        *LastLines     `json:"log,omitempty"`      // nil when there are none or they are kept apart
}

// LastLines are the lines of a task's log that came with its end.
type LastLines struct {
	Seq   int             `json:"seq"` // of the chunk that they are
	Lines json.RawMessage `json:"lines"`
}

// MaxInlineLog is how many bytes of last lines (as JSON) an event carries itself:
// up to there an item of their own would cost more.
const MaxInlineLog = 2 << 10

// MaxInlineOutputs is how many bytes of outputs (as JSON) an event carries itself.
const MaxInlineOutputs = 8 << 10

// OutputsRef points to outputs kept outside the event, written once.
type OutputsRef struct {
	Blob   string `json:"blob"`
	Digest string `json:"digest"` // SHA-256, hex
	Bytes  int    `json:"bytes"`
}

// Failure is why a node failed; Types are engine names of BEHAVIOUR §8.2.
type Failure struct {
	Types   []string `json:"types"`
	Message string   `json:"message"`
}

// Decided is one person's answer to an approval.
type Decided struct {
	Approval string            `json:"approval"`
	Action   string            `json:"action"` // APPROVE or REJECT
	By       Actor             `json:"by"`
	Comments string            `json:"comments,omitempty"`
	Inputs   map[string]string `json:"inputs,omitempty"`
}

// Child tells a parent that a track it started has ended.
type Child struct {
	Track   string   `json:"track"`
	Status  Status   `json:"status"`
	Started int64    `json:"started,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
	// Rollback is the FQN of the stage or group above that its failure is to roll back.
	Rollback string `json:"rollback,omitempty"`
	// Because is the failure that Rollback follows on, nil when it is Failure.
	Because *Failure `json:"because,omitempty"`
	// RolledBack says that rollback steps of a stage have run.
	RolledBack bool `json:"rolledBack,omitempty"`
	// Again is the group above that its failure is to have tried again.
	Again *Again `json:"again,omitempty"`
	// FailAll: the stages beside it are not waited for before the pipeline is rolled back.
	FailAll bool  `json:"failAll,omitempty"`
	Round   Round `json:"round,omitzero"` // the walk that ended
	// Marked says that it failed in a rollback because strategies said MarkAsFailure:
	// the rollback goes on.
	Marked bool `json:"marked,omitempty"`
	// Held are the locks that outlast the child: a track above lets go of them.
	Held []Claim `json:"held,omitempty"`
}

// Again is a step group that a RetryStepGroup wants to be run once more.
type Again struct {
	Group    string `json:"group"`    // FQN
	Strategy string `json:"strategy"` // whose tries are counted
	Pause    int64  `json:"pause"`    // ms before
}

// Intervened is a person's word about one step: the answer to a ManualIntervention, or
// InterruptMarkFailed while it runs.
type Intervened struct {
	Node   string     `json:"node"` // FQN
	Action ActionType `json:"action"`
	By     Actor      `json:"by"`
}

// Given are the values a person gives to a node that asks for them (Node.Asks).
type Given struct {
	Node   string            `json:"node"`   // FQN
	Values map[string]string `json:"values"` // by path or an end of it that tells which
	By     Actor             `json:"by"`
}

// InterruptMarkFailed fails a running step in a person's name (BEHAVIOUR §8.13).
const InterruptMarkFailed = "UserMarkedFailure"

// Stop ends everything that is open in the track: as Aborted when a person asked,
// as Expired when a deadline passed.
type Stop struct {
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
	Round  Round  `json:"round,omitzero"` // the walk that is to end
}

// Warned says what people should know of a run that goes on. A run has one of each
// Code; the bus event is "run.<code>".
type Warned struct {
	Code    string  `json:"code"` // budget
	Message string  `json:"message"`
	At      int64   `json:"at,omitempty"`    // ms
	Limit   float64 `json:"limit,omitempty"` // USD
	Spent   float64 `json:"spent,omitempty"` // USD
}

// Recovered says that the machine at a segment saw an error and asks where to go.
type Recovered struct {
	Segment int    `json:"segment"`
	Error   string `json:"error"` // ASL error name
	// Lease is how the holder of the track's task stands by the server's clock:
	// "alive", "lost", or "" when nobody holds it.
	Lease string `json:"lease,omitempty"`
	// Eligible says that a connected delegate could take the queued task.
	Eligible bool  `json:"eligible,omitempty"`
	Round    Round `json:"round,omitzero"` // of the execution
}

// Fact is something looked up outside a track: how another track's node stands.
type Fact struct {
	Found   bool           `json:"found,omitempty"`
	Status  Status         `json:"status,omitempty"`
	Started int64          `json:"started,omitempty"`
	Ended   int64          `json:"ended,omitempty"`
	Attempt int            `json:"attempt,omitempty"`
	Outputs map[string]any `json:"outputs,omitempty"`
	// Within are the iterations that a track is inside of, outermost first.
	Within []Place `json:"within,omitempty"`
	// Digest stands for Outputs over MaxFactBytes in a stored event: they are
	// looked up again, and must have this SHA-256.
	Digest string `json:"digest,omitempty"`
}

// MaxFactBytes is how many bytes of looked-up outputs an event carries itself.
const MaxFactBytes = 1 << 10

// Route tells a state machine where to go next; always all fields.
type Route struct {
	Kind           string `json:"kind"` // a state's name
	Segment        int    `json:"segment"`
	TimeoutSeconds int64  `json:"timeoutSeconds"` // of a hold
	Track          string `json:"track"`          // of the stage to run
	Name           string `json:"name"`           // of its execution
	Verdict        Status `json:"verdict"`        // of a track that ends
	Then           *Route `json:"then"`           // with Leave: where the parent goes
}

// ExecutionInput is what an execution is started with: ids and its first route.
type ExecutionInput struct {
	Account string `json:"account"`
	Run     string `json:"run"`
	Track   string `json:"track"`
	Next    Route  `json:"next"`
}

// CommandKind names an effect the engine asks for.
type CommandKind string

// Command kinds. Every one is safe to execute twice and late; those of one event
// are executed in order.
const (
	DoStart    CommandKind = "start"    // start an execution: Machine, Name, Route, Track
	DoFinish   CommandKind = "finish"   // finish a token: Token, Route (Then of a stage is filled in from its parent)
	DoQueue    CommandKind = "queue"    // offer a task: Task
	DoUnqueue  CommandKind = "unqueue"  // take the offer back: Task
	DoDeliver  CommandKind = "deliver"  // give an event to a track, of another run when Run is set: Track, Event, Run
	DoSaveRun  CommandKind = "saveRun"  // bring the run's summary up to date: Status
	DoPublish  CommandKind = "publish"  // put an event on the bus: Topic, Status, of pauses Name (an FQN)
	DoDeadline CommandKind = "deadline" // set the run's deadline timer: At; 0 cancels
	DoAcquire  CommandKind = "acquire"  // ask for a lock, and have the track told how that stands: Claim
	DoDeployed CommandKind = "deployed" // note that a stage has deployed to an infrastructure: Claim
	DoRelease  CommandKind = "release"  // let go of a lock or leave its line, and have who is next told: Claim
	DoChain    CommandKind = "chain"    // make sure of a chained run, then start it or give it an event: Run, Track, Chain, Event
)

// Command is one effect of an event.
type Command struct {
	Do      CommandKind `json:"do"`
	Machine string      `json:"machine,omitempty"`
	Name    string      `json:"name,omitempty"`
	Track   string      `json:"track,omitempty"`
	Route   *Route      `json:"route,omitempty"`
	Token   string      `json:"token,omitempty"`
	Task    *QueuedTask `json:"task,omitempty"`
	Event   *Event      `json:"event,omitempty"`
	Status  Status      `json:"status,omitempty"`
	Topic   string      `json:"topic,omitempty"`
	At      int64       `json:"at,omitempty"`
	Claim   *Claim      `json:"claim,omitempty"`
	Run     string      `json:"run,omitempty"` // another than the track's own
	Chain   *ChainCall  `json:"chain,omitempty"`
}

// QueuedTask is a task on offer. What it does is in its track.
type QueuedTask struct {
	ID        string   `json:"id"`
	Run       string   `json:"run,omitempty"`
	Track     string   `json:"track,omitempty"`
	At        int64    `json:"at"` // ms, when it was first queued
	Selectors []string `json:"selectors,omitempty"`
}

// Pending reports whether the relay must make sure of the event's commands. A
// lost unqueue mends itself when somebody finds the stale offer.
func (e *Event) Pending() bool {
	for _, c := range e.Commands {
		if c.Do != DoUnqueue {
			return true
		}
	}
	return false
}

// ParseEvent reads a stored event; an unknown version is refused, never guessed.
func ParseEvent(body []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(body, &e); err != nil {
		return e, err
	}
	if e.V != EventVersion {
		return e, &VersionError{What: "event", Version: e.V}
	}
	return e, nil
}

// VersionError says that a record was written by a newer Slipway.
type VersionError struct {
	What    string
	Version int
}

func (e *VersionError) Error() string {
	return e.What + " has a version this Slipway does not know; upgrade before using this data"
}
