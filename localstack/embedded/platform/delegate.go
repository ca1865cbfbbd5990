package platform

import (
	"context"
	"path/filepath"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/wire"
)

// direct is the control plane for the delegate in the same process.
type direct struct {
	dispatch *dispatch.Dispatch
	onInvoke func(string)
}

// Sync implements delegate.Server. The built-in delegate steps back for others.
func (d direct) Sync(ctx context.Context, req wire.SyncRequest) (wire.SyncResponse, error) {
	d.onInvoke("delegate: sync")
	req.Yield = true
	return d.dispatch.Sync(ctx, core.DefaultAccount, req)
}

// Complete implements delegate.Server.
func (d direct) Complete(ctx context.Context, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	d.onInvoke("delegate: complete")
	return d.dispatch.Complete(ctx, core.DefaultAccount, req)
}

// Logs implements delegate.Server.
func (d direct) Logs(ctx context.Context, req wire.LogRequest) (wire.LogResponse, error) {
	d.onInvoke("delegate: logs")
	return d.dispatch.Logs(ctx, core.DefaultAccount, req)
}

func (p *Platform) runDelegate(ctx context.Context) error {
	g, err := delegate.New(delegate.Config{
		Server: direct{p.plane.Dispatch, p.cfg.OnInvoke}, WorkDir: filepath.Join(p.cfg.Dir, "delegate"), Name: "built-in", Version: p.cfg.Version,
		Capacity: p.cfg.Capacity, Clock: p.plane.Ports.Clock, IDs: p.plane.Ports.IDs, Runners: p.cfg.Runners, Wake: p.wake,
		Logger: p.cfg.Logger.With("part", "delegate"), Secret: p.join, Grace: p.cfg.KillGrace,
	})
	if err != nil {
		return err
	}
	return g.Run(ctx)
}
