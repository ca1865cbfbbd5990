package door

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// entityRoutes keep documents of all kinds as their authors wrote them: what
// `slipway apply`, get, diff, delete and history call.
func (d *door) entityRoutes() httpio.Routes {
	const path = "/slipway/v1/entities"
	return httpio.Routes{
		"PUT " + path:                          request.Located(d.applyEntity),
		"GET " + path + "/{kind}":              request.Located(d.listEntities),
		"GET " + path + "/{kind}/{id}":         request.Located(d.showEntity),
		"DELETE " + path + "/{kind}/{id}":      request.Located(d.deleteEntity),
		"POST " + path + "/{kind}/{id}/clone":  request.Located(d.cloneEntity),
		"GET " + path + "/{kind}/{id}/history": request.Located(d.entityHistory),
		"GET " + path + "/{kind}/{id}/uses":    request.Located(d.entityUses),
	}
}

// entityShown is an entity as these routes show it.
type entityShown struct {
	Kind        core.EntityKind   `json:"kind"`
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
	By          string            `json:"by"`      // who changed it last
	YAML        string            `json:"yaml,omitempty"`
	Action      string            `json:"action,omitempty"`      // created, changed or unchanged
	Diagnostics core.Diagnostics  `json:"diagnostics,omitempty"` // warnings, and why it is a draft
}

func shownEntity(e core.Entity) entityShown {
	return entityShown{Kind: e.Kind, Identifier: e.Identifier, Org: e.Scope.Org, Project: e.Scope.Project, Parent: e.Parent, Label: e.Label,
		Stable: e.Stable, Name: e.Name, Type: e.Type, Tags: e.Tags, Draft: e.Draft, Version: e.Version, Created: e.Created, Updated: e.Updated,
		By: e.UpdatedBy, YAML: e.YAML, Color: e.Facts["color"]}
}

// entityHome is the scope of the query: ?org= and ?project=, the account without them.
func entityHome(c *request.Call) error { return c.Within(c.Q.Get("org"), c.Q.Get("project")) }

// applyEntity keeps the document in the body, whatever its kind. What it says of its
// scope comes before the query's. With dryRun it is checked and compared, no more.
func (d *door) applyEntity(c *request.Call) (httpio.Answer, error) {
	if err := entityHome(c); err != nil {
		return httpio.Answer{}, err
	}
	version, err := c.IfMatch()
	if err != nil {
		return httpio.Answer{}, err
	}
	text, err := httpio.Text(c.Request, httpio.MaxBody)
	if err != nil {
		return httpio.Answer{}, err
	}
	saved, err := d.Catalogue.Save(c.Ctx, entity.Saving{Text: text, By: entity.Change{By: c.Who.Actor.ID, Version: version},
		Expected: document.Expected{Scope: c.At, Anywhere: true, File: cmp.Or(c.Q.Get("file"), "document.yaml")},
		DryRun:   c.Q.Get("dryRun") == "true",
		Stable:   c.Q.Get("stable") == "true",
		Amend:    d.colored(c)})
	if err != nil {
		return httpio.Answer{}, request.Told(err)
	}
	x := shownEntity(saved.Entity)
	x.Action, x.Diagnostics, x.YAML = saved.Action, saved.Diagnostics, ""
	a := httpio.Answer{Body: x, Header: map[string]string{"ETag": request.ETag(saved.Entity)}}
	if saved.Action == entity.Created {
		a.Status = http.StatusCreated
	}
	return a, nil
}

// colored allows the change, and keeps the colour that an environment or group of them
// has beside its document, unless the query gives another.
func (d *door) colored(c *request.Call) func(*core.Entity) error {
	return func(e *core.Entity) error {
		if err := c.Allow(govern.Edit, e.EntityRef); err != nil {
			return err
		}
		if e.Kind != core.EntityEnvironment && e.Kind != core.EntityEnvironmentGroup {
			return nil
		}
		color := c.Q.Get("color")
		if color == "" {
			old, err := d.Catalogue.Get(c.Ctx, e.EntityRef)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
			color = old.Facts["color"]
		}
		if color == "" {
			return nil
		}
		e.Facts = maps.Clone(e.Facts)
		if e.Facts == nil {
			e.Facts = map[string]string{}
		}
		e.Facts["color"] = color
		return nil
	}
}

// entityRef is what the path and the query name: ?parent= is the pipeline of an input
// set or trigger and the environment of an infrastructure, ?label= a template's version.
func entityRef(c *request.Call) (core.EntityRef, error) {
	r := core.EntityRef{Kind: core.EntityKind(c.PathValue("kind")), Identifier: c.PathValue("id"), Parent: c.Q.Get("parent"), Label: c.Q.Get("label")}
	if !slices.Contains(document.Kinds(), r.Kind) {
		return r, fault.New(fault.NotFound, "there is no kind %q: %s are kept", r.Kind, kindNames())
	}
	err := entityHome(c)
	r.Scope = document.Home(r.Kind, c.At)
	return r, err
}

func kindNames() string {
	var names []string
	for _, k := range document.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// found is the entity that a request names. Without its parent it is the only one of
// that identifier.
func (d *door) found(c *request.Call, a govern.Action) (core.EntityRef, error) {
	r, err := entityRef(c)
	if err == nil {
		err = c.Allow(a, r)
	}
	if err != nil || r.Parent != "" || document.ParentOf(r.Kind) == "" {
		return r, err
	}
	rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: r.Kind, Scope: r.Scope, Identifiers: []string{r.Identifier}})
	if err != nil {
		return r, err
	}
	switch len(rows) {
	case 0:
	case 1:
		r.Parent = rows[0].Parent
	default:
		var parents []string
		for _, row := range rows {
			parents = append(parents, row.Parent)
		}
		return r, fault.New(fault.Invalid, "there are several: of %s; say which with parent", strings.Join(parents, ", "))
	}
	return r, nil
}

func (d *door) showEntity(c *request.Call) (httpio.Answer, error) {
	r, err := d.found(c, govern.View)
	if err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, r)
	if err == nil && e.Draft != "" { // what it lacked may be there by now
		e.Draft, err = d.Catalogue.Lacks(c.Ctx, e)
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: shownEntity(e), Header: map[string]string{"ETag": request.ETag(e)}}, nil
}

func (d *door) deleteEntity(c *request.Call) (httpio.Answer, error) {
	r, err := d.found(c, govern.Delete)
	if err != nil {
		return httpio.Answer{}, err
	}
	version, err := c.IfMatch()
	if err != nil {
		return httpio.Answer{}, err
	}
	if r.Kind == core.EntityTemplate && r.Label == "" {
		e, err := d.Catalogue.Get(c.Ctx, r)
		if err != nil {
			return httpio.Answer{}, err
		}
		r = e.EntityRef
	}
	err = d.Catalogue.Remove(c.Ctx, r, entity.Change{By: c.Who.Actor.ID, Version: version}, c.Q.Get("force") == "true")
	return httpio.Answer{Body: map[string]any{"kind": r.Kind, "identifier": r.Identifier, "deleted": true}}, err
}

// listEntities shows a page of a kind in a scope, by path. next, of a full page, is the
// parameter after of the page behind it, whatever is added or deleted meanwhile.
func (d *door) listEntities(c *request.Call) (httpio.Answer, error) {
	r, err := entityRef(c)
	if err == nil {
		err = c.Allow(govern.View, r)
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.Q, "limit", 1000, 1000)
	if err != nil {
		return httpio.Answer{}, err
	}
	rows, total, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: r.Kind, Scope: r.Scope, Parent: r.Parent, Search: c.Q.Get("search"),
		After: c.Q.Get("after"), Skip: page.Page * page.Size, Limit: page.Size})
	if err != nil {
		return httpio.Answer{}, err
	}
	shown := []entityShown{}
	for _, row := range rows {
		x := entityShown{Kind: r.Kind, Identifier: row.Identifier, Org: r.Scope.Org, Project: r.Scope.Project, Parent: row.Parent, Label: row.Label,
			Stable: row.Stable, Name: row.Name, Type: row.Type, Tags: row.Tags, Version: row.Version, Created: row.Created, Updated: row.Updated, By: row.By}
		if row.Draft {
			x.Draft = "it cannot run as it is: read it to see why"
		}
		shown = append(shown, x)
	}
	out := map[string]any{"entities": shown, "total": total}
	if n := len(rows); n == page.Size {
		out["next"] = rows[n-1].Path()
	}
	return httpio.Answer{Body: out}, nil
}

// entityChange is one change of an entity, with what it was after it.
type entityChange struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	At      int64  `json:"at"` // ms
	By      string `json:"by"`
	YAML    string `json:"yaml"`
}

// entityHistory shows the changes of an entity, the newest first, as many as fit into an
// answer. next, when there are more, is the parameter before of the next request.
func (d *door) entityHistory(c *request.Call) (httpio.Answer, error) {
	r, err := d.found(c, govern.View)
	if err != nil {
		return httpio.Answer{}, err
	}
	limit, err := httpio.Int(c.Q, "limit", 50, 1000)
	if err != nil {
		return httpio.Answer{}, err
	}
	if r.Kind == core.EntityTemplate && r.Label == "" {
		e, err := d.Catalogue.Get(c.Ctx, r)
		if err != nil {
			return httpio.Answer{}, err
		}
		r = e.EntityRef
	}
	before, err := httpio.Int(c.Q, "before", 0, math.MaxInt)
	if err != nil {
		return httpio.Answer{}, err
	}
	history, next, err := d.Catalogue.History(c.Ctx, r, entity.Past{Before: int64(before), Limit: limit})
	changes := []entityChange{}
	for _, rev := range history {
		changes = append(changes, entityChange{Version: rev.Entity.Version, Action: rev.Action, At: rev.At, By: rev.By, YAML: rev.Entity.YAML})
	}
	out := map[string]any{"changes": changes}
	if next > 0 {
		out["next"] = next
	}
	return httpio.Answer{Body: out}, err
}

// entityUses shows what an entity refers to and who refers to it.
func (d *door) entityUses(c *request.Call) (httpio.Answer, error) {
	r, err := d.found(c, govern.View)
	if err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, r)
	if err != nil {
		return httpio.Answer{}, err
	}
	users, err := d.Catalogue.Users(c.Ctx, e.EntityRef)
	return httpio.Answer{Body: map[string]any{"uses": shownRefs(e.Uses), "usedBy": shownRefs(users)}}, err
}

func shownRefs(refs []core.EntityRef) []entityShown {
	out := []entityShown{}
	for _, r := range refs {
		out = append(out, entityShown{Kind: r.Kind, Identifier: r.Identifier, Org: r.Scope.Org, Project: r.Scope.Project, Parent: r.Parent, Label: r.Label})
	}
	return out
}
