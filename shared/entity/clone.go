package entity

import (
	"context"
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Cloning is an entity to be kept once more, somewhere else or under another name.
type Cloning struct {
	From             core.EntityRef
	To               core.Scope
	Identifier, Name string // of the new one; empty for those of the old one
	// Force keeps it though something that it refers to is not there.
	Force, DryRun bool
	By            Change
	// Allow may refuse the new entity.
	Allow func(core.EntityRef) error
}

// Clone keeps an entity once more, as its author wrote it but for how it is called and
// where it lives. *Refused lists what the new one would refer to that is not there
// (BEHAVIOUR §1.2); of a secret the value is not taken along.
func (c *Catalogue) Clone(ctx context.Context, cl Cloning) (Saved, error) {
	old, err := c.Get(ctx, cl.From)
	if err != nil {
		return Saved{}, err
	}
	text, err := document.Cloned(old, cl.To, cl.Identifier, cl.Name)
	if err != nil {
		return Saved{}, err
	}
	const file = "clone.yaml"
	expected := document.Expected{Kind: old.Kind, Scope: cl.To, File: file}
	e, diags := document.Read(text, expected)
	if e == nil {
		return Saved{}, &Refused{diags}
	}
	if e.EntityRef == old.EntityRef {
		return Saved{}, fault.New(fault.Invalid, "the clone would be %s itself: give it another identifier or scope", old.EntityRef)
	}
	// First: what is there and what is not is only told to whoever may do it.
	if err := cl.Allow(e.EntityRef); err != nil {
		return Saved{}, err
	}
	lost, err := c.lost(ctx, old, *e, file)
	if err != nil {
		return Saved{}, err
	}
	if len(lost) > 0 && !cl.Force {
		return Saved{}, &Refused{lost}
	}
	saved, err := c.Save(ctx, Saving{Text: text, Expected: expected, Mode: MustCreate, By: cl.By, DryRun: cl.DryRun, Amend: func(e *core.Entity) error {
		for name, v := range old.Facts { // what is said of it beside its document
			if _, said := e.Facts[name]; !said {
				e.Facts = with(e.Facts, name, v)
			}
		}
		return nil
	}})
	if err == nil && cl.DryRun && saved.Action != Created {
		err = fault.New(fault.AlreadyExists, "%s already exists in %s", e.EntityRef, where(e.Scope))
	}
	for i := range lost {
		lost[i].Severity = core.SeverityWarning
	}
	saved.Diagnostics = append(lost, saved.Diagnostics...)
	return saved, err
}

func with(facts map[string]string, name, value string) map[string]string {
	if facts == nil {
		facts = map[string]string{}
	}
	facts[name] = value
	return facts
}

// lost are the references of a clone that lead nowhere.
func (c *Catalogue) lost(ctx context.Context, old, e core.Entity, file string) (core.Diagnostics, error) {
	var out core.Diagnostics
	for _, used := range e.Uses {
		there, err := c.finds(ctx, used)
		if err != nil {
			return nil, err
		}
		if there || used == old.EntityRef {
			continue
		}
		at := document.Where(e, file, used)
		out = append(out, core.Diagnostic{Severity: core.SeverityError, Code: CodeUnmet, File: at.File, Line: at.Line, Column: at.Column,
			Message: fmt.Sprintf("%s is not there in %s", used, where(used.Scope)), Help: "create it first, or force it"})
	}
	return out, nil
}

// finds is Exists for what documents name, which call files of the file store by their
// paths.
func (c *Catalogue) finds(ctx context.Context, r core.EntityRef) (bool, error) {
	if r.Kind != core.EntityFile {
		return c.Exists(ctx, r)
	}
	rows, _, err := c.List(ctx, Query{Scope: r.Scope, Kind: core.EntityFile})
	if err != nil {
		return false, err
	}
	byID := map[string]Listed{}
	for _, row := range rows {
		byID[row.Identifier] = row
	}
	for _, row := range rows {
		path := ""
		for at, deep := row, 0; at.Identifier != "" && deep < 100; at, deep = byID[at.Facts["parentIdentifier"]], deep+1 {
			path = "/" + at.Name + path
		}
		if path == r.Identifier {
			return true, nil
		}
	}
	return false, nil
}
