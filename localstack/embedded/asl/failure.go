package asl

import (
	"fmt"
	"slices"
)

// Error names that the language and Step Functions define.
const (
	ErrAll              = "States.ALL"
	ErrTimeout          = "States.Timeout"
	ErrHeartbeatTimeout = "States.HeartbeatTimeout"
	ErrTaskFailed       = "States.TaskFailed"
	ErrPermissions      = "States.Permissions"
	ErrResultPath       = "States.ResultPathMatchFailure"
	ErrParameterPath    = "States.ParameterPathFailure"
	ErrNoChoiceMatched  = "States.NoChoiceMatched"
	ErrDataLimit        = "States.DataLimitExceeded"
	ErrRuntime          = "States.Runtime"
)

// reserved are the names beginning with States. that a retrier or catcher may hold.
var reserved = []string{
	ErrAll, ErrTimeout, ErrHeartbeatTimeout, ErrTaskFailed, ErrPermissions,
	ErrResultPath, ErrParameterPath, ErrNoChoiceMatched, ErrDataLimit,
}

// Failure is an error of a state: its name and a text for people.
type Failure struct {
	Error string
	Cause string // at most MaxCause bytes are kept
}

// MaxCause bounds a cause, as Step Functions does.
const MaxCause = 32 << 10

func failure(name, format string, args ...any) *Failure {
	return &Failure{name, fmt.Sprintf(format, args...)}
}

// matches reports whether ErrorEquals covers an error, by the rules of "Handling
// errors in Step Functions workflows": States.ALL covers neither data limits nor
// runtime errors, States.TaskFailed no time-outs either, States.Timeout a lost
// heartbeat too, and nothing covers States.Runtime.
func matches(names []string, err string) bool {
	if err == ErrRuntime {
		return false
	}
	late := err == ErrTimeout || err == ErrHeartbeatTimeout
	return slices.ContainsFunc(names, func(name string) bool {
		switch name {
		case err:
			return true
		case ErrAll:
			return err != ErrDataLimit
		case ErrTaskFailed:
			return err != ErrDataLimit && !late
		case ErrTimeout:
			return late
		default:
			return false
		}
	})
}
