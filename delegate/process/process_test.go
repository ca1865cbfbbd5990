//go:build unix

package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

type clock struct{}

func (clock) Now() time.Time { return time.Now() }
func (clock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// sh starts a shell that waits at the gate and then runs the script.
func sh(t *testing.T, script string, out io.Writer, marks ...string) *Group {
	t.Helper()
	path, err := exec.LookPath("bash") // whose set -m needs no terminal
	if err != nil {
		t.Skip("no bash")
	}
	g, err := Start(Command{
		Path: path, Args: []string{"-c", "read go <&3 || exit 97; exec 3<&-; " + script}, Dir: t.TempDir(),
		Env: append(os.Environ(), marks...), Stdout: out, Stderr: out, Clock: clock{}, Grace: 200 * time.Millisecond,
	}, marks...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestExit(t *testing.T) {
	tests := map[string]struct {
		script string
		want   Exit
	}{
		"success": {"true", Exit{}},
		"status":  {"exit 3", Exit{Code: 3}},
		"signal":  {"kill -9 $$", Exit{Code: 137, Signal: "killed"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g := sh(t, tc.script, io.Discard)
			if err := g.Release(); err != nil {
				t.Fatal(err)
			}
			if got := g.Wait(nil); got != tc.want {
				t.Errorf("exit = %+v", got)
			}
		})
	}
}

func TestNothingHappensBeforeRelease(t *testing.T) {
	var out bytes.Buffer
	g := sh(t, "echo ran", &out)
	if got := g.Wait(nil); got.Code != 97 || out.Len() != 0 {
		t.Errorf("exit = %+v, output %q", got, out.String())
	}
}

func TestOutputIsReadToItsEnd(t *testing.T) {
	var out bytes.Buffer
	g := sh(t, "head -c 3000000 /dev/zero", &out)
	_ = g.Release()
	if got := g.Wait(nil); got.Code != 0 || out.Len() != 3000000 {
		t.Errorf("exit = %+v, %d bytes", got, out.Len())
	}
}

// pidWriter tells the number a script prints first.
type pidWriter chan int

func (w pidWriter) Write(p []byte) (int, error) {
	if pid, err := strconv.Atoi(strings.TrimSpace(string(p))); err == nil {
		w <- pid
	}
	return len(p), nil
}

func TestStopEndsEveryMember(t *testing.T) {
	tests := map[string]string{
		"a child":              "sleep 71 & echo $!; wait",
		"one that ignores":     "trap '' TERM; (trap '' TERM; sleep 72; sleep 72) & echo $!; wait",
		"a group of its own":   "set -m; sleep 73 & echo $!; wait",
		"a session of its own": "setsid sh -c 'echo $$; exec sleep 74' & wait",
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(script, "setsid") && runtime.GOOS != "linux" {
				t.Skip("found by its environment, on Linux only")
			}
			pids := make(pidWriter, 1)
			g := sh(t, script, pids, "SLIPWAY_TEST_MARK="+t.Name())
			_ = g.Release()
			pid := <-pids
			stop := make(chan struct{})
			close(stop)
			if got := g.Wait(stop); got.Code == 0 {
				t.Errorf("exit = %+v", got)
			}
			if running(pid) {
				t.Errorf("process %d is left", pid)
			}
		})
	}
}

func TestWhatIsLeftAtTheEnd(t *testing.T) {
	tests := map[string]struct {
		script string
		lives  bool
	}{
		"a child":              {"sleep 76 >/dev/null 2>&1 & echo $!", false},
		"a group of its own":   {"set -m; sleep 77 >/dev/null 2>&1 & echo $!", false},
		"a session of its own": {"setsid sh -c 'echo $$; exec sleep 78 >/dev/null 2>&1' & wait_for_it() { sleep 0.3; }; wait_for_it", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("sessions are looked through on Linux only")
			}
			pids := make(pidWriter, 1)
			g := sh(t, tc.script, pids, "SLIPWAY_TEST_MARK="+t.Name())
			_ = g.Release()
			if got := g.Wait(nil); got.Code != 0 {
				t.Errorf("exit = %+v", got)
			}
			pid := <-pids
			if running(pid) != tc.lives {
				t.Errorf("process %d lives: %v, want %v", pid, !tc.lives, tc.lives)
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		})
	}
}

func TestEnd(t *testing.T) {
	mark := "SLIPWAY_TEST_MARK=end"
	tests := map[string]struct {
		change func(*Identity)
		ended  bool
	}{
		"the recorded group": {func(*Identity) {}, true},
		"another start":      {func(id *Identity) { id.Started, id.At, id.Marks = "1", id.At-3_600_000, nil }, false},
		"another boot":       {func(id *Identity) { id.Boot, id.At = "x", id.At-3_600_000 }, false},
		"no group":           {func(id *Identity) { *id = Identity{} }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g := sh(t, "exec sleep 75", io.Discard, mark)
			_ = g.Release()
			done := make(chan struct{})
			stop := make(chan struct{})
			go func() { g.Wait(stop); close(done) }()
			id := g.Identity()
			tc.change(&id)
			if got := End(id, clock{}, 200*time.Millisecond); got != tc.ended {
				t.Errorf("End = %v", got)
			}
			if !tc.ended && !running(g.Identity().Group) {
				t.Error("a group was ended that is not the recorded one")
			}
			close(stop)
			<-done
		})
	}
}

// running reports whether the process lives; a zombie does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(b), ") Z ")
}
