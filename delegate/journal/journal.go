// Package journal is what a delegate remembers on disk: who it is, and for each
// task that it began what is needed to end it properly after a crash. Values of
// secrets are never written in clear.
package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Journal is a delegate's work folder, held by one process at a time.
type Journal struct {
	dir  string
	lock *os.File
	opt  Options
	box  box
}

// Options of a journal.
type Options struct {
	// Secret is what secret outputs are encrypted with between the end of a step
	// and its acknowledgement. Without it they cannot be read after a restart.
	Secret string
	// Sync makes a file durable; nil for (*os.File).Sync. A new file's folder
	// entries are made durable with it by the file systems a delegate runs on
	// (ext4, xfs, btrfs, APFS), so that one call is enough for a record.
	Sync func(*os.File) error
}

// Open takes the folder, creating it. It fails with fault.Conflict while another
// process has it.
func Open(dir string, opt Options) (*Journal, error) {
	if opt.Sync == nil {
		opt.Sync = (*os.File).Sync
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.New(fault.Invalid, "work folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "tasks"), 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "creating the work folder: %w", err)
	}
	lock, err := takeLock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	b, err := newBox(opt.Secret)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return &Journal{dir: dir, lock: lock, opt: opt, box: b}, nil
}

// Close gives the folder up.
func (j *Journal) Close() error { return j.lock.Close() }

// DelegateID returns the id kept in the folder, storing a new one when there is none.
func (j *Journal) DelegateID(makeID func() string) (string, error) {
	path := filepath.Join(j.dir, "delegate.id")
	b, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(b)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fault.New(fault.Internal, "reading the delegate's id: %w", err)
	}
	id := makeID()
	return id, j.write(path, []byte(id+"\n"), true)
}

// Begin records that the task's effects may begin: durable when it returns.
func (j *Journal) Begin(ref wire.TaskRef) (*Entry, error) {
	e := j.entry(ref)
	if err := os.MkdirAll(e.WorkDir(), 0o700); err != nil {
		return nil, fault.New(fault.Internal, "creating a task's folder: %w", err)
	}
	return e, j.writeJSON(e.path("started"), started{ref}, true)
}

// started says that a task was begun. It names the task, for it is the only
// record that is certain to survive a loss of power.
type started struct {
	Task wire.TaskRef `json:"task"`
}

// Entries returns what an earlier process left, and removes folders of tasks that
// it had not begun.
func (j *Journal) Entries() ([]*Entry, error) {
	names, err := os.ReadDir(filepath.Join(j.dir, "tasks"))
	if err != nil {
		return nil, fault.New(fault.Internal, "reading the work folder: %w", err)
	}
	var out []*Entry
	for _, n := range names {
		dir := filepath.Join(j.dir, "tasks", n.Name())
		var s started
		if readJSON(filepath.Join(dir, "started"), &s) != nil || s.Task.ID == "" {
			_ = removeAll(dir)
			continue
		}
		out = append(out, &Entry{j: j, dir: dir, Task: s.Task})
	}
	return out, nil
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func (j *Journal) entry(ref wire.TaskRef) *Entry {
	name := ref.ID
	if !plain.MatchString(name) {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	dir := filepath.Join(j.dir, "tasks", name+"."+strconv.FormatInt(ref.Fence, 10))
	return &Entry{j: j, dir: dir, Task: ref}
}

func (j *Journal) writeJSON(path string, v any, durable bool) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fault.New(fault.Internal, "encoding a record: %w", err)
	}
	return j.write(path, append(b, '\n'), durable)
}

// write replaces a file in place: a torn record is not valid JSON and counts as absent.
func (j *Journal) write(path string, b []byte, durable bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fault.New(fault.Internal, "writing a record: %w", err)
	}
	_, err = f.Write(b)
	if err == nil && durable {
		err = j.opt.Sync(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fault.New(fault.Internal, "writing a record: %w", err)
	}
	return nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// removeAll removes a tree, also one whose folders were made read-only.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // only to remove it
		}
		return nil
	})
	return os.RemoveAll(dir)
}
