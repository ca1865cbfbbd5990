package aws

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/localstack/aws/stack"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
)

var (
	system = clock.System()
	ids    = clock.NewIDs(system)
)

// newID makes a name that no other test has, fit for identifiers.
func newID() string { return strings.ToLower(ids.New()) }

// kept is a Bus that remembers what was published.
type kept struct {
	core.Bus
	mu   sync.Mutex
	seen []event
}

// Publish implements core.Bus.
func (k *kept) Publish(ctx context.Context, events ...core.BusEvent) error {
	err := k.Bus.Publish(ctx, events...)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range events {
		k.seen = append(k.seen, event{e.Type, e.Detail})
	}
	return err
}

func (k *kept) read(context.Context) ([]event, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]event(nil), k.seen...), nil
}

// startEmbedded starts a platform in this process and a delegate in another.
func startEmbedded() (*world, error) {
	dir, err := os.MkdirTemp("", "slipway-e2e-")
	if err != nil {
		return nil, err
	}
	bus := &kept{}
	p, err := platform.Start(context.Background(), platform.Config{Dir: filepath.Join(dir, "data"), Wrap: func(p core.Ports) core.Ports {
		bus.Bus, p.Bus = p.Bus, bus
		return p
	}})
	if err != nil {
		return nil, err
	}
	w := &world{name: "embedded", url: p.URL(), ports: p.Ports(), bus: bus.read, dir: dir, look: 100 * time.Millisecond}
	if err := w.settle(context.Background(), p.AdminToken()); err != nil {
		return nil, err
	}
	first, err := w.delegate("e2e")
	if err != nil {
		return nil, err
	}
	endings = append(endings, func() {
		first.kill()
		_ = p.Close(context.Background())
		_ = os.RemoveAll(dir)
	})
	return w, nil
}

// startDeployed finds the deployed stack, gives it users and a queue behind its
// bus, and starts a delegate.
func startDeployed() (*world, error) {
	s, err := stack.Open()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "slipway-e2e-")
	if err != nil {
		return nil, err
	}
	w := &world{name: "deployed", url: s.URL, ports: s.Ports(), stack: s, dir: dir, look: 3 * time.Second}
	// Waiting for delegates would be most of what the suite does.
	if err := s.Set(ctx, "delegate", map[string]string{"SLIPWAY_PACE": "2s"}); err != nil {
		return nil, err
	}
	queue, err := s.Listen(ctx, "e2e-"+newID())
	if err != nil {
		return nil, err
	}
	w.bus = func(ctx context.Context) ([]event, error) {
		all, err := queue.Read(ctx)
		events := make([]event, len(all))
		for i, e := range all {
			events[i] = event{e.Type, e.Detail}
		}
		return events, err
	}
	admin, err := s.AdminToken(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.settle(ctx, admin); err != nil {
		return nil, err
	}
	first, err := w.delegate("e2e")
	if err != nil {
		return nil, err
	}
	endings = append(endings, func() {
		first.kill()
		_ = os.RemoveAll(dir)
	})
	return w, nil
}

// outside is a delegate: `slipway delegate` in a process of its own.
type outside struct {
	cmd  *exec.Cmd
	done chan struct{}
	log  string // its file
}

// delegate starts a delegate with a name, which is also its tag, and a folder of
// that name: started again, it is the same delegate.
func (w *world) delegate(name string, args ...string) (*outside, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	o := &outside{done: make(chan struct{}), log: filepath.Join(w.dir, name+".log")}
	log, err := os.OpenFile(o.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	all := append([]string{"delegate", "--server", w.url, "--name", name, "--work", filepath.Join(w.dir, name), "--capacity", "64", "--drain", "1s"}, args...)
	o.cmd = exec.Command(self, all...)
	o.cmd.Env = append(os.Environ(), roleEnv+"=slipway", "SLIPWAY_TOKEN="+w.join)
	o.cmd.Stdout, o.cmd.Stderr = log, log
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting delegate %s: %w", name, err)
	}
	go func() {
		_ = o.cmd.Wait()
		close(o.done)
	}()
	return o, nil
}

// kill is kill -9.
func (o *outside) kill() {
	if err := o.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(err)
	}
	<-o.done
}
