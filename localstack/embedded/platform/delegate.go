package platform

import (
	"context"
	"path/filepath"

	"github.com/slipway-cd/slipway/delegate"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/wire"
)

// direct is the control plane for the delegate in the same process.
type direct struct {
	dispatch *dispatch.Dispatch
	meter    *meter.Meter
	account  string
}

// Sync implements delegate.Server. The built-in delegate steps back for others.
func (d direct) Sync(ctx context.Context, req wire.SyncRequest) (wire.SyncResponse, error) {
	req.Yield = true
	return meter.Called(ctx, d.meter, "sync", req, own(d.account, d.dispatch.Sync))
}

// Complete implements delegate.Server.
func (d direct) Complete(ctx context.Context, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	return meter.Called(ctx, d.meter, "complete", req, own(d.account, d.dispatch.Complete))
}

// Logs implements delegate.Server.
func (d direct) Logs(ctx context.Context, req wire.LogRequest) (wire.LogResponse, error) {
	return meter.Called(ctx, d.meter, "logs", req, own(d.account, d.dispatch.Logs))
}

// own is a delegate's route for one account.
func own[In, Out any](account string, fn func(context.Context, string, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) { return fn(ctx, account, in) }
}

func (p *Platform) runDelegate(ctx context.Context) error {
	g, err := delegate.New(delegate.Config{
		Server: direct{p.doors["delegate"].Dispatch, p.doors["delegate"].Meter, p.account}, WorkDir: filepath.Join(p.cfg.Dir, "delegate"), Name: "built-in", Version: p.cfg.Version,
		Capacity: p.cfg.Capacity, Clock: p.plane.Ports.Clock, IDs: p.plane.Ports.IDs, Runners: p.cfg.Runners, Wake: p.wake,
		Logger: p.cfg.Logger.With("part", "delegate"), Secret: p.join, Grace: p.cfg.KillGrace,
	})
	if err != nil {
		return err
	}
	return g.Run(ctx)
}
