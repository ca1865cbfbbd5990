package entity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Past says which changes of an entity are asked for.
type Past struct {
	Before int64 // versions before this one; 0 for all
	Limit  int   // how many at most; 0 for as many as one answer carries
}

// History returns changes of an entity, the newest first, whether the entity is still
// there or not, and no more than one answer can carry. next is the Before that goes on
// with the others, 0 when there are none. fault.NotFound when there never was one.
func (c *Catalogue) History(ctx context.Context, r core.EntityRef, p Past) (out []core.Revision, next int64, err error) {
	q := core.Query{PK: core.RevisionKey(r, 0).PK, Reverse: true, Strong: true}
	if p.Before > 0 {
		q.After = core.RevisionKey(r, p.Before).SK
	}
	if p.Limit > 0 {
		q.Limit = p.Limit + 1 // to know whether there are more
	}
	for sent := 0; ; {
		page, err := c.store.Query(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, it := range page.Items {
			var rev core.Revision
			if err := json.Unmarshal(it.Body, &rev); err != nil {
				return nil, 0, err
			}
			last := len(out) - 1
			if p.Limit > 0 && last+1 == p.Limit {
				return out, out[last].Entity.Version, nil
			}
			if rev.Entity, err = c.whole(ctx, rev.Entity); err != nil {
				return nil, 0, err
			}
			if sent += core.Sent(rev.Entity.YAML) + revisionBytes; last >= 0 && sent > core.MaxEntitySent {
				return out, out[last].Entity.Version, nil
			}
			out = append(out, rev)
		}
		if page.Cursor == "" {
			break
		}
		q.After = page.Cursor
	}
	if len(out) == 0 && p.Before == 0 {
		return nil, 0, missing(r)
	}
	return out, 0, nil
}

// revisionBytes stands for what an answer says of a change beside the text.
const revisionBytes = 512

// Users returns who refers to an entity, in any of its versions.
func (c *Catalogue) Users(ctx context.Context, used core.EntityRef) ([]core.EntityRef, error) {
	return c.users(ctx, used, refers)
}

// needing returns who could not do without an entity: of a template's version that is
// not the stable one, those who name that version.
func (c *Catalogue) needing(ctx context.Context, used core.EntityRef) ([]core.EntityRef, error) {
	if used.Kind != core.EntityTemplate {
		return c.Users(ctx, used)
	}
	stable, err := c.stable(ctx, used)
	if fault.Is(err, fault.NotFound) || stable == used.Label {
		return c.Users(ctx, used)
	}
	if err != nil {
		return nil, err
	}
	return c.users(ctx, used, func(e core.Entity, used core.EntityRef) bool { return slices.Contains(e.Uses, used) })
}

func (c *Catalogue) users(ctx context.Context, used core.EntityRef, refers func(core.Entity, core.EntityRef) bool) ([]core.EntityRef, error) {
	q := core.Query{PK: core.EntityUsePK(used), Strong: true}
	var out []core.EntityRef
	for {
		page, err := c.store.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			var user core.EntityRef
			if err := json.Unmarshal([]byte(it.SK), &user); err != nil {
				return nil, err
			}
			e, err := c.head(ctx, user)
			if err != nil {
				return nil, err
			}
			if e != nil && !e.Deleted && refers(*e, used) {
				out = append(out, user)
			}
		}
		if page.Cursor == "" {
			return out, nil
		}
		q.After = page.Cursor
	}
}

// refers reports whether a document still refers to an entity: a reference without a
// label is to every version.
func refers(e core.Entity, used core.EntityRef) bool {
	for _, u := range e.Uses {
		if u == used || u.Unlabelled() == used || used.Unlabelled() == u {
			return true
		}
	}
	return false
}

// InUse is the error that refuses to delete what others refer to.
func InUse(used core.EntityRef, users []core.EntityRef) error {
	return fault.New(fault.Conflict, "%s is used by %s; change that first, or force it", used, several(users))
}

// several names some of a list.
func several(refs []core.EntityRef) string {
	const most = 20
	var names []string
	for _, r := range refs[:min(len(refs), most)] {
		names = append(names, r.String())
	}
	if more := len(refs) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
