package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	advance "github.com/slipway-cd/slipway/functions/advance/door"
	relay "github.com/slipway-cd/slipway/functions/relay/door"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/launch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/plane"
	"github.com/slipway-cd/slipway/shared/view"
)

// Platform is a running platform. Its methods may be called concurrently.
type Platform struct {
	cfg      Config
	adapters *adapters
	plane    *plane.Plane
	doors    map[string]*plane.Plane // by function; all the same unless Config.Apart
	wake     chan struct{}

	url         string
	account     string
	admin, join string
	server      *http.Server
	stop        context.CancelFunc
	running     sync.WaitGroup
	failed      chan error
}

// Start opens the data folder, or makes it, and starts everything that was under
// way. The platform answers on URL when Start returns.
func Start(ctx context.Context, cfg Config) (*Platform, error) {
	cfg = cfg.withDefaults()
	p := &Platform{cfg: cfg, wake: make(chan struct{}, 1), failed: make(chan error, 4)}
	fns := &functions{byName: map[string]func(context.Context, json.RawMessage) (json.RawMessage, error){}}
	var err error
	if p.adapters, err = openAdapters(ctx, cfg, fns); err != nil {
		return nil, err
	}
	if p.account, err = accountOf(cfg.Dir, cfg.Account); err != nil {
		p.adapters.close()
		return nil, err
	}
	p.compose(fns)
	if p.admin, p.join, err = seed(ctx, cfg.Dir, p.account, p.plane.Govern, p.plane.Ports.IDs); err != nil {
		p.adapters.close()
		return nil, err
	}
	listener, err := net.Listen("tcp", cfg.Addr) //nolint:noctx // bound before anything runs
	if err != nil {
		p.adapters.close()
		return nil, fault.New(fault.Unavailable, "cannot listen on %s: %w", cfg.Addr, err)
	}
	p.url = "http://" + listener.Addr().String()
	p.plane.Launch.BaseURL, p.plane.Launch.MaxRuns, p.plane.Launch.HistoryEdge = p.url, cfg.MaxRuns, cfg.HistoryEdge
	if err := p.announce(); err != nil {
		p.adapters.close()
		return nil, errors.Join(err, listener.Close())
	}
	p.run(ctx, fns, listener)
	return p, nil
}

// compose builds the control plane over the ports.
func (p *Platform) compose(fns *functions) {
	ports := p.cfg.Wrap(meter.Estimate(p.adapters.ports()))
	p.plane = p.newPlane(ports)
	p.doors = map[string]*plane.Plane{}
	for _, name := range []string{"api", "catalogue", "approve", "delegate", "advance", "relay"} {
		p.doors[name] = p.plane
		if p.cfg.Apart && name != "api" {
			p.doors[name] = p.newPlane(ports)
		}
	}
	a := p.doors["advance"]
	fns.byName["advance"] = meter.Func(a.Meter, "advance", advance.New(a.Journal, a.Dispatch).Handle)
}

func (p *Platform) newPlane(ports core.Ports) *plane.Plane {
	n := plane.New(ports, *p.cfg.Pace)
	n.Meter.Estimated, n.Meter.Each = true, p.cfg.MeterEach
	n.Govern.AllowAs = p.cfg.AllowAs
	n.Journal.Offered = func(string) {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	return n
}

// late waits as long as DynamoDB's stream is behind the table, about.
func (p *Platform) late(ctx context.Context) {
	over := make(chan struct{})
	defer p.plane.Ports.Clock.AfterFunc(250*time.Millisecond, func() { close(over) })()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// relay takes events from the store's stream.
func (p *Platform) relay(ctx context.Context) error {
	r := p.doors["relay"]
	handle := meter.Func(r.Meter, "relay", func(ctx context.Context, items []core.Item) (struct{}, error) {
		return struct{}{}, relay.New(r.Journal).Handle(ctx, items)
	})
	return r.Ports.Store.Watch(ctx, "relay", func(ctx context.Context, items []core.Item) error {
		if p.cfg.Apart {
			p.late(ctx)
		}
		_, err := handle(ctx, items)
		return err
	})
}

// run sets everything going.
func (p *Platform) run(ctx context.Context, fns *functions, listener net.Listener) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.adapters.start(fns)
	p.running.Go(func() { p.report(p.relay(ctx)) })
	p.server = &http.Server{Handler: p.routes(), ReadHeaderTimeout: 10 * time.Second}
	p.running.Go(func() { p.report(p.server.Serve(listener)) })
	if p.cfg.Delegate {
		p.running.Go(func() { p.report(p.runDelegate(ctx)) })
	}
}

// report keeps the first failure of something that should have gone on running.
func (p *Platform) report(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, http.ErrServerClosed) || fault.Is(err, fault.Canceled) {
		return
	}
	p.cfg.Logger.Error("the platform is not whole any more", "error", err)
	select {
	case p.failed <- err:
	default:
	}
}

// serverFile is what other commands find the platform by.
type serverFile struct {
	URL            string `json:"url"`
	AdminTokenFile string `json:"admin_token_file"`
	PID            int    `json:"pid"`
}

func (p *Platform) announce() error {
	tokenFile, err := filepath.Abs(filepath.Join(p.cfg.Dir, "admin-token"))
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(serverFile{URL: p.url, AdminTokenFile: tokenFile, PID: os.Getpid()}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(p.cfg.Dir, "server.json"), append(body, '\n'))
}

// URL is where the platform answers, without a slash at the end.
func (p *Platform) URL() string { return p.url }

// Dir is the data folder.
func (p *Platform) Dir() string { return p.cfg.Dir }

// AdminToken is the token of the user admin.
func (p *Platform) AdminToken() string { return p.admin }

// JoinToken is what delegates sign in with.
func (p *Platform) JoinToken() string { return p.join }

// Ports are the ways to the world, as the doors use them.
func (p *Platform) Ports() core.Ports { return p.plane.Ports }

// Launch starts runs in this process.
func (p *Platform) Launch() *launch.Launch { return p.plane.Launch }

// Meters are the doors' counts, one of each process that they stand for.
func (p *Platform) Meters() []*meter.Meter {
	all := []*meter.Meter{p.plane.Meter}
	for _, d := range p.doors {
		if !slices.Contains(all, d.Meter) {
			all = append(all, d.Meter)
		}
	}
	return all
}

// Views shows runs.
func (p *Platform) Views() *view.Views { return p.plane.Views }

// Journal keeps the tracks.
func (p *Platform) Journal() *journal.Journal { return p.plane.Journal }

// Dispatch hands out tasks.
func (p *Platform) Dispatch() *dispatch.Dispatch { return p.plane.Dispatch }

// Stats counts what the data file's writer has done.
func (p *Platform) Stats() file.Stats { return p.adapters.file.Stats() }

// Failed delivers an error when a part of the platform has stopped by itself.
func (p *Platform) Failed() <-chan error { return p.failed }

// Close ends the platform; what is under way goes on at the next Start. The
// server file stays when another process has taken it over.
func (p *Platform) Close(ctx context.Context) error {
	err := p.server.Shutdown(ctx)
	p.stop()
	p.running.Wait()
	p.adapters.close()
	return errors.Join(err, os.Remove(filepath.Join(p.cfg.Dir, "server.json")))
}
