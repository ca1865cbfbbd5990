//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// Supported reports whether this system can run and end groups.
const Supported = true

// checkEvery is how often a group that was asked to end is looked at.
const checkEvery = 20 * time.Millisecond

// separate gives the command a session of its own: a group that also takes the
// groups its shells make, and no terminal to ask for passwords on.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate asks every member to end and kills what is left after the grace. It
// reports whether there was anything.
func terminate(id Identity, clock core.Clock, grace time.Duration) bool {
	if !signal(id, syscall.SIGTERM, true) {
		return false
	}
	deadline := clock.Now().Add(grace)
	for alive(id) {
		if !clock.Now().Before(deadline) {
			kill(id, true)
			return true
		}
		tick := make(chan struct{})
		clock.AfterFunc(checkEvery, func() { close(tick) })
		<-tick
	}
	return true
}

// kill kills the group, and with everything also members that left its session.
// It looks again until none is found, for members may be starting others.
func kill(id Identity, everything bool) {
	for range 50 {
		if !signal(id, syscall.SIGKILL, everything) || !alive(id) {
			return
		}
	}
}

// signal reports whether there was anything to signal.
func signal(id Identity, sig syscall.Signal, everything bool) bool {
	// 0 and 1 would address our own group and everyone.
	found := id.Group > 1 && syscall.Kill(-id.Group, sig) == nil
	for _, pid := range members(id, everything) {
		if syscall.Kill(pid, sig) == nil {
			found = true
		}
	}
	return found
}

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{Code: -1}
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Exit{Code: 128 + int(ws.Signal()), Signal: ws.Signal().String()}
	}
	return Exit{Code: state.ExitCode()}
}
