package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func openAt(t *testing.T, path string, c core.Clock) *File {
	t.Helper()
	f, err := Open(path, Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func openNew(t *testing.T) *File {
	return openAt(t, filepath.Join(t.TempDir(), "data"), clock.System())
}

func TestOpenRefuses(t *testing.T) {
	tests := map[string]struct {
		make func(t *testing.T, path string)
		kind fault.Kind
		says string
	}{
		"in use": {func(t *testing.T, path string) { openAt(t, path, nil) }, fault.Unavailable, "another slipway is using"},
		"no database": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
				t.Fatal(err)
			}
		}, fault.Invalid, "not a slipway data file"},
		"another program's": {func(t *testing.T, path string) {
			alter(t, path, func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
		}, fault.Invalid, "another program's"},
		"newer": {func(t *testing.T, path string) {
			_ = openAt(t, path, nil).Close()
			alter(t, path, func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, []byte{0, 0, 0, 99}) })
		}, fault.Invalid, "newer slipway (schema 99"},
		"no folder": {func(t *testing.T, path string) { _ = os.Remove(filepath.Dir(path)) }, fault.Unavailable, "opening the data file"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "data")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			tc.make(t, path)
			_, err := Open(path, Options{})
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func alter(t *testing.T, path string, fn func(tx *bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFileMode(t *testing.T) {
	f := openNew(t)
	info, err := os.Stat(f.db.Path())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	_ = openAt(t, path, nil).Close()
	steps := append(schema[:len(schema):len(schema)], func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("added"))
		return err
	})
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	failing := append(steps[:len(steps):len(steps)], func(*bolt.Tx) error { return errors.New("no") })
	if err := prepare(db, failing); !fault.Is(err, fault.Internal) {
		t.Errorf("a step that fails: %v", err)
	}
	for range 2 { // the second time there is nothing to do
		if err := prepare(db, steps); err != nil {
			t.Fatal(err)
		}
	}
	_ = db.View(func(tx *bolt.Tx) error {
		if n, err := schemaOf(tx); n != len(steps) || err != nil || tx.Bucket([]byte("added")) == nil {
			t.Errorf("schema %d, %v", n, err)
		}
		return nil
	})
}

func TestClosed(t *testing.T) {
	f := openNew(t)
	s, ctx := f.Store(), t.Context()
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	key := core.Key{PK: "p", SK: "s"}
	_, get := s.Get(ctx, key, true)
	_, query := s.Query(ctx, core.Query{PK: "p"})
	for name, err := range map[string]error{
		"get": get, "query": query, "write": s.Write(ctx, core.Put{Item: core.Item{Key: key}}),
		"save":  f.Records("r").Save(ctx, map[string][]byte{"k": nil}, nil),
		"watch": s.Watch(ctx, "w", func(context.Context, []core.Item) error { return nil }),
	} {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCanceledBefore(t *testing.T) {
	f := openNew(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	key := core.Key{PK: "p", SK: "s"}
	if err := f.Store().Write(ctx, core.Put{Item: core.Item{Key: key}}); !fault.Is(err, fault.Canceled) {
		t.Errorf("write: %v", err)
	}
	if _, err := f.Store().Get(t.Context(), key, true); !fault.Is(err, fault.NotFound) {
		t.Errorf("it was written all the same: %v", err)
	}
}

// hold blocks the writer until the returned function is called, so that what is
// queued meanwhile becomes one batch.
func (f *File) hold() (release func()) {
	entered, leave := make(chan struct{}), make(chan struct{})
	go func() {
		_ = f.update(context.Background(), 0, func(*bolt.Tx) error { close(entered); <-leave; return nil })
	}()
	<-entered
	return func() { close(leave) }
}

// queue starts fn and returns once its job is the n-th in the queue.
func (f *File) queue(n int, fn func() error) (verdict <-chan error) {
	c := make(chan error, 1)
	go func() { c <- fn() }()
	for {
		f.writer.mu.Lock()
		queued := len(f.writer.queue)
		f.writer.mu.Unlock()
		if queued == n {
			return c
		}
		runtime.Gosched()
	}
}

func TestBatch(t *testing.T) {
	f := openNew(t)
	s, ctx := f.Store(), t.Context()
	put := func(sk string, version int64, c core.Condition) func() error {
		return func() error {
			return s.Write(ctx, core.Put{Item: core.Item{Key: core.Key{PK: "p", SK: sk}, Version: version}, If: c})
		}
	}
	tear := func() error {
		return f.update(ctx, 0, func(tx *bolt.Tx) error {
			_ = tx.Bucket(itemBucket).Put([]byte("half"), []byte("done"))
			return torn{errors.New("bad luck")}
		})
	}
	tests := map[string]struct {
		writes  []func() error
		want    []fault.Kind // -1 for none
		commits int64
	}{
		"conditions see earlier writes of the batch": {
			[]func() error{put("a", 1, core.IfAbsent()), put("a", 2, core.IfAbsent()), put("a", 3, core.IfVersion(1)), put("b", 1, core.IfVersion(9))},
			[]fault.Kind{-1, fault.Conflict, -1, fault.Conflict}, 2,
		},
		"one that tears is alone in its loss": {
			[]func() error{put("c", 1, core.IfAbsent()), tear, put("d", 1, core.IfAbsent())},
			[]fault.Kind{-1, fault.Unavailable, -1}, 3,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := f.Stats()
			release := f.hold()
			var verdicts []<-chan error
			for i, w := range tc.writes {
				verdicts = append(verdicts, f.queue(i+1, w))
			}
			release()
			for i, v := range verdicts {
				err := <-v
				if ok := err == nil; ok != (tc.want[i] == -1) || !ok && !fault.Is(err, tc.want[i]) {
					t.Errorf("write %d: %v", i, err)
				}
			}
			if n := f.Stats().Commits - before.Commits; n != tc.commits {
				t.Errorf("%d commits, want %d", n, tc.commits)
			}
		})
	}
	_ = f.view(ctx, func(tx *bolt.Tx) error {
		if tx.Bucket(itemBucket).Get([]byte("half")) != nil {
			t.Error("half a change is in the file")
		}
		return nil
	})
}

func TestRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	f := openAt(t, path, nil)
	r, ctx := f.Records("a"), t.Context()
	all := func(r *Records) map[string]string {
		got := map[string]string{}
		if err := r.Each(func(k string, v []byte) error { got[k] = string(v); return nil }); err != nil {
			t.Error(err)
		}
		return got
	}
	if _, found, err := r.Get("x"); found || err != nil || len(all(r)) != 0 {
		t.Errorf("records never saved: %v, %v", found, err)
	}
	if err := r.Save(ctx, map[string][]byte{"": nil}, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("an empty key: %v", err)
	}
	want := map[string]string{}
	put := map[string][]byte{}
	for i := range 3 * eachRecords / 2 {
		k := fmt.Sprintf("%04d", i)
		want[k], put[k] = k, []byte(k)
	}
	want["empty"], put["empty"] = "", []byte{}
	delete(want, "0007")
	if err := errors.Join(r.Save(ctx, put, nil), r.Save(ctx, nil, []string{"0007", "nobody"}), r.Save(ctx, nil, nil)); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()

	f = openAt(t, path, nil)
	if diff := cmp.Diff(want, all(f.Records("a"))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if v, found, err := f.Records("a").Get("empty"); !found || len(v) != 0 || err != nil {
		t.Errorf("an empty value: %q, %v, %v", v, found, err)
	}
	if len(all(f.Records("b"))) != 0 {
		t.Error("records of one name are seen under another")
	}
	stop := errors.New("stop")
	if err := f.Records("a").Each(func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("fn's error: %v", err)
	}
}
