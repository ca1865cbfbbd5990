//go:build unix && !linux

package process

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func identify(pid int, at int64, marks []string) Identity {
	return Identity{Group: pid, At: at, Marks: marks}
}

// lstart is how ps prints a start time.
const lstart = "Mon Jan _2 15:04:05 2006"

// recognise compares the recorded start with those ps tells of the group's
// processes: best effort, exact to two seconds.
func recognise(id Identity) bool {
	if id.Group <= 1 || syscall.Kill(-id.Group, 0) != nil {
		return false
	}
	cmd := ps("-o", "lstart=", "-p", strconv.Itoa(id.Group))
	out, err := cmd.Output()
	if err != nil {
		return false // the leader is gone: nothing tells whose group it is
	}
	started, err := time.ParseInLocation(lstart, strings.TrimSpace(string(out)), time.Local)
	return err == nil && started.Sub(time.UnixMilli(id.At)).Abs() <= 2*time.Second
}

func ps(args ...string) *exec.Cmd {
	cmd := exec.Command("ps", args...) //nolint:noctx // returns at once
	cmd.Env = []string{"LC_ALL=C", "PATH=/bin:/usr/bin"}
	return cmd
}

// members is empty: the group's number is all that is known here.
func members(Identity, bool) []int { return nil }

func alive(id Identity) bool { return syscall.Kill(-id.Group, 0) == nil }
