package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/lock"
)

// lockWorld runs what carries out claims one step at a time, in a random order: every
// read, write, question and answer is a step. Processes die between two steps and
// after a write that succeeded; what they did is begun again, also when it was done.
type lockWorld struct {
	t       *testing.T
	seed    uint64
	rng     *rand.Rand
	limit   int
	items   map[core.Key]core.Item
	tracks  map[string]*claimant
	todo    []func(k *keeper) error // commands to be carried out
	arrived chan *gate
	waiting []*gate
	running int
	dying   bool // processes may die, things happen twice
}

// claimant is a track that asks once: "asking", "holding", "ended" after it held the
// lock, "dropped" when it never did.
type claimant struct {
	claim core.Claim
	state string
}

// gate is a process that waits for its next step; done says that it has ended.
type gate struct {
	proceed chan error
	done    bool
	again   func(k *keeper) error
	err     error
}

// step waits for the process' turn; an error is its death.
func (p *lockProcess) step() error {
	if p.dead {
		return errDied
	}
	g := &gate{proceed: make(chan error)}
	p.w.arrived <- g
	if err := <-g.proceed; err != nil {
		p.dead = true
		return err
	}
	return nil
}

var errDied = fault.New(fault.Canceled, "the process died")

// lockProcess is one process: its keeper's ports.
type lockProcess struct {
	core.Store
	w    *lockWorld
	dead bool
}

func (p *lockProcess) Get(_ context.Context, key core.Key, _ bool) (core.Item, error) {
	if err := p.step(); err != nil {
		return core.Item{}, err
	}
	if it, ok := p.w.items[key]; ok {
		return it, nil
	}
	return core.Item{}, fault.New(fault.NotFound, "none")
}

func (p *lockProcess) Write(_ context.Context, puts ...core.Put) error {
	if err := p.step(); err != nil {
		return err
	}
	put := puts[0]
	old, found := p.w.items[put.Item.Key]
	if !put.If.Holds(found, old.Version) {
		return fault.New(fault.Conflict, "changed")
	}
	if put.Item.Version <= old.Version {
		p.w.t.Error("the version did not rise")
	}
	p.w.items[put.Item.Key] = put.Item
	if p.w.dying && p.w.rng.IntN(20) == 0 {
		p.dead = true
		return errDied // after the deed
	}
	return nil
}

func (p *lockProcess) Asks(_ context.Context, _ string, c core.Claim) (bool, error) {
	if err := p.step(); err != nil {
		return false, err
	}
	return p.w.tracks[c.ID].state == "asking", nil
}

func (p *lockProcess) Tell(_ context.Context, _ string, c core.Claim, a core.LockAnswer) error {
	if err := p.step(); err != nil {
		return err
	}
	switch t := p.w.tracks[c.ID]; {
	case t.state == "dropped":
		return fault.New(fault.Gone, "not wanted")
	case t.state == "asking" && a.Held:
		t.state = "holding"
		p.w.exclusive()
	}
	return nil
}

func (p *lockProcess) Now() time.Time { return time.UnixMilli(1) }

func (p *lockProcess) AfterFunc(_ time.Duration, f func()) func() {
	go f()
	return func() {}
}

// exclusive checks that no more hold the lock than may.
func (w *lockWorld) exclusive() {
	runs := map[string]bool{}
	for _, t := range w.tracks {
		if t.state == "holding" {
			runs[t.claim.Run] = true
		}
	}
	if len(runs) > max(1, w.limit) {
		w.t.Errorf("seed %d: %d runs hold the lock", w.seed, len(runs))
	}
}

// begin starts a process that carries out a command.
func (w *lockWorld) begin(command func(k *keeper) error) {
	w.running++
	go func() {
		p := &lockProcess{w: w}
		err := command(&keeper{store: p, clock: p, tracks: p})
		w.arrived <- &gate{done: true, again: command, err: err}
	}()
}

// settle waits until every process stands at its next step, and forgets those that
// have ended; those that died are begun again by somebody.
func (w *lockWorld) settle() {
	for w.running > len(w.waiting) {
		g := <-w.arrived
		if !g.done {
			w.waiting = append(w.waiting, g)
			continue
		}
		w.running--
		if g.err != nil && !fault.Is(g.err, fault.Canceled) {
			w.t.Fatalf("seed %d: %v", w.seed, g.err)
		}
		if g.err != nil || w.dying && w.rng.IntN(6) == 0 {
			w.todo = append(w.todo, g.again)
		}
	}
}

// release ends a track, and with it what it held or asked for.
func (w *lockWorld) release(t *claimant, state string) {
	t.state = state
	w.todo = append(w.todo, func(k *keeper) error { return k.release(context.Background(), "a", t.claim) })
}

// happens picks what happens next; false when nothing can.
func (w *lockWorld) happens() bool {
	w.settle()
	var can []func()
	for i := range w.todo {
		can = append(can, func() {
			c := w.todo[i]
			w.todo = slices.Delete(w.todo, i, i+1)
			w.begin(c)
		})
	}
	for i, g := range w.waiting {
		can = append(can, func() {
			w.waiting = slices.Delete(w.waiting, i, i+1)
			var err error
			if w.dying && w.rng.IntN(12) == 0 {
				err = errDied
			}
			g.proceed <- err
		})
	}
	for _, id := range sortedClaims(w.tracks) {
		t := w.tracks[id]
		switch t.state {
		case "holding":
			can = append(can, func() { w.release(t, "ended") })
		case "asking":
			if w.dying && w.rng.IntN(8) == 0 {
				can = append(can, func() { w.release(t, "dropped") })
			}
		}
	}
	if len(can) == 0 {
		return false
	}
	can[w.rng.IntN(len(can))]()
	return true
}

func sortedClaims(m map[string]*claimant) []string {
	var ids []string
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// TestLockModel lets processes race, die and repeat themselves over one lock: it is
// never given to two, and in the end everybody has had it or gone, and it is free.
func TestLockModel(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := &lockWorld{t: t, seed: seed, rng: rng, limit: rng.IntN(3), items: map[core.Key]core.Item{},
			tracks: map[string]*claimant{}, arrived: make(chan *gate), dying: true}
		for i := range 2 + rng.IntN(6) {
			id := fmt.Sprint("c", i)
			tr := &claimant{state: "asking", claim: core.Claim{ID: id, Run: id, Lock: "queue#k", Limit: w.limit, Scope: core.ScopePipeline}}
			if w.limit < 2 && rng.IntN(4) == 0 {
				tr.claim.Run = "c0"
			}
			w.tracks[id] = tr
			w.todo = append(w.todo, func(k *keeper) error { return k.acquire(context.Background(), "a", tr.claim) })
		}
		for i := 0; w.happens(); i++ {
			if i > 1000 {
				w.dying = false
			}
			if i > 20_000 {
				t.Fatalf("seed %d: it never ends", seed)
			}
		}
		for id, tr := range w.tracks {
			if tr.state != "ended" && tr.state != "dropped" {
				t.Fatalf("seed %d: %s is %s for ever", seed, id, tr.state)
			}
		}
		l := lock.Lock{}
		if it, ok := w.items[core.LockKey("a", "queue#k")]; ok {
			if err := json.Unmarshal(it.Body, &l); err != nil {
				t.Fatal(err)
			}
		}
		if len(l.Holders) > 0 || slices.ContainsFunc(l.Waiters, func(h lock.Held) bool { return w.tracks[h.ID].state != "dropped" }) {
			t.Fatalf("seed %d: left over: %+v", seed, l)
		}
	}
}
