package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
)

// patience is for how many polls in a row a server may not answer, and slowest
// how far apart they get: about a minute.
const (
	patience = 35
	slowest  = 2 * time.Second
)

// watch follows one run: shows it, asks for approvals, aborts it when interrupted.
type watch struct {
	client   *client.Client
	target   target
	run      string
	poll     time.Duration
	printer  printer
	terminal bool     // a person can be asked
	approve  []string // what to approve by itself
	in       io.Reader
	err      io.Writer
	theme    screen.Theme
	signals  <-chan os.Signal
	failed   <-chan error // of a platform in this process, else nil

	follower *follow.Follower
	waiting  []view.Approval // to be asked about, in order
	question *question       // being asked
	lines    chan string     // typed, nil until asked for the first time
	failures int             // polls in a row
	quiet    int             // polls in a row that showed nothing new
	aborting bool
}

// follow returns the run once it has ended.
func (w *watch) follow(ctx context.Context) (view.Run, error) {
	w.follower = follow.New(w.client, w.run)
	for {
		run, err := w.look(ctx)
		if err == nil && run.Ended && w.question == nil {
			return run, nil
		}
		if err != nil && !w.patient(err) {
			return run, err
		}
		select {
		case <-time.After(w.pause()):
		case err := <-w.failed:
			return run, fault.New(fault.Internal, "the platform has failed: %w", err)
		case <-w.signals:
			if err := w.interrupted(ctx); err != nil {
				return run, err
			}
		case line, ok := <-w.lines:
			w.typed(ctx, line, ok)
		}
	}
}

// look shows what is new. While somebody is being asked, it only looks whether
// the answer is still wanted, so that nothing gets between question and answer.
func (w *watch) look(ctx context.Context) (view.Run, error) {
	if w.question != nil {
		run, err := w.client.Run(ctx, w.question.approval.Run)
		if err == nil && !w.question.wanted(run) {
			fmt.Fprintln(w.err, "\nthis approval does not wait any more")
			w.question = nil
		}
		if run.ID != w.run { // one that a stage has started
			run = view.Run{}
		}
		return run, w.answered(err)
	}
	w.quiet++
	run, err := w.follower.Poll(ctx, w.happened)
	if err == nil && !run.Ended && !w.aborting {
		w.decide(ctx)
	}
	return run, w.answered(err)
}

func (w *watch) answered(err error) error {
	if err == nil {
		w.failures = 0
	}
	return err
}

// patient reports whether to ask again after an error.
func (w *watch) patient(err error) bool {
	w.failures++
	passing := fault.Retryable(err) || fault.Is(err, fault.Internal)
	if passing && w.failures < patience {
		return true
	}
	fmt.Fprintf(w.err, "the run goes on without being watched: %s\n", w.target.command("logs", "-f", w.run))
	return false
}

func (w *watch) pause() time.Duration {
	if w.failures == 0 {
		// Where nothing happens for long there is no hurry.
		return max(w.poll, min(serverPoll, w.poll*time.Duration(w.quiet)/8))
	}
	return min(slowest, w.poll<<min(w.failures, 6))
}

func (w *watch) happened(e follow.Event) {
	w.quiet = 0
	w.printer.event(e)
	if e.Kind == follow.Asked {
		w.waiting = append(w.waiting, e.Approval)
	}
}

// interrupted aborts the run the first time and gives up the second.
func (w *watch) interrupted(ctx context.Context) error {
	if w.aborting {
		fmt.Fprintf(w.err, "left before the run %s has ended\n", w.run)
		return &ended{exitInterrupted}
	}
	if w.question != nil {
		fmt.Fprintln(w.err)
	}
	w.aborting, w.question, w.waiting = true, nil, nil
	fmt.Fprintln(w.err, "aborting the run; once more to leave at once")
	if _, err := w.client.Abort(ctx, w.run, "interrupted on the command line"); err != nil {
		fmt.Fprintf(w.err, "the run could not be aborted: %v\n", err)
	}
	return nil
}

// decide deals with approvals that have come to wait: by itself when told so, by
// asking on a terminal, else by saying how.
func (w *watch) decide(ctx context.Context) {
	for len(w.waiting) > 0 && w.question == nil {
		a := w.waiting[0]
		w.waiting = w.waiting[1:]
		switch {
		case w.itself(a):
			if err := w.client.Decide(ctx, a.ID, client.Decision{Action: client.Approve, Comments: "approved with --approve"}); err != nil {
				fmt.Fprintf(w.err, "%s could not be approved: %v\n", w.theme.Clean(a.Name), err)
				w.printer.waits(a)
				continue
			}
			w.others(a)
		case w.terminal:
			w.listen()
			w.question = ask(a, w.theme, w.err)
		default:
			w.printer.waits(a)
		}
	}
}

// itself reports whether --approve names the approval: its step's identifier,
// name or path.
func (w *watch) itself(a view.Approval) bool {
	return slices.ContainsFunc(w.approve, func(name string) bool {
		return name == "all" || name == a.Name || name == a.Node || name == identifier(a.Node)
	})
}

// typed takes a line of a person's.
func (w *watch) typed(ctx context.Context, line string, ok bool) {
	if !ok { // the terminal is closed
		w.lines, w.terminal = nil, false
		if w.question != nil {
			w.printer.waits(w.question.approval)
			w.question = nil
		}
		return
	}
	if w.question == nil {
		return
	}
	q := w.question
	d, done := q.answer(line)
	if !done {
		return
	}
	w.question = nil
	if d == nil {
		w.printer.waits(q.approval)
		return
	}
	if err := w.client.Decide(ctx, q.approval.ID, *d); err != nil {
		fmt.Fprintf(w.err, "%v\n", err)
		if fault.Is(err, fault.Invalid) { // a wrong answer: once more
			w.question = ask(q.approval, w.theme, w.err)
			return
		}
		w.printer.waits(q.approval)
		return
	}
	if d.Action == client.Approve {
		w.others(q.approval)
	}
}

// others says how when an approval that was just given is not enough.
func (w *watch) others(a view.Approval) {
	if a.Approval.Spec.MinimumCount > len(a.Approval.Activities)+1 {
		w.printer.waits(a)
	}
}

// listen begins to read lines.
func (w *watch) listen() {
	if w.lines != nil {
		return
	}
	lines := make(chan string)
	w.lines = lines
	go func() {
		defer close(lines)
		r := bufio.NewReader(w.in)
		for {
			line, err := r.ReadString('\n')
			if err != nil && (!errors.Is(err, io.EOF) || line == "") {
				return
			}
			lines <- line
		}
	}()
}
