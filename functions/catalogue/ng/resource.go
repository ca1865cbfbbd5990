package ng

import (
	"cmp"
	"net/url"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// resource is one kind as its routes have it.
type resource struct {
	kind core.EntityKind
	// read takes from a request the document that it wants kept.
	read func(*request.Call) (sent, error)
	// show is the data of an answer about an entity.
	show func(core.Entity) (any, error)
	// parent is the query parameter that names what the entity belongs to, "" where
	// nothing does.
	parent string
	// row shows an entity in a list; nil where that is what show says.
	row func(core.EntityRow, core.Scope) any
	// locate, when there is one, says what else of a request is part of the reference.
	locate func(*request.Call, core.EntityRef) core.EntityRef
}

// inGit are the parameters of what is kept in Git.
var inGit = []string{"storeType=INLINE", "branch", "branchName", "repoName", "repoIdentifier", "repoURL", "filePath", "rootFolder", "connectorRef",
	"isNewBranch", "importFromGit", "branch_name", "baseBranch", "isHarnessCodeRepo", "pipelineBranch", "pipelineRepoID",
	"connector_ref", "repo_name", "parent_entity_connector_ref", "parent_entity_repo_name", "parent_connector_ref", "parent_repo_name"}

// sent is a document as a request has it.
type sent struct {
	at     core.Scope
	text   string
	id     string // what the request calls it beside the document; "" for nothing
	stable bool   // of a template's version
	value  []byte // of a secret, when it is not in the document
	amend  func(*core.Entity) error
}

// create keeps a new entity; update replaces one; upsert does either.
func (d *door) create(r resource) request.Handler { return d.save(r, entity.MustCreate) }
func (d *door) update(r resource) request.Handler { return d.save(r, entity.MustReplace) }
func (d *door) upsert(r resource) request.Handler { return d.save(r, entity.Upsert) }

func (d *door) save(r resource, mode entity.Mode) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		saved, err := d.keep(c, r, mode)
		if err != nil {
			return httpio.Answer{}, told(c, err)
		}
		return d.answer(c, r, saved.Entity)
	}
}

// keep stores the document of a request.
func (d *door) keep(c *request.Call, r resource, mode entity.Mode) (entity.Saved, error) {
	version, err := c.IfMatch()
	if err == nil {
		err = httpio.Unsupported(c.Q, inGit...)
	}
	if err != nil {
		return entity.Saved{}, err
	}
	in, err := r.read(c)
	if err != nil {
		return entity.Saved{}, err
	}
	saved, err := d.Catalogue.Save(c.Ctx, entity.Saving{Text: in.text, Mode: mode, Stable: in.stable, Value: in.value,
		By:       entity.Change{By: c.Who.Actor.ID, Version: version},
		Expected: document.Expected{Kind: r.kind, Scope: in.at, File: document.Root(r.kind) + ".yaml"},
		Amend:    func(e *core.Entity) error { return amend(c, in, e) }})
	return saved, request.Told(err)
}

// amend holds what the document says to the request, and the request to what its
// sender may do.
func amend(c *request.Call, in sent, e *core.Entity) error {
	for _, id := range []string{in.id, c.PathValue("id")} {
		if id != "" && id != e.Identifier {
			return fault.New(fault.Invalid, "the identifier is %q in the document and %q in the request: an identifier cannot be changed", e.Identifier, id)
		}
	}
	if in.amend != nil {
		if err := in.amend(e); err != nil {
			return err
		}
	}
	return c.Allow(govern.Edit, e.EntityRef)
}

// ref is what the path and the query name.
func (r resource) ref(c *request.Call) core.EntityRef {
	at := c.At
	switch r.kind {
	case core.EntityOrganization:
		at.Org, at.Project = "", ""
	case core.EntityProject:
		at.Project = ""
	default: // all others live where the query says
	}
	ref := core.EntityRef{Kind: r.kind, Scope: at, Parent: c.Q.Get(r.parent), Identifier: c.PathValue("id")}
	if r.locate != nil {
		return r.locate(c, ref)
	}
	return ref
}

func (d *door) get(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := httpio.Unsupported(c.Q, append(inGit, "deleted")...); err != nil {
			return httpio.Answer{}, err
		}
		ref := r.ref(c)
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err != nil {
			return httpio.Answer{}, httpio.Missing(err)
		}
		return d.answer(c, r, e)
	}
}

func (d *door) answer(c *request.Call, r resource, e core.Entity) (httpio.Answer, error) {
	data, err := r.show(e)
	a := httpio.OK(c.Request, data)
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a, err
}

// forced reports whether a request deletes what is in use, as NG or v1 routes say it.
func forced(q url.Values) bool { return cmp.Or(q.Get("forceDelete"), q.Get("force_delete")) == "true" }

// remove deletes an entity that nobody uses, or any with forceDelete.
func (d *door) remove(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		version, err := c.IfMatch()
		if err != nil {
			return httpio.Answer{}, err
		}
		ref := r.ref(c)
		if err := c.Allow(govern.Delete, ref); err != nil {
			return httpio.Answer{}, err
		}
		err = d.Catalogue.Remove(c.Ctx, ref, entity.Change{By: c.Who.Actor.ID, Version: version}, forced(c.Q))
		return httpio.OK(c.Request, err == nil), told(c, err)
	}
}

// told is httpio.Told, but for who asked after a version: they know what 409 means.
func told(c *request.Call, err error) error {
	if version, _ := c.IfMatch(); version != 0 {
		return err
	}
	return httpio.Told(err)
}
