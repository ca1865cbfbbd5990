//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// speed is how much faster than the machine's the clocks of children run: the
// Wait step's ten seconds pass in a tenth of one.
const speed = 100

// world is one data folder, its platform, and the one run in it.
type world struct {
	t        *testing.T
	dir      string
	effects  string
	config   childConfig
	platform *process
	client   *client.Client // as admin
	approver *client.Client // as alice
	join     string
	kills    int
	yaml     string // of the run
	library  []client.File
}

func newWorld(t *testing.T, c childConfig) *world {
	t.Helper()
	dir := t.TempDir()
	c.Dir, c.Addr, c.Speed, c.Base = filepath.Join(dir, "data"), "127.0.0.1:0", speed, time.Now()
	effects := filepath.Join(dir, "effects")
	return &world{t: t, dir: dir, effects: effects, config: c, yaml: crashYAML(effects)}
}

// up makes sure that the platform runs, starting it again after it has died; from
// the second start on it is not killed any more.
func (w *world) up() {
	for w.platform == nil || w.platform.dead() {
		if w.platform != nil {
			w.kills++
			w.config.KillAt = 0
		}
		w.platform = spawn(w.t, "platform", w.config)
		url, admin, join, ok := w.platform.ready()
		if !ok {
			continue
		}
		w.config.Addr, w.join = strings.TrimPrefix(url, "http://"), join // the same address again
		w.client, _ = client.New(url, admin, "")
		w.approver, _ = client.New(url, admin, "alice")
	}
}

// drive starts the run and brings it to its end, whatever dies on the way.
func (w *world) drive() view.Run {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	run := ""
	for ctx.Err() == nil {
		w.up()
		if run == "" {
			run = w.launch(ctx)
			continue
		}
		r, err := w.client.Run(ctx, run)
		if err == nil && r.Ended {
			return r
		}
		w.approve(ctx, r)
		respond(w.t, w.client, r)
		select {
		case <-time.After(5 * time.Millisecond):
		case <-w.platform.done:
		}
	}
	r, err := w.client.Run(w.t.Context(), run)
	w.t.Fatalf("kill at %d (after %v): run %q did not end: %v %s", w.config.KillAt, w.config.After, run, err, show(r))
	return view.Run{}
}

// launch starts the run, or learns which one an interrupted call has started.
func (w *world) launch(ctx context.Context) string {
	out, err := w.client.Launch(ctx, client.Launch{YAML: w.yaml, File: "crash.yaml", Library: w.library, Key: "only-once"})
	if err != nil {
		return ""
	}
	return out.Run
}

func (w *world) approve(ctx context.Context, r view.Run) {
	for _, a := range r.Approvals {
		if a.Approval.Status == "WAITING" {
			_ = w.approver.Decide(ctx, a.ID, client.Decision{Action: client.Approve})
		}
	}
}

// check holds that the run ended well with every effect once; or that one step
// failed as DelegateRestart, with its effect at most once, those before once and
// those behind never. It reports whether it was the latter.
func (w *world) check(r view.Run) (restarted bool) {
	w.t.Helper()
	done := countLines(w.t, w.effects)
	var lost string
	for _, n := range r.Nodes {
		if n.Failure != nil && n.Kind == core.KindStep && strings.Contains(strings.Join(n.Failure.Types, " "), "DELEGATE_RESTART") {
			if lost != "" {
				w.t.Errorf("two steps were lost to one kill: %s and %s", lost, n.Identifier)
			}
			lost = n.Identifier
		}
	}
	if lost == "" && r.Status != "Success" {
		w.t.Fatalf("%s: the run ended %s\n%s", w.where(), r.Status, show(r))
	}
	if lost != "" && r.Status != "Failed" {
		w.t.Fatalf("%s: %s was lost, but the run ended %s", w.where(), lost, r.Status)
	}
	for _, n := range r.Nodes {
		if n.Type != "ShellScript" {
			continue
		}
		got, want := done[n.Identifier], 0
		if n.Status == "Success" {
			want = 1
		}
		if got != want && (n.Identifier != lost || got > 1) {
			w.t.Errorf("%s: %s is %s and its effect was seen %d times\n%s", w.where(), n.Identifier, n.Status, got, show(r))
		}
	}
	return lost != ""
}

func (w *world) where() string {
	return fmt.Sprintf("kill at call %d (after: %v)", w.config.KillAt, w.config.After)
}

// TestCrashPlatform kills the platform, delegate and all, before and after every
// call that changes anything, and starts it again.
func TestCrashPlatform(t *testing.T) { crashEverywhere(t, childConfig{Built: true}) }

// TestCrashPlatformBesideDelegate does the same with a delegate of its own.
func TestCrashPlatformBesideDelegate(t *testing.T) { crashEverywhere(t, childConfig{}) }

// TestCrashContinued does the same while every execution goes on as another after a few
// states.
func TestCrashContinued(t *testing.T) { crashEverywhere(t, childConfig{Built: true, Edge: 18}) }

// TestCrashWaits does the same to a run that waits for keys, others, values and people.
func TestCrashWaits(t *testing.T) { crashRuns(t, childConfig{Built: true}, waitsYAML) }

func crashEverywhere(t *testing.T, c childConfig) { crashRuns(t, c, crashYAML) }

func crashRuns(t *testing.T, c childConfig, yaml func(effects string) string) {
	points, restarts := 0, 0
	for _, after := range []bool{false, true} {
		for at := int64(1); ; at += stride(t) {
			w := newWorld(t, childConfig{Built: c.Built, Edge: c.Edge, KillAt: at, After: after})
			w.yaml = yaml(w.effects)
			if !c.Built {
				w.up()
				w.outside(0, false)
			}
			r := w.drive()
			if w.check(r) {
				restarts++
			}
			w.platform.kill()
			if w.kills == 0 && w.config.KillAt > 0 {
				break // the run has fewer calls than that
			}
			points++
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d crash points, %d of them ended in DelegateRestart", points, restarts)
}

// stride is 1 unless SLIPWAY_CRASH_STRIDE says to try fewer points.
func stride(t *testing.T) int64 {
	if s := os.Getenv("SLIPWAY_CRASH_STRIDE"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 {
			t.Fatalf("SLIPWAY_CRASH_STRIDE=%s", s)
		}
		return n
	}
	return 1
}

// outside starts a delegate of its own for the platform.
func (w *world) outside(killAt int64, after bool) *process {
	c := w.config
	c.Dir, c.Server, c.Token, c.KillAt, c.After = filepath.Join(w.dir, "delegate"), w.client.URL(), w.join, killAt, after
	return spawn(w.t, "delegate", c)
}

// TestCrashDelegate kills the delegate around every call it makes, which is
// before a claim is taken up, in the middle of steps and before and after
// completions, and starts another in the same work folder.
func TestCrashDelegate(t *testing.T) {
	points, restarts := 0, 0
	for _, after := range []bool{false, true} {
		for at := int64(1); ; at++ {
			w := newWorld(t, childConfig{})
			w.up()
			d := w.outside(at, after)
			killed := make(chan bool, 1)
			go func() {
				<-d.done
				killed <- true
			}()
			over := make(chan view.Run, 1)
			go func() { over <- w.drive() }()
			var r view.Run
			died := false
			select {
			case <-killed:
				died = true
				w.outside(0, false)
				r = <-over
			case r = <-over:
			}
			if w.check(r) {
				restarts++
			}
			w.platform.kill()
			if !died {
				break
			}
			points++
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d crash points, %d of them ended in DelegateRestart", points, restarts)
}

// TestCrashAnytime kills the platform, built-in delegate and all, at moments that
// no port call marks: between the writes of the workflow, of timers, of the
// delegate's own journal.
func TestCrashAnytime(t *testing.T) {
	const worlds = 40
	restarts := 0
	for i := range worlds {
		after := time.Duration(i) * 18 * time.Millisecond
		w := newWorld(t, childConfig{Built: true})
		w.up()
		p := w.platform
		kill := time.AfterFunc(after, func() { _ = p.cmd.Process.Kill() })
		r := w.drive()
		kill.Stop()
		if w.check(r) {
			restarts++
		}
		w.platform.kill()
		if t.Failed() {
			t.Fatalf("killed after %v", after)
		}
	}
	t.Logf("%d kills, %d of them ended in DelegateRestart", worlds, restarts)
}

// TestCrashChain does the same to a run that starts another: whatever dies between the
// command and the other's first event, or its last and the news of it, there is one.
func TestCrashChain(t *testing.T) {
	points, restarts := 0, 0
	for _, after := range []bool{false, true} {
		for at := int64(1); ; at += stride(t) {
			w := newWorld(t, childConfig{Built: true, KillAt: at, After: after})
			w.yaml = stages(aChain("call", "          outputs: [{name: o, value: <+pipeline.stages.inner.status>}]\n"),
				aStage("last", "when: {pipelineStatus: Success, condition: <+pipeline.stages.call.output.o> == 'SUCCEEDED'}", shellStep("b", "echo b >> "+w.effects, "")))
			w.library = []client.File{{File: "child.yaml", YAML: childOf(aStage("inner", "", shellStep("a", "echo a >> "+w.effects, "")))}}
			r := w.drive()
			inner := w.inner(r.ID)
			if !w.check(inner) {
				w.check(r)
			} else if restarts++; r.Status != "Failed" || !slices.Contains(r.Failure.Types, "DELEGATE_RESTART") {
				t.Errorf("%s\n%s\n%s", w.where(), show(r), show(inner))
			}
			w.platform.kill()
			if w.kills == 0 && w.config.KillAt > 0 {
				break
			}
			points++
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d crash points, %d of them ended in DelegateRestart", points, restarts)
}

// inner is the one run that a run's stage has started. The platform may die once more
// meanwhile.
func (w *world) inner(outer string) view.Run {
	w.t.Helper()
	for {
		w.up()
		all, err := w.client.Runs(w.t.Context(), core.DefaultOrg, core.DefaultProject, 10, "")
		if err != nil {
			continue
		}
		if len(all.Runs) != 2 || all.Runs[0].Parent != outer {
			w.t.Fatalf("%s: the runs are %+v", w.where(), all.Runs)
		}
		if r, err := w.client.Run(w.t.Context(), all.Runs[0].ID); err == nil {
			return r
		}
	}
}
