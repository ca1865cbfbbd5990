package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/delegate/httpclient"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/wire"
)

const (
	roleEnv   = "SLIPWAY_E2E_ROLE"
	configEnv = "SLIPWAY_E2E_CONFIG"
)

// childConfig is what a child process is told.
type childConfig struct {
	Dir      string
	Addr     string
	Built    bool      // run the built-in delegate
	Speed    float64   // of its clock
	Base     time.Time // when all clocks showed the machine's time
	KillAt   int64     // kill -9 itself at this call of a port, from 1; 0 for never
	After    bool      // after the call instead of before
	Server   string    // a delegate's server
	Token    string
	Capacity int
	Edge     int // events of an execution's history
}

// now returns a clock that runs fast and agrees with those of other processes.
func (c childConfig) clock() core.Clock {
	if c.Speed <= 1 {
		return clock.System()
	}
	since := time.Duration(float64(time.Since(c.Base)) * c.Speed)
	return clock.Fast(c.Speed, c.Base.Add(since))
}

// child is the whole life of a child process.
func child(role string) int {
	var c childConfig
	if err := json.Unmarshal([]byte(os.Getenv(configEnv)), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	switch role {
	case "platform":
		err = childPlatform(ctx, c)
	case "delegate":
		err = childDelegate(ctx, c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return 1
	}
	return 0
}

// killer counts calls and kills its own process at one of them.
type killer struct {
	c     childConfig
	calls atomic.Int64
}

func (k *killer) before(string, []core.Key) {
	if n := k.calls.Add(1); !k.c.After && n == k.c.KillAt {
		die()
	}
}

func (k *killer) after(string, []core.Key) {
	if k.c.After && k.calls.Load() == k.c.KillAt {
		die()
	}
}

// die is kill -9: nothing is flushed, closed or said.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// changes passes on only calls that change something.
func (k *killer) changes(f func(string, []core.Key)) func(string, []core.Key) {
	return func(op string, keys []core.Key) {
		switch op {
		case "store.Get", "store.Query", "store.Watch", "workflow.Describe", "workflow.Beat", "secrets.Get", "blobs.Get":
		default:
			f(op, keys)
		}
	}
}

// wrap puts the killer around every call of every port.
func (k *killer) wrap(p core.Ports) core.Ports {
	before, after := k.changes(k.before), k.changes(k.after)
	p.Store = weak.Tap(p.Store, before, after)
	p.Workflow = weak.TapWorkflow(p.Workflow, before, after)
	p.Bus = weak.TapBus(p.Bus, before, after)
	p.Secrets = weak.TapSecrets(p.Secrets, before, after)
	p.Schedule = weak.TapSchedule(p.Schedule, before, after)
	p.Blobs = weak.TapBlobs(p.Blobs, before, after)
	return p
}

func childPlatform(ctx context.Context, c childConfig) error {
	k := &killer{c: c}
	p, err := platform.Start(ctx, platform.Config{Dir: c.Dir, Addr: c.Addr, Delegate: c.Built, AllowAs: true,
		Clock: c.clock(), Wrap: k.wrap, KillGrace: time.Second, HistoryEdge: c.Edge,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return err
	}
	fmt.Println("ready", p.URL(), p.AdminToken(), p.JoinToken())
	<-ctx.Done()
	fmt.Println("calls", k.calls.Load())
	return p.Close(context.Background())
}

// tapped counts a delegate's calls and kills the process at one of them.
type tapped struct {
	delegate.Server
	k *killer
}

func (t tapped) Sync(ctx context.Context, r wire.SyncRequest) (wire.SyncResponse, error) {
	resp, err := t.Server.Sync(ctx, r)
	if len(resp.Tasks) > 0 { // polls without an answer are no points of interest
		t.k.before("Sync", nil)
		t.k.after("Sync", nil)
	}
	return resp, err
}

func (t tapped) Complete(ctx context.Context, r wire.CompleteRequest) (wire.CompleteResponse, error) {
	t.k.before("Complete", nil)
	defer t.k.after("Complete", nil)
	return t.Server.Complete(ctx, r)
}

func (t tapped) Logs(ctx context.Context, r wire.LogRequest) (wire.LogResponse, error) {
	t.k.before("Logs", nil)
	defer t.k.after("Logs", nil)
	return t.Server.Logs(ctx, r)
}

func childDelegate(ctx context.Context, c childConfig) error {
	client, err := httpclient.New(c.Server, func() string { return c.Token }, nil)
	if err != nil {
		return err
	}
	d, err := delegate.New(delegate.Config{Server: tapped{client, &killer{c: c}}, WorkDir: c.Dir, Name: "outside",
		Capacity: c.Capacity, Clock: c.clock(), IDs: clock.NewIDs(clock.System()), Secret: c.Token, Grace: time.Second,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	return d.Run(ctx)
}

// process is a running child.
type process struct {
	cmd   *exec.Cmd
	lines chan string
	done  chan struct{}
}

// spawn starts this binary as a child.
func spawn(t *testing.T, role string, c childConfig) *process {
	t.Helper()
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, configEnv+"="+string(body))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, lines: make(chan string, 16), done: make(chan struct{})}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
		_ = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) dead() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// ready waits for a platform's address and tokens; ok is false when it died first.
func (p *process) ready() (url, admin, join string, ok bool) {
	select {
	case l := <-p.lines:
		f := strings.Fields(l)
		if len(f) == 4 && f[0] == "ready" {
			return f[1], f[2], f[3], true
		}
	case <-p.done:
	}
	return "", "", "", false
}
