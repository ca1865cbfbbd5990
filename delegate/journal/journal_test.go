package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

var ref = wire.TaskRef{Run: "r", Track: "0.1", ID: "t1", Fence: 2}

func open(t *testing.T, dir, secret string) *Journal {
	t.Helper()
	j, err := Open(dir, Options{Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// reopened returns the one entry a new process finds.
func reopened(t *testing.T, j *Journal, dir, secret string) *Entry {
	t.Helper()
	_ = j.Close()
	entries, err := open(t, dir, secret).Entries()
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries %v, %v", entries, err)
	}
	return entries[0]
}

func TestEntrySurvives(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, "token")
	e, err := j.Begin(ref)
	if err != nil {
		t.Fatal(err)
	}
	id := process.Identity{Group: 7, Started: "x", Marks: []string{"A=b"}}
	outcome := wire.Outcome{OK: true, Secret: map[string]string{"k": "s3cret"}, Outputs: map[string]any{"a": "1"}}
	for _, err := range []error{e.SetProcess(id), e.SetOutcome(outcome)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := reopened(t, j, dir, "token")
	if again.Task != ref {
		t.Errorf("task = %+v", again.Task)
	}
	if got, ok := again.Process(); !ok || !cmp.Equal(got, id) {
		t.Errorf("process = %+v", got)
	}
	if got, ok, err := again.Outcome(); !ok || err != nil || !cmp.Equal(got, outcome) {
		t.Errorf("outcome = %+v, %v", got, err)
	}
	if err := again.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(again.dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestSecretsAreSealed(t *testing.T) {
	tests := map[string]struct {
		first, second string
		readable      bool
	}{
		"the same secret": {"token", "token", true},
		"another secret":  {"token", "rotated", false},
		"no secret":       {"", "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := open(t, dir, tc.first)
			e, _ := j.Begin(ref)
			if err := e.SetOutcome(wire.Outcome{Secret: map[string]string{"k": "s3cret"}}); err != nil {
				t.Fatal(err)
			}
			b, _ := os.ReadFile(e.path("outcome.json"))
			if strings.Contains(string(b), "s3cret") {
				t.Error("a secret is on disk in clear")
			}
			o, ok, err := reopened(t, j, dir, tc.second).Outcome()
			if !ok || (err == nil) != tc.readable || (o.Secret["k"] == "s3cret") != tc.readable {
				t.Errorf("outcome %+v, %v, %v", o, ok, err)
			}
		})
	}
}

func TestTornRecordsCountAsAbsent(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, "token")
	e, _ := j.Begin(ref)
	_ = e.SetOutcome(wire.Outcome{OK: true})
	b, _ := os.ReadFile(e.path("outcome.json"))
	for _, torn := range [][]byte{nil, b[:len(b)/2], b[:len(b)-2], make([]byte, len(b))} {
		_ = os.WriteFile(e.path("outcome.json"), torn, 0o600)
		if _, ok, _ := e.Outcome(); ok {
			t.Errorf("a torn outcome was read: %q", torn)
		}
	}
	_ = os.WriteFile(e.path("started"), []byte(`{"task":`), 0o600)
	_ = j.Close()
	if entries, err := open(t, dir, "token").Entries(); err != nil || len(entries) != 0 {
		t.Errorf("entries %v, %v", entries, err)
	}
}

func TestLogKeepsItsChunks(t *testing.T) {
	j := open(t, t.TempDir(), "token")
	e, _ := j.Begin(ref)
	log, err := e.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := wire.LogLine{Time: 1, Level: "INFO", Text: "a"}, wire.LogLine{Time: 2, Level: "ERROR", Text: "b\n"}, wire.LogLine{Text: "c"}
	for _, err := range []error{log.Lines(a, b), log.Chunk(1, 1), log.Lines(c), log.Chunk(2, 1), log.Acked(1)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, _ := os.OpenFile(e.path("log"), os.O_APPEND|os.O_WRONLY, 0)
	_, _ = f.WriteString(`{"t":5,"x":"torn`)
	_ = f.Close()
	got, err := e.ReadLog()
	want := Logged{Chunks: []wire.LogChunk{{Seq: 2, Lines: []wire.LogLine{b}}}, Rest: []wire.LogLine{c}, Seq: 2, Bytes: 4}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, "")
	if _, err := Open(dir, Options{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second Open = %v", err)
	}
	_ = j.Close()
	open(t, dir, "")
}

func TestTwoRecordsATaskAreForced(t *testing.T) {
	n := 0
	j, err := Open(t.TempDir(), Options{Sync: func(*os.File) error { n++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	e, _ := j.Begin(ref)
	_ = e.SetProcess(process.Identity{})
	log, _ := e.OpenLog()
	_ = log.Lines(wire.LogLine{Text: "x"})
	_ = e.SetOutcome(wire.Outcome{})
	if n != 2 {
		t.Errorf("%d records forced to disk, want 2", n)
	}
}

func TestIDsAreNoPaths(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, "")
	for _, id := range []string{"../../evil", "a/b", "", strings.Repeat("x", 300), "é"} {
		e, err := j.Begin(wire.TaskRef{ID: id, Fence: 1})
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(e.dir) != filepath.Join(dir, "tasks") {
			t.Errorf("%q is kept in %s", id, e.dir)
		}
	}
}

func TestReadOnlyFoldersAreRemoved(t *testing.T) {
	j := open(t, t.TempDir(), "")
	e, _ := j.Begin(ref)
	deep := filepath.Join(e.WorkDir(), "a", "b")
	_ = os.MkdirAll(deep, 0o700)
	_ = os.WriteFile(deep+"/f", nil, 0o400)
	_ = os.Chmod(deep, 0o500)
	if err := e.Ended(); err != nil {
		t.Error(err)
	}
}
