package entity

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// tries bounds how often a change is tried again because others changed the same
// directory meanwhile.
const tries = 50

// change replaces what stands at r with what decide makes of it, in one transaction
// with its history, its row in the directory and its references.
func (c *Catalogue) change(ctx context.Context, r core.EntityRef, by Change, decide func(old *core.Entity) (*core.Entity, error)) (core.Entity, error) {
	unlock := c.directories.lock(r.Scope, r.Kind)
	defer unlock()
	for range tries {
		e, again, err := c.attempt(ctx, r, by, decide)
		if !again {
			return e, err
		}
	}
	return core.Entity{}, fault.New(fault.Throttled, "too many changes of %s at once; retry", where(r.Scope))
}

// attempt makes the change, or says that somebody came in between.
func (c *Catalogue) attempt(ctx context.Context, r core.EntityRef, by Change, decide func(old *core.Entity) (*core.Entity, error)) (e core.Entity, again bool, err error) {
	old, err := c.head(ctx, r)
	if err == nil {
		err = c.check(ctx, r, by, old)
	}
	if err != nil {
		return e, false, err
	}
	next, err := decide(old)
	if err != nil {
		return e, false, err
	}
	e, same, err := c.follow(ctx, old, *next, by)
	if err != nil || same {
		return e, false, err
	}
	w := &transaction{catalogue: c, old: old, next: e, id: c.ids.New()}
	err = w.write(ctx)
	switch {
	case !fault.Is(err, fault.Conflict):
		return w.next, false, err
	}
	written, known := w.written(ctx)
	if written {
		return w.next, false, nil
	}
	if known {
		_ = c.store.Delete(ctx, w.pieces...) // nobody will ever read them
	}
	return e, true, err
}

// follow gives a new version its number and times. same is true when nothing changes.
func (c *Catalogue) follow(ctx context.Context, old *core.Entity, e core.Entity, by Change) (next core.Entity, same bool, err error) {
	now := core.Millis(c.clock.Now())
	e.Version, e.Created, e.CreatedBy = 1, now, by.By
	if old != nil {
		e.Version = old.Version + 1
	}
	if old != nil && !old.Deleted {
		whole, err := c.whole(ctx, *old)
		if err == nil {
			err = c.mark(ctx, &whole)
		}
		if err != nil {
			return e, false, err
		}
		if !e.Deleted && equal(whole, e) {
			return whole, true, nil
		}
		e.Created, e.CreatedBy = old.Created, old.CreatedBy
	}
	e.Updated, e.UpdatedBy = now, by.By
	return e, false, nil
}

// equal reports whether what a user wrote is the same.
func equal(a, b core.Entity) bool {
	strip := func(e core.Entity) string {
		e.Version, e.Created, e.Updated, e.CreatedBy, e.UpdatedBy, e.Pieces, e.Text, e.Stable = 0, 0, 0, "", "", 0, "", false
		return mustJSON(e)
	}
	return strip(a) == strip(b) && (a.Stable || !b.Stable)
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(b)
}

// transaction writes one version of an entity.
type transaction struct {
	catalogue *Catalogue
	old       *core.Entity // nil for none
	next      core.Entity
	id        string // tells this change from another that came to the same version
	pieces    []core.Key
}

// written reports whether this very change is what stands there, if that can be known: a
// write may fail after it has happened.
func (w *transaction) written(ctx context.Context) (yes, known bool) {
	item, err := w.catalogue.store.Get(ctx, core.RevisionKey(w.next.EntityRef, w.next.Version), true)
	if err != nil {
		return false, fault.Is(err, fault.NotFound)
	}
	var rev core.Revision
	err = json.Unmarshal(item.Body, &rev)
	return err == nil && rev.ID == w.id, err == nil
}

func (w *transaction) write(ctx context.Context) error {
	dir, err := w.catalogue.directories.load(ctx, w.next.Scope, w.next.Kind)
	if err != nil {
		return err
	}
	puts, ed, after, err := w.listed(dir)
	if err != nil {
		return err
	}
	entity, pieces, err := w.entity()
	if err != nil {
		return err
	}
	for _, p := range pieces { // alone, at half a transaction's price: nothing refers to them yet
		w.pieces = append(w.pieces, p.Item.Key)
		if err := w.catalogue.store.Write(ctx, p); err != nil {
			return err
		}
	}
	puts = append(puts, entity...)
	notes := w.notes()
	// References come first when they do not fit: a note too many does no harm, one too
	// few would let somebody delete what is in use.
	for len(puts)+len(notes) > core.MaxWriteItems {
		n := min(len(notes), core.MaxWriteItems)
		if err := w.catalogue.store.Write(ctx, notes[:n]...); err != nil {
			return err
		}
		notes = notes[n:]
	}
	if err := w.catalogue.store.Write(ctx, append(puts, notes...)...); err != nil {
		return err
	}
	w.catalogue.directories.keep(w.next.Scope, w.next.Kind, after)
	ed.at.follow(ed, after.version)
	_ = w.catalogue.store.Delete(ctx, w.dropped()...) // a note too many does no harm
	return nil
}

// entity are the puts of the entity itself and its history, and before them those of a
// long text.
func (w *transaction) entity() (puts, pieces []core.Put, err error) {
	e := &w.next
	cond := core.IfAbsent()
	if w.old != nil {
		cond = core.IfVersion(w.old.Version)
	}
	action := "UPDATE"
	switch {
	case e.Deleted:
		action = "DELETE"
	case w.old == nil || w.old.Deleted:
		action = "CREATE"
	}
	lean, pieces := split(*e, w.id)
	e.Pieces, e.Text = lean.Pieces, lean.Text
	revision := core.Revision{ID: w.id, Action: action, At: e.Updated, By: e.UpdatedBy, Entity: lean}
	puts = []core.Put{
		{If: cond, Item: core.Item{Key: core.EntityKey(e.EntityRef), Version: e.Version, Body: []byte(mustJSON(lean))}},
		{If: core.IfAbsent(), Item: core.Item{Key: core.RevisionKey(e.EntityRef, e.Version), Version: 1, Body: []byte(mustJSON(revision))}},
	}
	for _, p := range puts {
		if p.Item.Size() > core.MaxItemBytes {
			return nil, nil, fault.New(fault.TooLarge, "%s: what is said of it beside its YAML is too much", e.EntityRef)
		}
	}
	return puts, pieces, nil
}

// notes are the puts of the references that are new.
func (w *transaction) notes() []core.Put {
	var out []core.Put
	for _, used := range w.next.Uses {
		if w.old != nil && slices.Contains(w.old.Uses, used) {
			continue
		}
		out = append(out, core.Put{Item: core.Item{Key: core.EntityUseKey(w.next.EntityRef, used), Version: 1, Body: []byte("{}")}})
	}
	return unique(out)
}

// unique leaves out puts of a key that came before: versions of one template are one
// note.
func unique(puts []core.Put) []core.Put {
	seen := map[core.Key]bool{}
	return slices.DeleteFunc(puts, func(p core.Put) bool {
		again := seen[p.Item.Key]
		seen[p.Item.Key] = true
		return again
	})
}

// dropped are the notes of references that are no more.
func (w *transaction) dropped() []core.Key {
	if w.old == nil {
		return nil
	}
	kept := map[core.Key]bool{}
	for _, used := range w.next.Uses {
		kept[core.EntityUseKey(w.next.EntityRef, used)] = true
	}
	var out []core.Key
	for _, used := range w.old.Uses {
		if key := core.EntityUseKey(w.next.EntityRef, used); !kept[key] && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}
