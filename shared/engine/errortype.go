package engine

import "github.com/slipway-cd/slipway/shared/core"

// FailureType is the engine's type for what failure strategies call e: of several the
// one that steps fail with. AllErrors is "" for it is of no type.
func FailureType(e core.ErrorType) string {
	if e == "Unknown" {
		return "UNKNOWN_FAILURE"
	}
	for typ, known := range errorTypes {
		if known == e {
			return typ
		}
	}
	return ""
}

// ErrorType is what failure strategies call an engine's type of failure, the type
// itself when only AllErrors matches it.
func ErrorType(typ string) core.ErrorType {
	if e, ok := errorTypes[typ]; ok {
		return e
	}
	return core.ErrorType(typ)
}

// Undone returns the stage or group that a node belongs to the rollback of, nil for
// none.
func (r *Run) Undone(n *core.Node) *core.Node { return r.undone(n) }
