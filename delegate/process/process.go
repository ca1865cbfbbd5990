// Package process runs a command with everything it starts as one group that can
// be ended as a whole, also by a later process that finds the group's recorded
// identity after a crash.
package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// DefaultGrace is how long a group may take to end after a polite signal before
// it is killed.
const DefaultGrace = 2 * time.Second

// drainTime is how long output of what is left of a group is awaited once its
// first process has ended, and again once the rest was killed.
const drainTime = 500 * time.Millisecond

// Command is what to run.
type Command struct {
	Path   string
	Args   []string // without the command's own name
	Dir    string
	Env    []string
	Stdout io.Writer // written by one goroutine, in order
	Stderr io.Writer // likewise
	Clock  core.Clock
	Grace  time.Duration // 0 for DefaultGrace
	Files  []*os.File    // descriptors 4 and on; the caller closes its own
}

// Identity names a group so that it can be recognised after a crash of the
// process that started it.
type Identity struct {
	Group   int      `json:"group"`             // process group and, on Unix, session
	Started string   `json:"started,omitempty"` // start of the group's leader in the kernel's words
	Boot    string   `json:"boot,omitempty"`    // of the machine: after a reboot nothing is left
	At      int64    `json:"at"`                // ms since 1970 by this machine
	Marks   []string `json:"marks,omitempty"`   // "NAME=value" in the environment of each member
}

// Group is a running command.
type Group struct {
	cmd    *exec.Cmd
	gate   *os.File
	pipes  []*os.File
	copied chan struct{}
	id     Identity
	c      Command
}

// Exit is how a command's first process ended.
type Exit struct {
	Code   int    // 128 + the number of the signal when there was one, as shells say it
	Signal string // e.g. "killed", empty when it exited by itself
}

// Start starts the command in a group of its own. The command must first read a
// line from file descriptor 3 and end when there is none: it is written by
// Release, so a process whose identity was never recorded does nothing.
// The marks are names and values of Env by which members are recognised.
func Start(c Command, marks ...string) (*Group, error) {
	if !Supported {
		return nil, fault.New(fault.Unsupported, "not supported yet: steps that start processes on this system; run the delegate on Linux or macOS")
	}
	g := &Group{c: c, copied: make(chan struct{})}
	g.cmd = exec.Command(c.Path, c.Args...) //nolint:gosec,noctx // running commands is what a delegate is for; Run ends it
	g.cmd.Dir, g.cmd.Env = c.Dir, c.Env
	separate(g.cmd)
	gate, err := g.open()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		g.closeAll(gate)
		return nil, fault.New(fault.Internal, "starting %s: %w", c.Path, err)
	}
	g.id = identify(g.cmd.Process.Pid, core.Millis(c.Clock.Now()), marks)
	_ = gate.Close()
	g.copyOutput()
	return g, nil
}

// open makes the pipes: the gate (whose reading end is returned) and the outputs.
func (g *Group) open() (*os.File, error) {
	var files []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			return nil, fault.New(fault.Internal, "opening a pipe: %w", err)
		}
		files = append(files, r, w)
	}
	g.gate = files[1]
	g.cmd.ExtraFiles = append([]*os.File{files[0]}, g.c.Files...)
	g.cmd.Stdout, g.cmd.Stderr = files[3], files[5]
	g.pipes = []*os.File{files[2], files[4]}
	return files[0], nil
}

func (g *Group) closeAll(gate *os.File) {
	for _, f := range append([]*os.File{gate, g.gate, g.cmd.Stdout.(*os.File), g.cmd.Stderr.(*os.File)}, g.pipes...) {
		_ = f.Close()
	}
}

func (g *Group) copyOutput() {
	_ = g.cmd.Stdout.(*os.File).Close()
	_ = g.cmd.Stderr.(*os.File).Close()
	var wg sync.WaitGroup
	for i, out := range []io.Writer{g.c.Stdout, g.c.Stderr} {
		wg.Go(func() { _, _ = io.CopyBuffer(onlyWriter{out}, onlyReader{g.pipes[i]}, make([]byte, 64<<10)) })
	}
	go func() {
		wg.Wait()
		close(g.copied)
	}()
}

// The two hide the methods by which io.Copy would choose its own buffer.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)

// Identity returns what to record before Release.
func (g *Group) Identity() Identity { return g.id }

// Release lets the command begin.
func (g *Group) Release() error {
	_, err := g.gate.WriteString("go\n")
	return errors.Join(err, g.gate.Close())
}

// Wait returns when the first process has ended, the rest of its group has been
// killed and all output has been written. When stop is closed before, the whole
// group is asked to end, and killed after the grace. What should outlive a
// command that ends by itself must start a session of its own.
func (g *Group) Wait(stop <-chan struct{}) Exit {
	_ = g.gate.Close() // when never released
	ended := make(chan struct{})
	var ending sync.WaitGroup
	ending.Go(func() {
		select {
		case <-stop:
			terminate(g.id, g.c.Clock, g.grace())
		case <-ended:
		}
	})
	_ = g.cmd.Wait() // the state says more than the error
	close(ended)
	ending.Wait()
	if !g.await(drainTime / 2) {
		kill(g.id, false)
		if !g.await(drainTime) { // held open by a process of another session
			for _, p := range g.pipes {
				_ = p.SetReadDeadline(time.Unix(1, 0)) // long ago
			}
			<-g.copied
		}
	} else {
		kill(g.id, false)
	}
	for _, p := range g.pipes {
		_ = p.Close()
	}
	return exitOf(g.cmd.ProcessState)
}

func (g *Group) grace() time.Duration {
	if g.c.Grace > 0 {
		return g.c.Grace
	}
	return DefaultGrace
}

// await waits for the end of the output.
func (g *Group) await(d time.Duration) bool {
	late := make(chan struct{})
	stop := g.c.Clock.AfterFunc(d, func() { close(late) })
	defer stop()
	select {
	case <-g.copied:
		return true
	case <-late:
		return false
	}
}

// End ends what is left of a group that an earlier process started and reports
// whether there was anything. It never signals a process it cannot recognise.
func End(id Identity, clock core.Clock, grace time.Duration) bool {
	if grace <= 0 {
		grace = DefaultGrace
	}
	return recognise(id) && terminate(id, clock, grace)
}
