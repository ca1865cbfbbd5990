//go:build unix

package aws

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// group gives the command a session of its own, so that Ctrl-C does not reach it
// before those who use it have ended.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// end asks the command to end, waits, and kills what is left of its group and of
// those that carry the mark in their environment.
func end(cmd *exec.Cmd, ended <-chan struct{}, mark string) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(stopWithin):
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for _, pid := range marked(mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-ended
}

// marked finds processes by a variable of their environment, where there is /proc:
// the database and the functions lead groups of their own.
func marked(mark string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, f := range files {
		env, err := os.ReadFile(f)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && pid > 1 && pid != os.Getpid() && strings.Contains("\x00"+string(env), "\x00"+mark+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lock takes the file for this process alone, waiting for others; it is let go by
// calling the result.
func lock(file string) (func(), error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
