package steps

import (
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// queue waits in line for a key and keeps it until the run or the stage ends
// (BEHAVIOUR §11.2).
var queue = Step{
	Type: "Queue", Mode: Lock, DefaultTimeout: 10 * time.Minute,
	Fields: append(ignored(),
		Field{Name: "key", Required: true},
		Field{Name: "scope", Required: true, Enum: []string{string(core.ScopePipeline), string(core.ScopeStage)}},
		selectors(),
	),
}

// resourceConstraint is what a Deployment stage has in its place for its
// infrastructure (BEHAVIOUR §3.5): a Queue that nobody writes.
var resourceConstraint = Step{
	Type: InfrastructureLock, Mode: Lock, Internal: true, DefaultTimeout: 7 * 24 * time.Hour, Fields: queue.Fields,
}

// InfrastructureLock is the type of the step that waits for a stage's infrastructure.
// Its spec is a Queue's, its key the infrastructure key, its scope Stage.
const InfrastructureLock = "ResourceConstraint"

// ReadLock reads the rendered spec of a step that waits for a lock: the lock's name and
// with whose end it is let go of.
func ReadLock(typ string, spec map[string]any) (name string, scope core.LockScope, err error) {
	r := reader{spec: spec}
	key := r.text("key")
	scope = core.LockScope(r.text("scope"))
	kind := core.LockQueue
	if typ == InfrastructureLock {
		kind = core.LockInfra
	}
	switch {
	case r.err != nil:
		return "", "", r.err
	case key == "":
		return "", "", fault.New(fault.Invalid, "key is empty: expected what the step waits in line for")
	case len(key) > core.MaxLockKey:
		return "", "", fault.New(fault.Invalid, "key has %d bytes: at most %d are allowed", len(key), core.MaxLockKey)
	case scope != core.ScopePipeline && scope != core.ScopeStage:
		return "", "", fault.New(fault.Invalid, "scope is %q: expected Pipeline or Stage", scope)
	}
	return core.LockName(kind, key), scope, nil
}
