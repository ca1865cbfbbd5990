package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/slipway-cd/slipway/shared/core"
)

const entityRoute = "/slipway/v1/entities"

// Place is where entities are looked for: the account, when both are empty.
type Place struct{ Account, Org, Project string }

func (p Place) query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"accountIdentifier": p.Account, "org": p.Org, "project": p.Project} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// EntityRef names an entity for these calls. Parent and Label may be empty.
type EntityRef struct {
	Place
	Kind, ID, Parent, Label string
}

func (r EntityRef) path(rest string) string {
	q := r.query()
	if r.Parent != "" {
		q.Set("parent", r.Parent)
	}
	if r.Label != "" {
		q.Set("label", r.Label)
	}
	return entityRoute + "/" + url.PathEscape(r.Kind) + "/" + url.PathEscape(r.ID) + rest + "?" + q.Encode()
}

// Entity is what the platform keeps of a document.
type Entity struct {
	Kind        string            `json:"kind"`
	Identifier  string            `json:"identifier"`
	Org         string            `json:"org,omitempty"`
	Project     string            `json:"project,omitempty"`
	Parent      string            `json:"parent,omitempty"`
	Label       string            `json:"label,omitempty"`
	Stable      bool              `json:"stable,omitempty"`
	Name        string            `json:"name"`
	Type        string            `json:"type,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Color       string            `json:"color,omitempty"` // of an environment, beside its document
	Draft       string            `json:"draft,omitempty"`
	Version     int64             `json:"version"`
	Created     int64             `json:"created"` // ms
	Updated     int64             `json:"updated"` // ms
	By          string            `json:"by"`
	YAML        string            `json:"yaml,omitempty"`
	Action      string            `json:"action,omitempty"` // created, changed, unchanged
	Diagnostics core.Diagnostics  `json:"diagnostics,omitempty"`
}

// Change is one change of an entity, with what it was after it.
type Change struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	At      int64  `json:"at"` // ms
	By      string `json:"by"`
	YAML    string `json:"yaml"`
}

// Applied is a document to be kept.
type Applied struct {
	Place
	File   string // what diagnostics call it
	YAML   string
	DryRun bool // nothing is kept
	// Stable makes a template's version the stable one.
	Stable bool
	// Color, when not empty, is the one that an environment has beside its document.
	Color string
	// IfMatch, when not 0, is the version that must be there: *Stale otherwise.
	IfMatch int64
}

// matchHeader is the context's key of If-Match.
type matchHeader struct{}

// Apply keeps a document.
func (c *Client) Apply(ctx context.Context, a Applied) (out Entity, err error) {
	q := a.query()
	q.Set("file", a.File)
	if a.DryRun {
		q.Set("dryRun", "true")
	}
	if a.Color != "" {
		q.Set("color", a.Color)
	}
	if a.Stable {
		q.Set("stable", "true")
	}
	ctx = context.WithValue(ctx, matchHeader{}, a.IfMatch)
	return out, c.send(ctx, http.MethodPut, entityRoute+"?"+q.Encode(), "application/yaml", []byte(a.YAML), &out)
}

// Entities lists a kind in a place, all pages of it: each once, and all that is there throughout.
func (c *Client) Entities(ctx context.Context, kind string, at Place, search string) ([]Entity, error) {
	q := at.query()
	if search != "" {
		q.Set("search", search)
	}
	var all []Entity
	for {
		var out struct {
			Entities []Entity `json:"entities"`
			Next     string   `json:"next"`
		}
		if err := c.get(ctx, entityRoute+"/"+url.PathEscape(kind), q, &out); err != nil {
			return nil, err
		}
		if all = append(all, out.Entities...); out.Next == "" {
			return all, nil
		}
		q.Set("after", out.Next)
	}
}

// Entity reads one.
func (c *Client) Entity(ctx context.Context, r EntityRef) (out Entity, err error) {
	return out, c.get(ctx, r.path(""), nil, &out)
}

// Clone says where a clone goes and how it is called, as far as that is not as it was.
type Clone struct {
	Org        *string `json:"org,omitempty"`
	Project    *string `json:"project,omitempty"`
	Identifier string  `json:"identifier,omitempty"`
	Name       string  `json:"name,omitempty"`
	Force      bool    `json:"force,omitempty"`
	DryRun     bool    `json:"dryRun,omitempty"`
}

// Clone keeps an entity once more.
func (c *Client) Clone(ctx context.Context, r EntityRef, to Clone) (out Entity, err error) {
	return out, c.post(ctx, r.path("/clone"), to, &out)
}

// DeleteEntity removes one; with force though others refer to it.
func (c *Client) DeleteEntity(ctx context.Context, r EntityRef, force bool) error {
	path := r.path("")
	if force {
		path += "&force=true"
	}
	return c.call(ctx, http.MethodDelete, path, nil, nil)
}

// newestChanges is how many changes of an entity History reads, in as many answers as it
// takes.
const newestChanges = 1000

// History lists the last changes of an entity, the newest first.
func (c *Client) History(ctx context.Context, r EntityRef) (all []Change, err error) {
	for before := int64(0); ; {
		var out struct {
			Changes []Change `json:"changes"`
			Next    int64    `json:"next"`
		}
		page := fmt.Sprintf("&limit=%d&before=%d", newestChanges-len(all), before)
		if err := c.get(ctx, r.path("/history")+page, nil, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Changes...)
		if before = out.Next; before == 0 || len(out.Changes) == 0 || len(all) >= newestChanges {
			return all, nil
		}
	}
}

// Uses tells what an entity refers to and who refers to it.
func (c *Client) Uses(ctx context.Context, r EntityRef) (uses, usedBy []Entity, err error) {
	var out struct {
		Uses   []Entity `json:"uses"`
		UsedBy []Entity `json:"usedBy"`
	}
	err = c.get(ctx, r.path("/uses"), nil, &out)
	return out.Uses, out.UsedBy, err
}
