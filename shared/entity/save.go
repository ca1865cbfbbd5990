package entity

import (
	"cmp"
	"context"
	"slices"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Refused says what is wrong with a document that was to be kept. Nothing of it was.
type Refused struct{ Diagnostics core.Diagnostics }

func (r *Refused) Error() string { return r.Diagnostics.String() }

// Mode says what saving may do.
type Mode int

// Modes of saving.
const (
	Upsert Mode = iota // create it, or replace it
	MustCreate
	MustReplace
)

// Saving is a document to be kept.
type Saving struct {
	Text string
	document.Expected
	Mode Mode
	By   Change
	// DryRun checks the document and compares it; nothing is kept.
	DryRun bool
	// Stable makes a template's version the stable one.
	Stable bool
	// Value is the value of a secret that is not in its document: a file's content.
	Value []byte
	// Amend, when there is one, may refuse the entity that was read, or say more of it.
	Amend func(*core.Entity) error
}

// What saving did, or would have done.
const (
	Created   = "created"
	Changed   = "changed"
	Unchanged = "unchanged"
)

// Saved is what was kept.
type Saved struct {
	Entity core.Entity
	// Action is Created, Changed or Unchanged.
	Action string
	// Diagnostics are warnings, what is not supported yet, and what makes of a pipeline
	// a draft.
	Diagnostics core.Diagnostics
}

// Save checks a document with everything the language knows and keeps it; *Refused
// when it is wrong. A pipeline that cannot be compiled is kept as a draft, which does
// not run. Of a secret, everything but the value is kept here.
func (c *Catalogue) Save(ctx context.Context, s Saving) (Saved, error) {
	if err := CheckSize(s.Text); err != nil {
		return Saved{}, err
	}
	e, diags := document.Read(s.Text, s.Expected)
	if e == nil {
		return Saved{}, &Refused{diags}
	}
	if diags.Blocks() && !onlyUnsupported(diags) && e.Kind != core.EntityPipeline {
		return Saved{}, &Refused{errors(diags)}
	}
	if s.Amend != nil {
		if err := s.Amend(e); err != nil {
			return Saved{}, err
		}
	}
	if err := c.Needs(ctx, *e); err != nil && !s.DryRun { // it may be about to be kept too
		return Saved{}, unmet(err, *e, s.File)
	}
	if e.Kind == core.EntityPipeline {
		more, err := c.compiled(ctx, *e, s.DryRun) // what it refers to may be about to be kept too
		if err != nil {
			return Saved{}, err
		}
		for i, d := range more {
			if d.File == fileName(e.EntityRef) {
				more[i].File = cmp.Or(s.File, d.File) // as the author calls it
			}
		}
		if !diags.Blocks() || onlyUnsupported(diags) {
			diags = more
		}
		if errs := errors(diags); len(errs) > 0 {
			e.Draft = errs.String()
		}
	}
	e.Stable = s.Stable
	value, err := takeValue(e, s.Value)
	if err != nil {
		return Saved{}, err
	}
	before, err := c.head(ctx, e.EntityRef)
	if err != nil {
		return Saved{}, err
	}
	if s.DryRun {
		kept, same, err := c.follow(ctx, before, *e, s.By)
		return Saved{kept, action(before, same), diags}, err
	}
	kept, err := c.mode(s.Mode)(ctx, *e, s.By)
	if err != nil {
		return Saved{}, err
	}
	did := action(before, before != nil && before.Version == kept.Version)
	if e.Kind == core.EntitySecret {
		err = c.keepValue(ctx, kept, value)
	}
	if err == nil && did == Changed {
		var more core.Diagnostics
		more, err = c.broken(ctx, kept)
		diags = append(diags, more...)
	}
	return Saved{kept, did, diags}, err
}

// CheckSize refuses a text that is too large to be kept, or to be read again.
func CheckSize(text string) error {
	if len(text) > core.MaxEntityYAML {
		return fault.New(fault.TooLarge, "the document has %d bytes: at most %d are kept", len(text), core.MaxEntityYAML)
	}
	if n := core.Sent(text); n > core.MaxEntitySent {
		return fault.New(fault.TooLarge, "the document would take %d bytes of an answer, and could not be read again: quotes, backslashes, line breaks, <, > and & take 3 to 7 bytes there. At most %d are kept: make it smaller", n, core.MaxEntitySent)
	}
	return nil
}

func action(before *core.Entity, same bool) string {
	switch {
	case before == nil || before.Deleted:
		return Created
	case same:
		return Unchanged
	}
	return Changed
}

func (c *Catalogue) mode(m Mode) func(context.Context, core.Entity, Change) (core.Entity, error) {
	switch m {
	case MustCreate:
		return c.Create
	case MustReplace:
		return c.Update
	default:
		return c.Put
	}
}

// Compiled says what compiling a pipeline says, with what is stored as its library: what
// is not there is an error, and a value that a run asks for is none.
func (c *Catalogue) Compiled(ctx context.Context, e core.Entity) (core.Diagnostics, error) {
	return c.compiled(ctx, e, false)
}

// Lacks tells why a pipeline cannot run as it is now, "" when it can.
func (c *Catalogue) Lacks(ctx context.Context, e core.Entity) (string, error) {
	diags, err := c.Compiled(ctx, e)
	if err != nil || len(errors(diags)) == 0 {
		return "", err
	}
	return errors(diags).String(), nil
}

// compiled warns, when lenient, of what is not there.
func (c *Catalogue) compiled(ctx context.Context, e core.Entity, lenient bool) (core.Diagnostics, error) {
	shelves := c.Shelves(ctx, e.Scope.Account)
	_, diags := compile.Compile(compile.Source{File: fileName(e.EntityRef), Data: []byte(e.YAML)},
		compile.Options{Scope: e.Scope, Library: shelves.Find, Lenient: lenient})
	diags = slices.DeleteFunc(diags, func(d core.Diagnostic) bool { return d.Code == compile.CodeMissingInput })
	return diags, shelves.Err()
}

func errors(ds core.Diagnostics) core.Diagnostics {
	return slices.DeleteFunc(slices.Clone(ds), func(d core.Diagnostic) bool { return d.Severity != core.SeverityError })
}

func onlyUnsupported(ds core.Diagnostics) bool { return len(errors(ds)) == 0 }

// targets are what overrides are for.
var targets = []core.EntityKind{core.EntityService, core.EntityEnvironment, core.EntityInfrastructure}

// Needs refuses an entity whose home or parent is not there, or which refers to what
// must be there before it: the templates of a template, the secrets of a
// connector, the environments of a group, what overrides are for, the input sets of an
// overlay or trigger.
func (c *Catalogue) Needs(ctx context.Context, e core.Entity) error {
	if err := c.CheckScope(ctx, e.Scope); err != nil {
		return err
	}
	parent := document.ParentOf(e.Kind)
	for _, used := range e.Uses {
		must := used.Kind == parent && used.Identifier == e.Parent ||
			used.Kind == core.EntityTemplate && e.Kind == core.EntityTemplate ||
			used.Kind == core.EntitySecret && e.Kind == core.EntityConnector ||
			used.Kind == core.EntityEnvironment && e.Kind == core.EntityEnvironmentGroup ||
			slices.Contains(targets, used.Kind) && e.Kind == core.EntityOverrides ||
			used.Kind == core.EntityInputSet && e.Kind != core.EntityPipeline ||
			speaks(used.Kind)
		if !must {
			continue
		}
		if ok, err := c.Exists(ctx, used); err != nil {
			return err
		} else if !ok {
			return &Unmet{Used: used, error: fault.New(fault.Invalid, "%s refers to %s, which is not there: create it first", e.EntityRef, used)}
		}
	}
	return nil
}

// Remove deletes an entity; fault.Conflict with the list of who refers to it, unless
// force. With it goes what belongs to it: a pipeline's input sets and triggers, an
// environment's infrastructures; of an organization or project, by force alone, all that
// lives in it.
func (c *Catalogue) Remove(ctx context.Context, r core.EntityRef, by Change, force bool) error {
	if isDefault(r) {
		return fault.New(fault.Conflict, "%s is always there: it cannot be deleted", r)
	}
	users, err := c.needing(ctx, r)
	if err != nil {
		return err
	}
	own := func(u core.EntityRef) bool {
		return lives(u, r) || document.ParentOf(u.Kind) == r.Kind && u.Parent == r.Own() && u.Scope == r.Scope
	}
	if others := slices.DeleteFunc(slices.Clone(users), own); len(others) > 0 && !force {
		if there, err := c.Exists(ctx, r); err != nil || !there { // it was deleted by force
			return cmp.Or(err, missing(r))
		}
		return InUse(r, others)
	}
	inside, err := c.inside(ctx, r)
	if err != nil {
		return err
	}
	if len(inside) > 0 && !force {
		return fault.New(fault.Conflict, "%s is not empty: %s; delete that first, or force it", r, several(inside))
	}
	users = slices.DeleteFunc(append(users, inside...), func(u core.EntityRef) bool { return !own(u) })
	if speaks(r.Kind) || r.Kind == core.EntityUserGroup {
		return c.silence(ctx, r, by, users)
	}
	// First itself: whoever reads a stale version learns it before anything is gone.
	if err := c.Delete(ctx, r, by); err != nil {
		return err
	}
	if err := c.removeAll(ctx, users, by); err != nil {
		return err
	}
	switch r.Kind {
	case core.EntitySecret:
		return c.secrets.Delete(ctx, core.SecretName(r.Scope, r.Identifier))
	case core.EntityOrganization:
		return c.people.Disband(ctx, core.Scope{Account: r.Scope.Account, Org: r.Identifier}, core.Actor{ID: by.By})
	case core.EntityProject:
		return c.people.Disband(ctx, core.Scope{Account: r.Scope.Account, Org: r.Scope.Org, Project: r.Identifier}, core.Actor{ID: by.By})
	default:
		return nil
	}
}
