package ng

import (
	"cmp"
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) templateRoutes() httpio.Routes {
	const path = "/template/api/templates"
	r := resource{kind: core.EntityTemplate, read: readTemplate, show: showTemplate,
		locate: func(c *request.Call, _ core.EntityRef) core.EntityRef { return referTemplate(c) }}
	wrapped := r
	wrapped.show = wrapTemplate
	routes := httpio.Routes{
		"POST " + path:                                       request.Scoped(local(d.create(wrapped), "enableDAG")),
		"GET " + path + "/{id}":                              request.Scoped(local(d.get(r), "deleted", "label")),
		"PUT " + path + "/update/{id}/{label}":               request.Scoped(local(d.update(wrapped))),
		"PUT " + path + "/updateStableTemplate/{id}/{label}": request.Scoped(local(d.makeStable)),
		"DELETE " + path + "/{id}/{label}":                   request.Scoped(local(d.remove(r))),
		"DELETE " + path + "/{id}":                           request.Scoped(local(d.removeVersions)),
		"GET " + path + "/templateInputs/{id}":               request.Scoped(local(d.templateInputs, "label")),
		"POST " + path + "/list-metadata":                    request.Scoped(local(d.listTemplates, "checkReferenced", "getDistinctFromBranches", "isGlobal")),
	}
	d.v1TemplateRoutes(routes, r)
	return routes
}

// readTemplate takes a template as the YAML that the body is.
func readTemplate(c *request.Call) (sent, error) {
	text, err := httpio.Text(c.Request, httpio.MaxBody)
	return sent{at: c.At, text: text, stable: c.Q.Get("setDefaultTemplate") == "true", amend: labelled(c)}, err
}

// labelled holds a document to the version that the path names.
func labelled(c *request.Call) func(*core.Entity) error {
	return func(e *core.Entity) error {
		if label := c.PathValue("label"); label != "" && label != e.Label {
			return fault.New(fault.Invalid, "versionLabel is %q in the document and %q in the request: a version's label cannot be changed", e.Label, label)
		}
		return nil
	}
}

// referTemplate is the version that the path or the query names, the stable one
// without.
func referTemplate(c *request.Call) core.EntityRef {
	return core.EntityRef{Kind: core.EntityTemplate, Scope: c.At, Identifier: c.PathValue("id"), Label: cmp.Or(c.PathValue("label"), c.Q.Get("versionLabel"))}
}

// level is a scope in one word.
func level(s core.Scope) string {
	switch {
	case s.Org == "":
		return "account"
	case s.Project == "":
		return "org"
	}
	return "project"
}

// showTemplate is Harness's TemplateResponse of the NG routes.
func showTemplate(e core.Entity) (any, error) {
	out := templateRow(entity.Row(e), e.Scope)
	out["yaml"], out["description"] = e.YAML, orNil(e.Description)
	return out, nil
}

func wrapTemplate(e core.Entity) (any, error) {
	t, err := showTemplate(e)
	return map[string]any{"isValid": true, "valid": true, "templateResponseDTO": t}, err
}

// templateRow is Harness's TemplateMetadataSummaryResponse.
func templateRow(r core.EntityRow, at core.Scope) map[string]any {
	return map[string]any{"accountId": at.Account, "orgIdentifier": orNil(at.Org), "projectIdentifier": orNil(at.Project), "identifier": r.Identifier,
		"name": r.Name, "description": orNil(r.Description), "tags": tagsOf(r.Tags), "versionLabel": r.Label, "templateEntityType": r.Type,
		"childType": orNil(r.Facts["childType"]), "icon": orNil(r.Facts["icon"]), "templateScope": level(at), "version": r.Version, "gitDetails": map[string]any{},
		"entityValidityDetails": map[string]any{"valid": true, "invalidYaml": nil}, "createdAt": r.Created, "lastUpdatedAt": r.Updated,
		"storeType": "INLINE", "yamlVersion": "0", "stableTemplate": r.Stable, "isStableTemplate": r.Stable}
}

// makeStable makes a version the one that references without a label mean.
func (d *door) makeStable(c *request.Call) (httpio.Answer, error) {
	e, err := d.stabilize(c)
	a := httpio.OK(c.Request, e.Label)
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a, err
}

func (d *door) stabilize(c *request.Call) (core.Entity, error) {
	version, err := c.IfMatch()
	if err != nil {
		return core.Entity{}, err
	}
	ref := referTemplate(c)
	if err := c.Allow(govern.Edit, ref); err != nil {
		return core.Entity{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err != nil {
		return e, err
	}
	e.Stable = true
	return d.Catalogue.Update(c.Ctx, e, entity.Change{By: c.Who.Actor.ID, Version: version})
}

// removeVersions deletes the versions that the body names, the stable one last.
func (d *door) removeVersions(c *request.Call) (httpio.Answer, error) {
	var in struct {
		Labels []string `json:"templateVersionLabels"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	if len(in.Labels) == 0 {
		return httpio.Answer{}, fault.New(fault.Invalid, "field templateVersionLabels is needed: which versions to delete")
	}
	stable, err := d.Catalogue.Get(c.Ctx, referTemplate(c))
	if err != nil {
		return httpio.Answer{}, err
	}
	slices.SortStableFunc(in.Labels, func(a, b string) int {
		last := func(l string) int {
			if l == stable.Label {
				return 1
			}
			return 0
		}
		return last(a) - last(b)
	})
	for _, label := range in.Labels {
		ref := referTemplate(c)
		ref.Label = label
		if err := c.Allow(govern.Delete, ref); err != nil {
			return httpio.Answer{}, err
		}
		if err := d.Catalogue.Remove(c.Ctx, ref, entity.Change{By: c.Who.Actor.ID}, forced(c.Q)); err != nil {
			return httpio.Answer{}, err
		}
	}
	return httpio.OK(c.Request, true), nil
}

// templateInputs answers with the runtime inputs of a version, as YAML.
func (d *door) templateInputs(c *request.Call) (httpio.Answer, error) {
	ref := referTemplate(c)
	if err := c.Allow(govern.View, ref); err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err != nil {
		return httpio.Answer{}, err
	}
	text, err := d.Catalogue.TemplateInputs(c.Ctx, e)
	return httpio.OK(c.Request, text), err
}

// templateFilter is what of Harness's TemplateFilterProperties is understood.
type templateFilter struct {
	Names       []string `json:"templateNames"`
	Identifiers []string `json:"templateIdentifiers"`
	Description string   `json:"description"`
	Types       []string `json:"templateEntityTypes"`
	Children    []string `json:"childTypes"`
	Tags        any      `json:"tags"` // of the filter itself, not looked at
}

func (f templateFilter) passes(r core.EntityRow) bool {
	one := func(of []string, v string) bool { return len(of) == 0 || slices.Contains(of, v) }
	return one(f.Names, r.Name) && one(f.Identifiers, r.Identifier) && one(f.Types, r.Type) && one(f.Children, r.Facts["childType"]) && contains(r.Description, f.Description)
}

func (d *door) listTemplates(c *request.Call) (httpio.Answer, error) {
	var f templateFilter
	c, err := d.filterOf(c, "Template", &f)
	if err != nil {
		return httpio.Answer{}, err
	}
	r, l, err := templateListing(c, f, c.Q.Get("templateListType"), c.Q.Get("includeAllTemplatesAvailableAtScope") == "true")
	if err != nil {
		return httpio.Answer{}, err
	}
	l.fallback = 25
	rows, total, p, err := d.rows(c, r, l)
	if err != nil {
		return httpio.Answer{}, err
	}
	items := []any{}
	for _, row := range rows {
		items = append(items, templateRow(row.EntityRow, row.At))
	}
	return httpio.OK(c.Request, httpio.PageOf(items, total, p)), nil
}

// templateListing is a list of one kind: all versions, the stable or the newest ones.
func templateListing(c *request.Call, f templateFilter, kind string, all bool) (resource, listing, error) {
	l := listing{passes: f.passes}
	switch kind {
	case "Stable", "STABLE_TEMPLATE":
		l.passes = func(r core.EntityRow) bool { return r.Stable && f.passes(r) }
	case "LastUpdated", "LAST_UPDATES_TEMPLATE":
		l.newest = true
	case "All", "ALL", "":
	default:
		return resource{}, l, fault.New(fault.Unsupported, "not supported yet: lists of templates of type %s", kind)
	}
	if all {
		l.include = above(c.At)
	}
	return resource{kind: core.EntityTemplate}, l, nil
}

// above are the scopes around a scope, nearest first.
func above(s core.Scope) []core.Scope {
	seen := entity.Visible(s)
	slices.Reverse(seen)
	return seen[1:]
}
