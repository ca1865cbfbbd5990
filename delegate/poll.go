package delegate

import (
	"context"
	"time"

	"github.com/slipway-cd/slipway/shared/wire"
)

// defaultInterval is when to call again if the server does not say.
const defaultInterval = 5 * time.Second

// poll calls Sync as often as the server says until ctx has ended and then either
// nothing is held any more or the grace is over.
func (d *Delegate) poll(ctx context.Context) {
	call, wake, failures := ctx, d.cfg.Wake, 0
	for {
		pause, err := d.sync(call)
		if err == nil {
			failures = 0
		} else if call.Err() == nil {
			failures++
			pause = d.cfg.Retry.Delay(failures)
			d.log.Warn("sync failed, trying again", "failures", failures, "error", err)
		}
		kick := d.kick
		if failures > 0 && call == ctx {
			kick = nil // a free slot is no reason to call a server in trouble sooner
		}
		next := make(chan struct{})
		cancel := d.cfg.Clock.AfterFunc(pause, func() { close(next) })
		select {
		case <-next:
		case <-kick:
		case _, open := <-wake:
			if !open {
				wake = nil
			}
		case <-call.Done():
		}
		cancel()
		switch {
		case call == ctx && ctx.Err() != nil:
			call = d.drain()
		case call != ctx && (call.Err() != nil || d.idle()):
			return
		}
	}
}

// drain stops taking tasks. The context ends when the grace is over, or on Kill.
func (d *Delegate) drain() context.Context {
	d.mu.Lock()
	d.draining = true
	n := len(d.held)
	d.mu.Unlock()
	grace, over := context.WithCancel(d.base)
	if d.cfg.DrainGrace <= 0 || n == 0 {
		over()
		return grace
	}
	d.log.Info("draining", "tasks", n, "grace", d.cfg.DrainGrace)
	d.cfg.Clock.AfterFunc(d.cfg.DrainGrace, over)
	go func() {
		select {
		case <-d.killed:
			over()
		case <-grace.Done():
		}
	}()
	return grace
}

func (d *Delegate) idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held) == 0
}

// sync calls the server once, does what it says and returns when to call again.
func (d *Delegate) sync(ctx context.Context) (time.Duration, error) {
	refs, free := d.holding()
	resp, err := d.cfg.Server.Sync(ctx, wire.SyncRequest{Delegate: d.identity, Free: free, Holding: refs})
	if err != nil {
		return 0, err
	}
	d.cancel(resp.Cancel)
	d.take(resp.Tasks)
	next := time.Duration(resp.NextMS) * time.Millisecond
	if next <= 0 {
		next = defaultInterval
	}
	return jitter(next), nil
}
