package core

import "strings"

// WhenStatus is what must have become of the nodes before one, for it to run
// (BEHAVIOUR §9.1).
type WhenStatus string

// Statuses a condition asks for.
const (
	WhenSuccess WhenStatus = "Success"
	WhenFailure WhenStatus = "Failure"
	WhenAll     WhenStatus = "All"
)

// When is a node's own condition: both parts must hold. A stage's status is about
// the pipeline, a step's or group's about its stage.
type When struct {
	Status    WhenStatus `json:"status"`
	Condition string     `json:"condition,omitempty"` // an expression, "" for none
	Pos       Position   `json:"pos"`
}

// ErrorType is a type of failure as failure strategies name it (BEHAVIOUR §8.2).
type ErrorType string

// AllErrors matches every failure, those of no type included.
const AllErrors ErrorType = "AllErrors"

// InputTimeoutError is the failure of an input that nobody gave in time.
const InputTimeoutError ErrorType = "InputTimeoutError"

// ErrorTypes are all that a strategy may name.
var ErrorTypes = func() (all []ErrorType) {
	for w := range strings.FieldsSeq(`AllErrors Unknown Authentication Authorization Connectivity Timeout Verification
		DelegateProvisioning PolicyEvaluationFailure InputTimeoutError ApprovalRejection DelegateRestart UserMarkedFailure
		InfrastructureFailure PluginImageFailure ResourceLimitsFailure ConfigurationFailure RetryableTransientFailure`) {
		all = append(all, ErrorType(w))
	}
	return all
}()

// ActionType is what a failure strategy does (BEHAVIOUR §8.3).
type ActionType string

// Actions.
const (
	ActionIgnore             ActionType = "Ignore"
	ActionRetry              ActionType = "Retry"
	ActionMarkAsSuccess      ActionType = "MarkAsSuccess"
	ActionMarkAsFailure      ActionType = "MarkAsFailure"
	ActionAbort              ActionType = "Abort"
	ActionStageRollback      ActionType = "StageRollback"
	ActionStepGroupRollback  ActionType = "StepGroupRollback"
	ActionPipelineRollback   ActionType = "PipelineRollback"
	ActionManualIntervention ActionType = "ManualIntervention"
	ActionProceedDefault     ActionType = "ProceedWithDefaultValues"
	ActionRetryStepGroup     ActionType = "RetryStepGroup"
)

// ActionTypes are all actions.
var ActionTypes = []ActionType{ActionIgnore, ActionRetry, ActionMarkAsSuccess, ActionMarkAsFailure, ActionAbort, ActionStageRollback,
	ActionStepGroupRollback, ActionPipelineRollback, ActionManualIntervention, ActionProceedDefault, ActionRetryStepGroup}

// FailureStrategy is one entry of a node's list: the first that names a type of
// the failure decides (BEHAVIOUR §8.12).
type FailureStrategy struct {
	Errors []ErrorType   `json:"errors"`
	Action FailureAction `json:"action"`
	Pos    Position      `json:"pos"`
}

// FailureAction is an action with what belongs to its type.
type FailureAction struct {
	Type ActionType `json:"type"`
	// Retries and Intervals (ms, the last one repeats) are of Retry and
	// RetryStepGroup; Condition of Retry: without it being true there is none.
	Retries   int     `json:"retries,omitempty"`
	Intervals []int64 `json:"intervals,omitempty"`
	Condition string  `json:"condition,omitempty"`
	// Timeout (ms) and Allowed (empty: all actions) are of ManualIntervention.
	Timeout int64        `json:"timeout,omitempty"`
	Allowed []ActionType `json:"allowed,omitempty"`
	// Then is what follows when Retry has failed or ManualIntervention timed out.
	Then *FailureAction `json:"then,omitempty"`
	// FailAll of PipelineRollback: running siblings are not waited for.
	FailAll bool `json:"failAll,omitempty"`
}

// Pause is how long (ms) Retry and RetryStepGroup wait when they have been taken
// tries times before: the last interval repeats.
func (a FailureAction) Pause(tries int) int64 {
	if len(a.Intervals) == 0 {
		return 0
	}
	return a.Intervals[min(tries, len(a.Intervals)-1)]
}
