package platform

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	advance "github.com/slipway-cd/slipway/functions/advance/door"
	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/localstack/embedded/blob"
	"github.com/slipway-cd/slipway/localstack/embedded/bus"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/schedule"
	"github.com/slipway-cd/slipway/localstack/embedded/secret"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/statemachines"
)

// adapters are the ports' embedded implementations over one data folder.
type adapters struct {
	file     *file.File
	blobs    *blob.Blobs
	bus      *bus.Bus
	schedule *schedule.Schedule
	workflow *workflow.Workflow
	secrets  *secret.Secrets
	ids      core.IDs
	clock    core.Clock
}

// functions are the doors that machines and schedules invoke, by name.
type functions struct {
	byName map[string]func(context.Context, json.RawMessage) (json.RawMessage, error)
}

// Invoke implements core.Functions.
func (f *functions) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	fn, ok := f.byName[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no function %q", name)
	}
	return fn(ctx, payload)
}

func openAdapters(ctx context.Context, cfg Config, fns core.Functions) (*adapters, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "the data folder cannot be made: %w", err)
	}
	a := &adapters{clock: cfg.Clock, ids: clock.NewIDs(cfg.Clock)}
	var err error
	if a.file, err = file.Open(filepath.Join(cfg.Dir, "slipway.db"), file.Options{Clock: cfg.Clock}); err != nil {
		return nil, err
	}
	for _, open := range []func() error{
		func() (err error) { a.blobs, err = blob.Open(filepath.Join(cfg.Dir, "blobs")); return err },
		func() (err error) {
			a.secrets, err = secret.Open(ctx, a.file.Records("secret"), filepath.Join(cfg.Dir, "secret.key"))
			return err
		},
		func() (err error) { a.bus, err = bus.New(a.file.Records("bus"), cfg.Clock); return err },
		func() (err error) {
			a.schedule, err = schedule.New(a.file.Records("schedule"), cfg.Clock)
			return err
		},
		func() error { return a.openWorkflow(cfg, fns) },
	} {
		if err := open(); err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}

func (a *adapters) openWorkflow(cfg Config, fns core.Functions) error {
	machines := map[string]*asl.Machine{}
	for name, text := range statemachines.Definitions() {
		m, err := asl.Parse(name+".asl.json", text, map[string]string{"AdvanceFunction": "advance", "StageMachine": core.MachineStage})
		if err != nil {
			return err
		}
		machines[name] = m
	}
	var err error
	a.workflow, err = workflow.New(workflow.Config{Definitions: machines, Functions: fns, Clock: cfg.Clock, IDs: a.ids,
		Records: a.file.Records("workflow"), OnTransition: cfg.OnTransition, OnFailed: reconcile(fns), Log: cfg.Logger, Paused: true, Weak: cfg.Weak})
	return err
}

func (a *adapters) ports() core.Ports {
	return core.Ports{Store: a.file.Store(), Workflow: a.workflow, Bus: a.bus, Secrets: a.secrets,
		Schedule: a.schedule, Blobs: a.blobs, Clock: a.clock, IDs: a.ids}
}

// start sets going what waits for functions: executions, timers, subscribers.
func (a *adapters) start(fns core.Functions) {
	a.workflow.Resume()
	a.schedule.Start(fns)
	a.bus.Start()
}

// close ends everything that was opened, the file last.
func (a *adapters) close() {
	if a.workflow != nil {
		a.workflow.Close()
	}
	if a.schedule != nil {
		a.schedule.Close()
	}
	if a.bus != nil {
		_ = a.bus.Close()
	}
	if a.blobs != nil {
		_ = a.blobs.Close()
	}
	_ = a.file.Close()
}

// reconcile tells the function advance of failed executions, as a rule on
// EventBridge does on AWS.
func reconcile(fns core.Functions) func(context.Context, core.Execution) error {
	return func(ctx context.Context, e core.Execution) error {
		payload, err := json.Marshal(map[string]any{"detail-type": advance.StatusChange, "detail": advance.Ended{
			Machine: e.Machine, Name: e.Name, Status: e.Status, Input: string(e.Input)}})
		if err == nil {
			_, err = fns.Invoke(ctx, "advance", payload)
		}
		return err
	}
}
