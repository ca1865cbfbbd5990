package core

// Status is where a node, track or run stands, in the engine's own spelling
// (BEHAVIOUR §14.1). The empty status means not started.
type Status string

// Statuses. Those the engine does not set yet are here because they travel.
const (
	NotStarted          Status = ""
	Queued              Status = "QUEUED"
	Running             Status = "RUNNING"
	AsyncWaiting        Status = "ASYNC_WAITING"
	TaskWaiting         Status = "TASK_WAITING"
	TimedWaiting        Status = "TIMED_WAITING"
	InterventionWaiting Status = "INTERVENTION_WAITING"
	ApprovalWaiting     Status = "APPROVAL_WAITING"
	InputWaiting        Status = "INPUT_WAITING"
	ResourceWaiting     Status = "RESOURCE_WAITING"
	WaitStepRunning     Status = "WAIT_STEP_RUNNING"
	Discontinuing       Status = "DISCONTINUING"
	Pausing             Status = "PAUSING" // somebody paused it, and something in it still runs
	Paused              Status = "PAUSED"
	QueuedConcurrency   Status = "QUEUED_EXECUTION_CONCURRENCY_REACHED" // a run, while as many as may go on

	Succeeded        Status = "SUCCEEDED"
	Failed           Status = "FAILED"
	Errored          Status = "ERRORED"
	IgnoreFailed     Status = "IGNORE_FAILED"
	Skipped          Status = "SKIPPED"
	Suspended        Status = "SUSPENDED"
	Expired          Status = "EXPIRED"
	Aborted          Status = "ABORTED"
	AbortedByFreeze  Status = "ABORTED_BY_FREEZE"
	ApprovalRejected Status = "APPROVAL_REJECTED"
)

// statusRow is what is known of a status. rank orders terminal statuses for
// aggregation: the highest of the children is the parent's (BEHAVIOUR §14.2).
type statusRow struct {
	api      string
	terminal bool
	failing  bool
	rank     int
}

var statuses = map[Status]statusRow{
	NotStarted:          {api: "NotStarted"},
	Queued:              {api: "Queued"},
	Running:             {api: "Running"},
	AsyncWaiting:        {api: "AsyncWaiting"},
	TaskWaiting:         {api: "TaskWaiting"},
	TimedWaiting:        {api: "TimedWaiting"},
	InterventionWaiting: {api: "InterventionWaiting"},
	ApprovalWaiting:     {api: "ApprovalWaiting"},
	InputWaiting:        {api: "InputWaiting"},
	ResourceWaiting:     {api: "ResourceWaiting"},
	WaitStepRunning:     {api: "WaitStepRunning"},
	Discontinuing:       {api: "Discontinuing"},
	Pausing:             {api: "Pausing"},
	Paused:              {api: "Paused"},
	QueuedConcurrency:   {api: "QueuedExecutionConcurrencyReached"},

	Succeeded:        {api: "Success", terminal: true, rank: 1},
	Skipped:          {api: "Skipped", terminal: true},
	Suspended:        {api: "Suspended", terminal: true},
	IgnoreFailed:     {api: "IgnoreFailed", terminal: true, rank: 2},
	Expired:          {api: "Expired", terminal: true, failing: true, rank: 3},
	ApprovalRejected: {api: "ApprovalRejected", terminal: true, failing: true, rank: 4},
	AbortedByFreeze:  {api: "AbortedByFreeze", terminal: true, failing: true, rank: 5},
	Errored:          {api: "Errored", terminal: true, failing: true, rank: 6},
	Failed:           {api: "Failed", terminal: true, failing: true, rank: 7},
	Aborted:          {api: "Aborted", terminal: true, failing: true, rank: 8},
}

// API returns the status as Harness's REST interface spells it.
func (s Status) API() string { return statuses[s].api }

// Terminal reports whether a node in this status has ended.
func (s Status) Terminal() bool { return statuses[s].terminal }

// Failing reports whether an end in this status counts as a failure (BEHAVIOUR §9.4).
func (s Status) Failing() bool { return statuses[s].failing }

// Aggregate is the end status of a parent whose children ended so: the worst of
// them, Succeeded when there are none or all were skipped (BEHAVIOUR §14.2).
func Aggregate(children ...Status) Status {
	worst := Succeeded
	for _, c := range children {
		if statuses[c].rank > statuses[worst].rank {
			worst = c
		}
	}
	return worst
}
