package workflow

import (
	"context"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/shared/fault"
)

// found is what Records held when the workflow was opened.
type found struct {
	definitions map[string][]byte // text by digest
	used        map[string]bool   // digests that an execution needs
	running     []*record
	failed      []*record
	forgotten   []string // keys of ended executions past keepEnded
}

// scan reads all records.
func (w *Workflow) scan() (*found, error) {
	f := &found{definitions: map[string][]byte{}, used: map[string]bool{}}
	now := w.Clock.Now()
	err := w.Records.Each(func(key string, value []byte) error {
		if digest, ok := strings.CutPrefix(key, definitionPrefix); ok {
			f.definitions[digest] = append([]byte(nil), value...)
			return nil
		}
		if !strings.HasPrefix(key, executionPrefix) {
			return nil
		}
		r, err := decode(append([]byte(nil), value...))
		switch {
		case err != nil:
			return fault.New(fault.Internal, "reading %s: %w", key, err)
		case r.forgotten(now):
			f.forgotten = append(f.forgotten, key)
			return nil
		case r.running():
			f.running = append(f.running, r)
		case r.failed():
			f.failed = append(f.failed, r)
		}
		f.used[r.digest] = true
		return nil
	})
	return f, err
}

// load registers what runs, and keeps each definition's text as long as an
// execution needs it: a running execution goes on with the one it began with.
func (w *Workflow) load() error {
	f, err := w.scan()
	if err != nil {
		return err
	}
	put, del := map[string][]byte{}, f.forgotten
	current := map[string]bool{}
	for _, m := range w.Definitions {
		current[m.Digest()] = true
		if f.definitions[m.Digest()] == nil {
			put[definitionPrefix+m.Digest()] = m.Text()
		}
	}
	for digest := range f.definitions {
		if !current[digest] && !f.used[digest] {
			del = append(del, definitionPrefix+digest)
		}
	}
	if len(put)+len(del) > 0 {
		if err := w.Records.Save(context.Background(), put, del); err != nil {
			return err
		}
	}
	for _, r := range f.running {
		if err := w.restore(r, f.definitions[r.digest]); err != nil {
			return err
		}
	}
	w.reunite()
	w.untold = f.failed
	return nil
}

func (w *Workflow) restore(r *record, definition []byte) error {
	x := &execution{key: executionKey(r.machine, r.name), fam: &family{}}
	var err error
	if x.machine, err = w.definition(r.machine, r.digest, definition); err != nil {
		return fault.New(fault.Internal, "the definition of %s: %w", x.key, err)
	}
	input, err := asl.DataOf(r.input)
	if err != nil {
		return fault.New(fault.Internal, "the input of %s: %w", x.key, err)
	}
	given, err := asl.DataOf(r.given)
	if err != nil {
		return fault.New(fault.Internal, "the state of %s: %w", x.key, err)
	}
	x.input = input.Value
	x.at = asl.At{State: r.state, Input: given, Entered: time.UnixMilli(r.entered), Retries: r.retries, Token: r.token}
	x.saved.Store(r)
	x.attempt.Store(r.seq)
	w.running.add(x)
	return nil
}

// reunite gives each execution the lock of the one that, in the end, waits for it.
func (w *Workflow) reunite() {
	for _, x := range w.running.all {
		root := x
		for {
			parent := w.running.all[root.saved.Load().parent]
			if parent == nil || parent.saved.Load().child != root.key {
				break
			}
			root = parent
		}
		x.fam = root.fam
	}
}

// resume sets an execution going again from where it stands.
func (w *Workflow) resume(x *execution) {
	c := w.begin(x.fam)
	r := x.saved.Load()
	if !r.running() {
		c.abandon()
		return // stopped while the workflow was paused
	}
	var bad *asl.Failure
	x.task, bad = x.machine.Request(c.env(&draft{x: x, rec: *r}), x.at)
	if bad == nil {
		w.arm(x, c.now)
	}
	due := r.due <= c.now.UnixMilli()
	c.abandon()
	switch {
	case bad != nil:
		w.happen(x, r.seq, func(c *change, d *draft) { c.fail(d, bad) })
	case due:
		w.launch(x, r.seq)
	}
}

// sweepLater removes ended executions once a day, when their names are free again.
func (w *Workflow) sweepLater() {
	w.Clock.AfterFunc(sweepEvery, func() {
		if w.ctx.Err() != nil {
			return
		}
		f, err := w.scan()
		if err == nil && len(f.forgotten) > 0 {
			err = w.Records.Save(w.ctx, nil, f.forgotten)
		}
		if err != nil {
			w.Log.Error("ended executions could not be removed", "error", err)
		}
		w.sweepLater()
	})
}
