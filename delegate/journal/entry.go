package journal

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Entry is the record of one dispatch of a task: a folder of its own with
// started, process, log and outcome.json.
type Entry struct {
	Task wire.TaskRef
	j    *Journal
	dir  string
}

func (e *Entry) path(name string) string { return filepath.Join(e.dir, name) }

// WorkDir is the task's private folder. It exists until Ended.
func (e *Entry) WorkDir() string { return e.path("work") }

// SetProcess records the group that does the task's work. It must survive this
// process, not the machine: after a reboot there is no group left.
func (e *Entry) SetProcess(id process.Identity) error {
	return e.j.writeJSON(e.path("process"), id, false)
}

// Process returns the recorded group.
func (e *Entry) Process() (process.Identity, bool) {
	var id process.Identity
	err := readJSON(e.path("process"), &id)
	return id, err == nil
}

// Ended removes the work folder.
func (e *Entry) Ended() error { return removeAll(e.WorkDir()) }

// outcome is a recorded outcome; its secret part is sealed.
type outcome struct {
	Outcome wire.Outcome `json:"outcome"`
	Sealed  []byte       `json:"sealed,omitempty"`
}

// SetOutcome records how the task ended, durable when it returns.
func (e *Entry) SetOutcome(o wire.Outcome) error {
	rec := outcome{Outcome: o}
	if len(o.Secret) > 0 {
		sealed, err := e.j.box.seal(o.Secret)
		if err != nil {
			return err
		}
		rec.Sealed, rec.Outcome.Secret = sealed, nil
	}
	return e.j.writeJSON(e.path("outcome.json"), rec, true)
}

// Outcome returns the recorded outcome; ok is false when there is none. It fails
// when the secret part cannot be decrypted any more.
func (e *Entry) Outcome() (o wire.Outcome, ok bool, err error) {
	var rec outcome
	if readJSON(e.path("outcome.json"), &rec) != nil {
		return wire.Outcome{}, false, nil
	}
	if len(rec.Sealed) > 0 {
		rec.Outcome.Secret, err = e.j.box.open(rec.Sealed)
	}
	return rec.Outcome, true, err
}

// Remove forgets the task: its completion was acknowledged, or it is no longer ours.
func (e *Entry) Remove() error {
	// Without "started" the rest counts for nothing, however little is removed.
	err := os.Remove(e.path("started"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(err, removeAll(e.dir)); err != nil {
		return fault.New(fault.Internal, "removing a task's folder: %w", err)
	}
	return nil
}
