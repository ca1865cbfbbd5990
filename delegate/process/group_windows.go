package process

import (
	"os"
	"os/exec"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// Supported reports whether this system can run and end groups.
const Supported = false

func separate(*exec.Cmd) {}

func identify(pid int, at int64, marks []string) Identity {
	return Identity{Group: pid, At: at, Marks: marks}
}

func recognise(Identity) bool { return false }

func terminate(Identity, core.Clock, time.Duration) bool { return false }

func kill(Identity, bool) {}

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
