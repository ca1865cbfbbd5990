package aws

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/e2e/parity"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
)

// How many generated pipelines are compared, and how many run at once on each
// runtime. SLIPWAY_SEEDS=7,8 picks seeds.
const (
	seeds   = 60
	quick   = 4 // without a stack
	atOnce  = 10
	runTime = 10 * time.Minute // of one run, on a machine that does other things too
)

// cases are the examples, the named ones and n from seeds; without slow ones only
// those that make nobody wait.
func cases(t *testing.T, n int, slow bool) []parity.Case {
	t.Helper()
	all := []parity.Case{
		{Name: "hello", YAML: example(t, "hello.yaml")},
		{Name: "parallel", YAML: example(t, "parallel.yaml")},
		{Name: "example-chain", YAML: example(t, "chain.yaml"), Library: []core.File{{Name: "smoke.yaml", YAML: example(t, "chain/smoke.yaml")}}},
		{Name: "approval", YAML: example(t, "approval.yaml"), Answers: map[string][]parity.Answer{
			"release": {{User: "alice", Action: parity.Approve, Inputs: map[string]string{"ring": "early"}}}}},
		{Name: "deploy", YAML: example(t, "deploy.yaml"), Library: beside(t, "deploy")},
	}
	for _, c := range parity.Named() {
		if slow || !c.Slow {
			all = append(all, c)
		}
	}
	if picked := os.Getenv("SLIPWAY_SEEDS"); picked != "" {
		all = nil
		if picked == "named" {
			return parity.Named()
		}
		for _, text := range strings.Split(picked, ",") {
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, parity.Generate(seed))
		}
		return all
	}
	for seed, made := uint64(1), 0; made < n; seed++ {
		if c := parity.Generate(seed); slow || !c.Slow {
			all = append(all, c)
			made++
		}
	}
	return all
}

// TestParity runs the same pipelines on the embedded platform and on the deployed
// stack, and finds the same event logs. Without a stack it runs a few twice, so
// that the comparison itself cannot rot.
func TestParity(t *testing.T) {
	t.Parallel()
	left, right, n := embedded(t), deployed(t), seeds
	if right == nil {
		right, n = second(t), quick
	}
	all := cases(t, n, deployed(t) != nil)
	project := "parity_" + newID()
	slots := map[bool]chan struct{}{true: make(chan struct{}, atOnce), false: make(chan struct{}, atOnce)}
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			var logs [2]parity.Log
			var failed [2]error
			var took [2]time.Duration
			var both sync.WaitGroup
			sides := []*world{left, right}
			if c.Want != "" && right.stack == nil {
				sides = sides[:1] // how it ends is held; the comparison has others
			}
			for i, w := range sides {
				both.Go(func() {
					slots[i == 0] <- struct{}{}
					defer func() { <-slots[i == 0] }()
					begin := time.Now()
					logs[i], failed[i] = w.drive(t, c, project)
					took[i] = time.Since(begin).Round(100 * time.Millisecond)
				})
			}
			both.Wait()
			if err := errors.Join(failed[:]...); err != nil {
				t.Errorf("%s\n%.4000v", c.Kinds(), err)
				return
			}
			if diff := parity.Diff(logs[0], logs[len(sides)-1]); diff != "" && !c.Loose {
				t.Errorf("%s\n%s (-) and %s (+) differ:\n%.4000s", c.Kinds(), left.name, right.name, diff)
				return
			}
			for i, w := range sides {
				if i == 0 || c.Loose { // else the logs are the same
					if err := w.went(t.Context(), c, logs[i]); err != nil {
						t.Error(err)
					}
				}
			}
			t.Logf("same after %v: %s", took, c.Kinds())
		})
	}
	wg.Wait()
}

// went looks at how a named case has ended.
func (w *world) went(ctx context.Context, c parity.Case, l parity.Log) error {
	if c.Want == "" {
		return nil
	}
	r, err := view.New(journal.New(w.ports)).Run(ctx, core.DefaultAccount, l.Run)
	if got := parity.Stood(r); err != nil || got != c.Want {
		return errors.Join(err, fmt.Errorf("%s ended\n     %s\nwant %s\n%s", c.Name, got, c.Want, show(r)))
	}
	for _, state := range c.Through {
		if sent := parity.Sent(l.Tracks); !slices.Contains(sent, state) {
			return fmt.Errorf("%s never came to %s, only to %v", c.Name, state, sent)
		}
	}
	return nil
}

// drive runs a case to its end, giving its answers through the API, and returns
// what it left.
func (w *world) drive(t *testing.T, c parity.Case, project string) (parity.Log, error) {
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	l := client.Launch{YAML: c.YAML, File: c.Name + ".yaml", Project: project}
	for _, f := range c.Library {
		l.Library = append(l.Library, client.File{File: f.Name, YAML: f.YAML})
	}
	out, err := w.user["admin"].Launch(ctx, l)
	if err != nil {
		return parity.Log{}, fmt.Errorf("%s: %w", w.name, err)
	}
	d := driving{w: w, c: c, run: out.Run, views: view.New(journal.New(w.ports)), given: map[string]int{}}
	tick := time.NewTicker(w.look)
	defer tick.Stop()
	for done := false; !done; {
		if done, err = d.look(ctx); err != nil {
			return parity.Log{}, fmt.Errorf("%s: run %s: %w", w.name, out.Run, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, _ := d.views.Run(t.Context(), core.DefaultAccount, out.Run)
			return parity.Log{}, fmt.Errorf("%s: run %s has not ended in time: %s", w.name, out.Run, show(last))
		}
	}
	return w.record(t, out.Run), nil
}

// driving is a run that people answer. They look from behind, which costs no
// function a call, and answer through the API.
type driving struct {
	w       *world
	c       parity.Case
	run     string
	views   *view.Views
	given   map[string]int // answers, by approval
	settled int            // what was due when nothing was left to do
}

// left reports whether the run's machines have all ended: the last thing that they
// do, to ask where to go when a hold has ended their track, is an event too.
func (d *driving) left(ctx context.Context, tracks map[string][]core.Event) (bool, error) {
	for _, c := range parity.Started(tracks) {
		e, err := d.w.ports.Workflow.Describe(ctx, c.Machine, c.Name)
		if err != nil || e.Status == core.ExecutionRunning {
			return false, err
		}
	}
	return true, nil
}

// look gives the answers that are due and reports whether the run has ended.
func (d *driving) look(ctx context.Context) (ended bool, err error) {
	tracks, err := parity.Read(ctx, d.w.ports.Store, core.DefaultAccount, d.run)
	if err == nil && parity.Ended(tracks) {
		return d.left(ctx, tracks)
	}
	due := d.c.Due(tracks)
	if err != nil || due == d.settled {
		return false, err
	}
	r, err := d.views.Run(ctx, core.DefaultAccount, d.run)
	if err != nil {
		return false, err
	}
	approved, err := d.approve(ctx, r)
	if err != nil {
		return false, err
	}
	intervened, err := d.intervene(ctx, r)
	if err != nil {
		return false, err
	}
	given, err := d.give(ctx, r)
	if err != nil {
		return false, err
	}
	if !approved && !intervened && !given {
		d.settled = due
	}
	return false, err
}

// approve gives the next answer to every approval that waits for one.
func (d *driving) approve(ctx context.Context, r view.Run) (some bool, err error) {
	for _, a := range r.Approvals {
		answers := d.c.Answers[a.Node[strings.LastIndexByte(a.Node, '.')+1:]]
		n := d.given[a.ID]
		if a.Approval.Status != "WAITING" || n >= len(answers) || answers[n].Action == core.InterruptMarkFailed {
			continue
		}
		d.given[a.ID]++
		some = true
		err := d.w.user[answers[n].User].Decide(ctx, a.ID, client.Decision{Action: answers[n].Action, Inputs: answers[n].Inputs})
		if err != nil {
			return some, fmt.Errorf("%s's answer to %s: %w", answers[n].User, a.Node, err)
		}
	}
	return some, nil
}

// intervene says what to do about every step that has failed, or that is to fail.
func (d *driving) intervene(ctx context.Context, r view.Run) (some bool, err error) {
	for _, n := range r.Nodes {
		answers := d.c.Answers[n.Identifier]
		if len(n.Answers) >= len(answers) || answers[0].Action == parity.Give {
			continue
		}
		next := answers[len(n.Answers)]
		if mark := next.Action == core.InterruptMarkFailed; mark && !runs(n) || !mark && len(n.Allowed) == 0 {
			continue
		}
		some = true
		if _, err := d.w.user[next.User].Intervene(ctx, d.run, n.FQN, core.ActionType(next.Action)); err != nil {
			return some, fmt.Errorf("%s's answer about %s: %w", next.User, n.FQN, err)
		}
	}
	return some, nil
}

// give gives the values that steps wait for.
func (d *driving) give(ctx context.Context, r view.Run) (some bool, err error) {
	for _, n := range r.Nodes {
		answers := d.c.Answers[n.Identifier]
		if len(n.Asks) == 0 || len(answers) == 0 || answers[0].Action != parity.Give {
			continue
		}
		some = true
		if _, err := d.w.user[answers[0].User].Give(ctx, d.run, n.FQN, answers[0].Inputs); err != nil {
			return some, fmt.Errorf("%s's values for %s: %w", answers[0].User, n.FQN, err)
		}
	}
	return some, nil
}

// runs reports whether there is something of a node to be marked as failed.
func runs(n view.Node) bool {
	return n.Status == core.Running.API() && n.Delegate != "" || n.Status == core.WaitStepRunning.API() || n.Status == core.ApprovalWaiting.API()
}
