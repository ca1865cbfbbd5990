package engine

import (
	"slices"
	"strconv"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
)

// errorTypes is how failure strategies name the engine's types of failure
// (BEHAVIOUR §8.2). A type that is not here is matched by AllErrors alone.
var errorTypes = map[string]core.ErrorType{
	"UNKNOWN_FAILURE":             "Unknown",
	"APPLICATION_FAILURE":         "Unknown",
	"AUTHENTICATION_FAILURE":      "Authentication",
	"AUTHORIZATION_FAILURE":       "Authorization",
	"CONNECTIVITY_FAILURE":        "Connectivity",
	"TIMEOUT_FAILURE":             "Timeout",
	"VERIFICATION_FAILURE":        "Verification",
	"DELEGATE_PROVISIONING":       "DelegateProvisioning",
	"DELEGATE_RESTART":            "DelegateRestart",
	"POLICY_EVALUATION_FAILURE":   "PolicyEvaluationFailure",
	"INPUT_TIMEOUT_FAILURE":       core.InputTimeoutError,
	"APPROVAL_REJECTION":          "ApprovalRejection",
	userMarked:                    "UserMarkedFailure",
	"INFRASTRUCTURE_FAILURE":      "InfrastructureFailure",
	"PLUGIN_IMAGE_FAILURE":        "PluginImageFailure",
	"RESOURCE_LIMITS_FAILURE":     "ResourceLimitsFailure",
	"CONFIGURATION_FAILURE":       "ConfigurationFailure",
	"RETRYABLE_TRANSIENT_FAILURE": "RetryableTransientFailure",
}

// userMarked is the type of a failure that somebody declared.
const userMarked = "USER_MARKED_FAILURE"

// matches reports whether the strategy is for the failure: their types intersect.
func matches(s core.FailureStrategy, f *core.Failure) bool {
	return slices.ContainsFunc(s.Errors, func(e core.ErrorType) bool {
		return e == core.AllErrors || slices.ContainsFunc(f.Types, func(t string) bool { return errorTypes[t] == e })
	})
}

// rule is a failure strategy that applies: what it does, and which one it is.
type rule struct {
	key    string // names the strategy in the plan: retries are counted by it
	action core.FailureAction
	at     *core.Node // whose list it is in, nil for a person's word
}

// strategy looks up what to do about a node's failure: its own list, those of the
// groups around it innermost first, the stage's; the first that matches
// (BEHAVIOUR §8.12). In a rollback what is rolled back has no say any more. ok is
// false when nothing does.
func (w *walk) strategy(n *core.Node, f *core.Failure) (r rule, ok bool) {
	return w.strategyAt(n, w.run.undone(n), f)
}

// strategyAt is strategy from the level n outwards; undo is where a rollback ends.
func (w *walk) strategyAt(n, undo *core.Node, f *core.Failure) (r rule, ok bool) {
	for ; n != nil && n != undo; n = w.run.Parent(n) {
		for i, s := range n.Failure {
			if matches(s, f) {
				return rule{n.FQN + "#" + strconv.Itoa(i), s.Action, n}, true
			}
		}
	}
	return rule{}, false
}

// then is what follows the rule: MarkAsFailure when nothing is said.
func (r rule) then() rule {
	next := rule{key: r.key + ".then", at: r.at, action: core.FailureAction{Type: core.ActionMarkAsFailure}}
	if r.action.Then != nil {
		next.action = *r.action.Then
	}
	return next
}

// broken is a step that has failed, before anything was done about it.
type broken struct {
	n       *core.Node
	status  core.Status
	failure *core.Failure
	final   bool // it could not even be decided whether it runs: no other try
}

// nodeFailed does about a failed node what its failure strategies say. Without one
// the node fails, and what encloses it.
func (w *walk) nodeFailed(b broken) error {
	w.t.Task, w.t.Hold = nil, nil
	if b.n.Type == steps.InfrastructureLock {
		w.notLocked(b)
		return nil
	}
	r, ok := w.strategy(b.n, b.failure)
	w.traceFailure(b, r, ok)
	if ok {
		return w.act(b, r)
	}
	w.unhandled(b)
	return nil
}

// unhandled fails a node that no strategy is for, or no more.
func (w *walk) unhandled(b broken) {
	w.endNode(b.n, b.status, b.failure)
	w.settleNode(b.status, b.failure)
}

// act does what the rule says (BEHAVIOUR §8.3). What makes no sense where it stands
// marks the node as failed.
func (w *walk) act(b broken, r rule) error {
	w.traceAction(b, r)
	switch r.action.Type {
	case core.ActionRetry:
		again, err := w.mayRetry(b, r)
		if err != nil {
			return err
		}
		if !again {
			return w.act(b, r.then())
		}
		w.backOff(b, r)
	case core.ActionIgnore:
		w.endNode(b.n, core.IgnoreFailed, b.failure)
		w.next()
	case core.ActionMarkAsSuccess:
		w.endNode(b.n, core.Succeeded, b.failure)
		w.next()
	case core.ActionAbort:
		w.abort(b)
	case core.ActionManualIntervention:
		if b.final { // there is nothing that could be tried again
			return w.act(b, r.then())
		}
		w.ask(b, r)
	case core.ActionStageRollback, core.ActionStepGroupRollback, core.ActionPipelineRollback:
		w.rollBack(b, r)
	case core.ActionRetryStepGroup:
		return w.retryGroup(b, r)
	case core.ActionProceedDefault:
		if !w.proceed(b.n, b.failure) {
			w.markFailed(b)
		}
	case core.ActionMarkAsFailure:
		w.markFailed(b)
	}
	return nil
}

// markFailed fails the node and moves on: the conditions of what follows decide
// (BEHAVIOUR §8.5).
func (w *walk) markFailed(b broken) {
	w.endNode(b.n, core.Failed, b.failure)
	if w.t.Failure == nil {
		w.t.Failure = b.failure
	}
	w.t.Marked = w.branchOfRollback()
	w.next()
}

// abort ends the track, and by its end every track above it and what else is open
// in the run (BEHAVIOUR §8.6).
func (w *walk) abort(b broken) {
	w.endNode(b.n, core.Aborted, b.failure)
	if w.t.Failure == nil {
		w.t.Failure = b.failure
	}
	w.t.Stopping = core.Aborted
	w.endStopped()
}
