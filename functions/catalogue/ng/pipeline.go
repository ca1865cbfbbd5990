package ng

import (
	"cmp"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// pipelines keeps pipelines: the routes are like those of other kinds, and answer in
// ways of their own.
type pipelines struct{ *door }

// routes are what keeps pipelines, on both kinds of paths.
func (d pipelines) routes() httpio.Routes {
	const (
		v1 = "/v1/orgs/{org}/projects/{project}/pipelines"
		ng = "/pipeline/api/pipelines"
	)
	return httpio.Routes{
		"POST " + ng:             request.Project(d.createPipeline),
		"POST " + ng + "/v2":     request.Project(d.createPipelineV2),
		"POST " + ng + "/list":   request.Project(d.listPipelines),
		"GET " + ng + "/{id}":    request.Project(d.getPipeline),
		"PUT " + ng + "/{id}":    request.Project(d.updatePipeline),
		"PUT " + ng + "/v2/{id}": request.Project(d.updatePipelineV2),
		"DELETE " + ng + "/{id}": request.Project(d.deletePipeline),

		"GET " + v1:              request.V1(d.v1ListPipelines),
		"POST " + v1:             request.V1(d.v1CreatePipeline),
		"GET " + v1 + "/{id}":    request.V1(d.v1GetPipeline),
		"PUT " + v1 + "/{id}":    request.V1(d.v1UpdatePipeline),
		"PATCH " + v1 + "/{id}":  request.V1(d.v1PatchPipeline),
		"DELETE " + v1 + "/{id}": request.V1(d.v1DeletePipeline),
	}
}

// remote are parameters that put a pipeline into Git or change what it is.
var remote = []string{"branch", "repoIdentifier", "rootFolder", "filePath", "isNewBranch", "baseBranch", "connectorRef",
	"storeType=INLINE", "repoName", "isHarnessCodeRepo", "allowDynamicExecutions", "enableDAG", "public"}

// saved is Harness's PipelineSaveResponse.
type saved struct {
	Identifier string             `json:"identifier"`
	Governance request.Governance `json:"governanceMetadata"`
}

func (d pipelines) createPipeline(c *request.Call) (httpio.Answer, error) {
	p, err := d.create(c)
	return etag(httpio.OK(c.Request, p.Identifier), p), err
}

func (d pipelines) createPipelineV2(c *request.Call) (httpio.Answer, error) {
	p, err := d.create(c)
	return etag(httpio.OK(c.Request, saved{p.Identifier, request.NoPolicies()}), p), err
}

func (d pipelines) create(c *request.Call) (core.Entity, error) { return d.save(c, entity.MustCreate) }

// save keeps the pipeline in the body.
func (d pipelines) save(c *request.Call, mode entity.Mode) (core.Entity, error) {
	if err := httpio.Unsupported(c.Q, remote...); err != nil {
		return core.Entity{}, err
	}
	text, err := httpio.Text(c.Request, httpio.MaxBody)
	if err != nil {
		return core.Entity{}, err
	}
	return d.keep(c, text, mode, nil)
}

// keep stores a pipeline. amend may refuse what was read of it, or say more.
func (d pipelines) keep(c *request.Call, text string, mode entity.Mode, amend func(*core.Entity) error) (core.Entity, error) {
	version, err := c.IfMatch()
	if err != nil {
		return core.Entity{}, err
	}
	saved, err := d.Catalogue.Save(c.Ctx, entity.Saving{Text: text, Mode: mode, By: entity.Change{By: c.Who.Actor.ID, Version: version},
		Expected: document.Expected{Kind: core.EntityPipeline, Scope: c.At, File: "pipeline.yaml"},
		Amend: func(e *core.Entity) error {
			if id := c.PathValue("id"); mode == entity.MustReplace && e.Identifier != id {
				return fault.New(fault.Invalid, "the YAML's identifier is %q and the request's %q: an identifier cannot be changed", e.Identifier, id)
			}
			if err := c.Allow(govern.Edit, e.EntityRef); err != nil || amend == nil {
				return err
			}
			return amend(e)
		}})
	return saved.Entity, request.Told(err)
}

func (d pipelines) updatePipeline(c *request.Call) (httpio.Answer, error) {
	p, err := d.update(c)
	return etag(httpio.OK(c.Request, p.Identifier), p), err
}

func (d pipelines) updatePipelineV2(c *request.Call) (httpio.Answer, error) {
	p, err := d.update(c)
	return etag(httpio.OK(c.Request, saved{p.Identifier, request.NoPolicies()}), p), err
}

func (d pipelines) update(c *request.Call) (core.Entity, error) { return d.save(c, entity.MustReplace) }

// etag adds an entity's version, for If-Match.
func etag(a httpio.Answer, e core.Entity) httpio.Answer {
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a
}

// storedPipeline is Harness's PMSPipelineResponse.
type storedPipeline struct {
	YAML       string              `json:"yamlPipeline"`
	Git        map[string]any      `json:"gitDetails"`
	Validity   validity            `json:"entityValidityDetails"`
	Modules    []string            `json:"modules"`
	Governance *request.Governance `json:"governanceMetadata,omitempty"`
	StoreType  string              `json:"storeType"`
	Resolved   string              `json:"resolvedTemplatesPipelineYaml,omitempty"`
	Validation string              `json:"validationUuid,omitempty"`
}

type validity struct {
	Valid       bool    `json:"valid"`
	InvalidYAML *string `json:"invalidYaml"`
}

func (d pipelines) getPipeline(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch", "repoIdentifier"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.stored(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	out := storedPipeline{YAML: p.YAML, Git: map[string]any{}, Validity: validityOf(p.Draft != "", p.YAML), Modules: []string{"cd"}, StoreType: "INLINE"}
	if c.Q.Get("getTemplatesResolvedPipeline") == "true" {
		out.Resolved, _, err = d.Catalogue.Applied(c.Ctx, p.Scope, entity.FileOf(p.EntityRef), p.YAML)
	}
	if c.Q.Get("validateAsync") == "true" {
		out.Validation = request.ValidationID(p.Identifier)
	}
	return etag(httpio.OK(c.Request, out), p), err
}

func (d pipelines) deletePipeline(c *request.Call) (httpio.Answer, error) {
	if err := d.remove(c); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, true), nil
}

func (d pipelines) remove(c *request.Call) error {
	version, err := c.IfMatch()
	if err == nil {
		err = c.Allow(govern.Delete, pipelineRef(c))
	}
	if err != nil {
		return err
	}
	return d.Catalogue.Remove(c.Ctx, pipelineRef(c), entity.Change{By: c.Who.Actor.ID, Version: version}, c.Q.Get("forceDelete") == "true")
}

// stored is the pipeline that the path names.
func (d pipelines) stored(c *request.Call) (core.Entity, error) {
	if err := c.Allow(govern.View, pipelineRef(c)); err != nil {
		return core.Entity{}, err
	}
	return d.Catalogue.Get(c.Ctx, pipelineRef(c))
}

func pipelineRef(c *request.Call) core.EntityRef {
	return core.EntityRef{Kind: core.EntityPipeline, Scope: c.At, Identifier: c.PathValue("id")}
}

// validityOf says of a draft that it is one, and shows it.
func validityOf(draft bool, text string) validity {
	if !draft {
		return validity{Valid: true}
	}
	return validity{InvalidYAML: &text}
}

// listedPipeline is Harness's PMSPipelineSummaryResponse.
type listedPipeline struct {
	Name        string            `json:"name"`
	Identifier  string            `json:"identifier"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
	Version     int64             `json:"version"`
	Stages      int               `json:"numOfStages"`
	Created     int64             `json:"createdAt"`
	Updated     int64             `json:"lastUpdatedAt"`
	Modules     []string          `json:"modules"`
	Filters     map[string]any    `json:"filters"`
	StageNames  []string          `json:"stageNames"`
	Git         map[string]any    `json:"gitDetails"`
	Validity    validity          `json:"entityValidityDetails"`
	StoreType   string            `json:"storeType"`
	YAMLVersion string            `json:"yamlVersion"`
}

func (d pipelines) listPipelines(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch", "repoIdentifier", "module=cd|pms"); err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.Q, "size", 25, 200)
	if err != nil {
		return httpio.Answer{}, err
	}
	f, err := d.readPipelineFilter(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	rows, total, err := d.rowsOf(c, f, page, cmp.Or(c.Q.Get("sort"), "lastUpdatedAt,DESC"))
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := []listedPipeline{}
	for _, p := range rows {
		stages := strings.FieldsFunc(p.Facts["stages"], func(r rune) bool { return r == '\n' })
		listed = append(listed, listedPipeline{Name: p.Name, Identifier: p.Identifier, Description: p.Description, Tags: tagsOf(p.Tags),
			Version: p.Version, Stages: len(stages), StageNames: stages, Created: p.Created, Updated: p.Updated,
			Modules: []string{"cd"}, Filters: map[string]any{}, Git: map[string]any{}, Validity: validityOf(p.Draft, ""),
			StoreType: "INLINE", YAMLVersion: "0"})
	}
	return httpio.OK(c.Request, httpio.PageOf(listed, total, page)), nil
}

// rowsOf returns a page of the project's pipelines that pass a filter, in order, and
// how many pass it.
func (d pipelines) rowsOf(c *request.Call, f pipelineFilter, p httpio.Paging, order string) ([]entity.Listed, int, error) {
	q := entity.Query{Kind: core.EntityPipeline, Scope: c.At, Skip: p.Page * p.Size, Limit: p.Size}
	f.ask(&q)
	if err := request.Order(order, &q); err != nil {
		return nil, 0, err
	}
	return d.Catalogue.List(c.Ctx, q)
}
