package ng

import (
	"cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// cloning is Harness's ClonePipelineDTO.
type cloning struct {
	From place  `json:"sourceConfig"`
	To   place  `json:"destinationConfig"`
	With extent `json:"cloneConfig"`
}

type place struct {
	Org         string            `json:"orgIdentifier"`
	Project     string            `json:"projectIdentifier"`
	Pipeline    string            `json:"pipelineIdentifier"`
	Name        string            `json:"pipelineName"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
}

// extent is what is cloned with a pipeline.
type extent struct {
	Connectors bool `json:"connectors"`
	InputSets  bool `json:"inputSets"`
	Templates  bool `json:"templates"`
	Triggers   bool `json:"triggers"`
}

// clonePipeline copies a pipeline into the same or another project, with its input sets
// and triggers when they are wanted.
func (d *door) clonePipeline(c *request.Call) (httpio.Answer, error) {
	var in cloning
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	from, to, err := in.ends(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.viewed(c, from)
	if err == nil {
		err = c.Allow(govern.Edit, to)
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	saved, err := d.copied(c, p, to, map[string]string{"identifier": to.Identifier, "name": cmp.Or(in.To.Name, p.Name)}, nil, func(e *core.Entity) error {
		named{Description: in.To.Description, Tags: in.To.Tags}.over(e)
		return nil
	})
	if err != nil {
		return httpio.Answer{}, err
	}
	for _, part := range []struct {
		kind   core.EntityKind
		wanted bool
	}{{core.EntityInputSet, in.With.InputSets}, {core.EntityTrigger, in.With.Triggers}} { // triggers name input sets
		if !part.wanted {
			continue
		}
		if err := d.cloneParts(c, part.kind, from, to); err != nil {
			return httpio.Answer{}, err
		}
	}
	a := httpio.OK(c.Request, map[string]any{"identifier": saved.Identifier, "governanceMetadata": map[string]any{"deny": false, "message": "", "status": "pass", "details": []any{}}})
	a.Header = map[string]string{"ETag": request.ETag(saved)}
	return a, nil
}

// ends are the pipeline that is copied and the one that is made.
func (in cloning) ends(c *request.Call) (from, to core.EntityRef, err error) {
	switch {
	case in.With.Connectors:
		return from, to, fault.New(fault.Unsupported, "not supported yet: cloning the connectors of a pipeline")
	case in.With.Templates:
		return from, to, fault.New(fault.Unsupported, "not supported yet: cloning the templates of a pipeline")
	}
	for _, end := range []struct {
		name string
		place
		ref *core.EntityRef
	}{{"sourceConfig", in.From, &from}, {"destinationConfig", in.To, &to}} {
		for _, f := range []struct{ key, id string }{{"orgIdentifier", end.Org}, {"projectIdentifier", end.Project}, {"pipelineIdentifier", end.Pipeline}} {
			if !request.Identifier.MatchString(f.id) {
				return from, to, fault.New(fault.Invalid, "field %s.%s is %q: expected an identifier", end.name, f.key, f.id)
			}
		}
		*end.ref = core.EntityRef{Kind: core.EntityPipeline, Scope: core.Scope{Account: c.At.Account, Org: end.Org, Project: end.Project}, Identifier: end.Pipeline}
	}
	return from, to, nil
}

// cloneParts copies what belongs to a pipeline. Of input sets the plain ones come first,
// to which overlays refer.
func (d *door) cloneParts(c *request.Call, kind core.EntityKind, from, to core.EntityRef) error {
	rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: kind, Scope: from.Scope, Parent: from.Identifier})
	if err != nil {
		return err
	}
	for _, late := range []bool{false, true} {
		for _, row := range rows {
			if (row.Type == overlay) != late {
				continue
			}
			e, err := d.Catalogue.Get(c.Ctx, row.Ref(kind))
			if err != nil {
				return err
			}
			at, fields := []string{"pipeline"}, map[string]string{"identifier": to.Identifier}
			if kind == core.EntityTrigger || late {
				at, fields = nil, map[string]string{"pipelineIdentifier": to.Identifier}
			}
			if _, err := d.copied(c, e, core.EntityRef{Kind: kind, Scope: to.Scope}, fields, at, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// copied keeps an entity's document in another scope, with other values for some of its
// fields below a path.
func (d *door) copied(c *request.Call, e core.Entity, to core.EntityRef, fields map[string]string, at []string, amend func(*core.Entity) error) (core.Entity, error) {
	text, err := document.Moved(e.YAML, to.Scope, at, fields)
	if err != nil {
		return core.Entity{}, err
	}
	saved, err := d.Catalogue.Save(c.Ctx, entity.Saving{Text: text, Mode: entity.MustCreate, By: entity.Change{By: c.Who.Actor.ID}, Amend: amend,
		Expected: document.Expected{Kind: e.Kind, Scope: to.Scope, File: document.Root(e.Kind) + ".yaml"}})
	return saved.Entity, request.Told(err)
}
