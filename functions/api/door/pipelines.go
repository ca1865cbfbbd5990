package door

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// remote are parameters that put a pipeline into Git or change what it is.
var remote = []string{"branch", "repoIdentifier", "rootFolder", "filePath", "isNewBranch", "baseBranch", "connectorRef",
	"storeType=INLINE", "repoName", "isHarnessCodeRepo", "allowDynamicExecutions", "enableDAG", "public"}

// saved is Harness's PipelineSaveResponse.
type saved struct {
	Identifier string     `json:"identifier"`
	Governance governance `json:"governanceMetadata"`
}

// governance says that no policy had anything against it: there are none yet.
type governance struct {
	Deny    bool   `json:"deny"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details"`
}

func noPolicies() governance { return governance{Status: "pass", Details: []any{}} }

func (d *door) createPipeline(c *call) (httpio.Answer, error) {
	p, err := d.create(c)
	return etag(httpio.OK(c.Request, p.Identifier), p), err
}

func (d *door) createPipelineV2(c *call) (httpio.Answer, error) {
	p, err := d.create(c)
	return etag(httpio.OK(c.Request, saved{p.Identifier, noPolicies()}), p), err
}

func (d *door) create(c *call) (core.Pipeline, error) {
	p, err := d.document(c)
	if err != nil {
		return p, err
	}
	return d.Pipelines.Create(c.ctx, p)
}

// document reads the pipeline in the body.
func (d *door) document(c *call) (core.Pipeline, error) {
	if err := httpio.Unsupported(c.q, remote...); err != nil {
		return core.Pipeline{}, err
	}
	text, err := httpio.Text(c.Request, httpio.MaxBody)
	if err != nil {
		return core.Pipeline{}, err
	}
	return readPipeline(text, c.at)
}

func (d *door) updatePipeline(c *call) (httpio.Answer, error) {
	p, err := d.update(c)
	return etag(httpio.OK(c.Request, p.Identifier), p), err
}

func (d *door) updatePipelineV2(c *call) (httpio.Answer, error) {
	p, err := d.update(c)
	return etag(httpio.OK(c.Request, saved{p.Identifier, noPolicies()}), p), err
}

func (d *door) update(c *call) (core.Pipeline, error) {
	p, err := d.document(c)
	if err != nil {
		return p, err
	}
	if err := sameIdentifier(c, p); err != nil {
		return p, err
	}
	version, err := ifMatch(c)
	if err != nil {
		return p, err
	}
	return d.Pipelines.Update(c.ctx, p, version)
}

func sameIdentifier(c *call, p core.Pipeline) error {
	if id := c.PathValue("id"); p.Identifier != id {
		return fault.New(fault.Invalid, "the YAML's identifier is %q and the request's %q: an identifier cannot be changed", p.Identifier, id)
	}
	return nil
}

// ifMatch is the version that the header If-Match demands, 0 for any.
func ifMatch(c *call) (int64, error) {
	text := strings.Trim(strings.TrimPrefix(c.Header.Get("If-Match"), "W/"), `"`)
	if text == "" || text == "*" || text == "null" {
		return 0, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 1 {
		return 0, fault.New(fault.Invalid, "If-Match is %q: expected the version of the pipeline, a number from 1", text)
	}
	return v, nil
}

// etag adds a pipeline's version, for If-Match.
func etag(a httpio.Answer, p core.Pipeline) httpio.Answer {
	a.Header = map[string]string{"ETag": strconv.Quote(strconv.FormatInt(p.Version, 10))}
	return a
}

// storedPipeline is Harness's PMSPipelineResponse.
type storedPipeline struct {
	YAML       string         `json:"yamlPipeline"`
	Git        map[string]any `json:"gitDetails"`
	Validity   validity       `json:"entityValidityDetails"`
	Modules    []string       `json:"modules"`
	Governance *governance    `json:"governanceMetadata,omitempty"`
	StoreType  string         `json:"storeType"`
}

type validity struct {
	Valid       bool    `json:"valid"`
	InvalidYAML *string `json:"invalidYaml"`
}

func (d *door) getPipeline(c *call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.q, "branch", "repoIdentifier", "getTemplatesResolvedPipeline"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := d.Pipelines.Get(c.ctx, c.at, c.PathValue("id"))
	return etag(httpio.OK(c.Request, storedPipeline{YAML: p.YAML, Git: map[string]any{}, Validity: validity{Valid: true},
		Modules: []string{"cd"}, StoreType: "INLINE"}), p), err
}

func (d *door) deletePipeline(c *call) (httpio.Answer, error) {
	if err := d.remove(c); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, true), nil
}

func (d *door) remove(c *call) error {
	version, err := ifMatch(c)
	if err != nil {
		return err
	}
	p, err := d.Pipelines.Get(c.ctx, c.at, c.PathValue("id"))
	if err != nil {
		return err
	}
	if version != 0 && version != p.Version {
		return fault.New(fault.Conflict, "pipeline %q is at version %d, not %d: read it again", p.Identifier, p.Version, version)
	}
	return d.Pipelines.Delete(c.ctx, c.at, p.Identifier)
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

func (d *door) listPipelines(c *call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.q, "branch", "repoIdentifier", "filterIdentifier", "module=cd|pms"); err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.q, "size", 25, 200)
	if err != nil {
		return httpio.Answer{}, err
	}
	f, err := readPipelineFilter(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	all, err := d.pipelines(c, f, cmp.Or(c.q.Get("sort"), "lastUpdatedAt,DESC"))
	if err != nil {
		return httpio.Answer{}, err
	}
	listed := []listedPipeline{}
	for _, p := range httpio.Cut(all, page) {
		stages := stageNames(p.YAML)
		listed = append(listed, listedPipeline{Name: p.Name, Identifier: p.Identifier, Description: p.Desc, Tags: tagsOf(p.Tags),
			Version: p.Version, Stages: len(stages), StageNames: stages, Created: p.Created, Updated: p.Updated,
			Modules: []string{"cd"}, Filters: map[string]any{}, Git: map[string]any{}, Validity: validity{Valid: true},
			StoreType: "INLINE", YAMLVersion: "0"})
	}
	return httpio.OK(c.Request, httpio.PageOf(listed, len(all), page)), nil
}

func tagsOf(t map[string]string) map[string]string {
	if t == nil {
		return map[string]string{}
	}
	return t
}

// pipelines returns the project's pipelines that pass a filter, in order.
func (d *door) pipelines(c *call, f pipelineFilter, order string) ([]core.Pipeline, error) {
	compare, err := sortBy(order, map[string]func(a, b core.Pipeline) int{
		"name":          func(a, b core.Pipeline) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
		"identifier":    func(a, b core.Pipeline) int { return cmp.Compare(a.Identifier, b.Identifier) },
		"createdAt":     func(a, b core.Pipeline) int { return cmp.Compare(a.Created, b.Created) },
		"lastUpdatedAt": func(a, b core.Pipeline) int { return cmp.Compare(a.Updated, b.Updated) },
	})
	if err != nil {
		return nil, err
	}
	all, err := d.Pipelines.List(c.ctx, c.at)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p core.Pipeline) bool { return !f.passes(p) })
	slices.SortStableFunc(all, compare)
	return all, nil
}

// sortBy reads "field,ASC" or "field,DESC".
func sortBy[T any](order string, fields map[string]func(a, b T) int) (func(a, b T) int, error) {
	name, direction, _ := strings.Cut(order, ",")
	compare, ok := fields[name]
	if !ok {
		return nil, fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", order)
	}
	if strings.EqualFold(direction, "DESC") {
		return func(a, b T) int { return compare(b, a) }, nil
	}
	return compare, nil
}
