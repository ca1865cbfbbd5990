//go:build unix

package delegate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// await looks until cond holds, for what no event tells.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !cond(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func awaitPID(t testing.TB, path string) (pid int) {
	t.Helper()
	await(t, path, func() bool {
		b, _ := os.ReadFile(path)
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil && strings.HasSuffix(string(b), "\n")
	})
	return pid
}

// awaitGone waits until the process has ended.
func awaitGone(t testing.TB, pid int) {
	t.Helper()
	await(t, "the end of process "+strconv.Itoa(pid), func() bool {
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid)
	})
}

// zombie reports whether the process has ended and nobody has asked how yet.
func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}

func taskFolders(t testing.TB, work string) []string {
	t.Helper()
	left, err := filepath.Glob(work + "/tasks/*")
	if err != nil {
		t.Fatal(err)
	}
	return left
}
