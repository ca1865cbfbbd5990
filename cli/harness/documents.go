package harness

import (
	"context"
	"net/http"
	"net/url"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Document is one document of the account with where it lives.
type Document struct {
	Org, Project string
	Kind         string
	Parent       string // the environment of an infrastructure, the pipeline of an input set or trigger
	Identifier   string
	Label        string // a template's version
	Stable       bool   // it is the stable one
	Color        string // of an environment
	YAML         string
	// Item, for what is no document, is what is listed of it, and Content a file's.
	Item    map[string]any
	Content []byte
}

// list is a route that lists.
type list struct {
	method, path string
	body         any
}

// kind is how documents of a kind are read.
type kind struct {
	name string
	list list
	// item is where in a listed item the entity is, yaml where its document is; without
	// yaml the document is what the entity's JSON says.
	item, yaml []string
	query      url.Values
	// single reads a document alone: for those that a list shows without.
	single func(ctx context.Context, s *Source, q url.Values, item any) (string, error)
	// one reads a listed item's document by a call of its own.
	one func(ctx context.Context, s *Source, q url.Values, item any) (string, error)
	// below are the kinds that are listed for each of these, under a query parameter.
	below []kind
	under string
}

var (
	get  = func(path string) list { return list{method: http.MethodGet, path: path} }
	post = func(path string, body any) list { return list{http.MethodPost, path, body} }
)

// kinds are those that organizations, projects and the account itself have, in the order
// in which they refer to each other.
var kinds = []kind{
	{name: "variable", list: get("/ng/api/variables"), item: []string{"variable"}},
	{name: "secret", list: get("/ng/api/v2/secrets"), item: []string{"secret"}},
	{name: "connector", list: post("/ng/api/connectors/listV2", map[string]any{"filterType": "Connector"}), item: []string{"connector"}},
	{name: "template", list: post("/template/api/templates/list-metadata", map[string]any{"filterType": "Template"}), query: url.Values{"templateListType": {"All"}}, one: readTemplate},
	{name: "service", list: get("/ng/api/servicesV2"), item: []string{"service"}, yaml: []string{"yaml"}, single: readOne("/ng/api/servicesV2/", "service", "yaml")},
	{name: "environment", list: get("/ng/api/environmentsV2"), item: []string{"environment"}, yaml: []string{"yaml"}, single: readOne("/ng/api/environmentsV2/", "environment", "yaml"), under: "environmentIdentifier", below: []kind{
		{name: "infrastructureDefinition", list: get("/ng/api/infrastructures"), item: []string{"infrastructure"}, yaml: []string{"yaml"}, single: readOne("/ng/api/infrastructures/", "infrastructure", "yaml")},
	}},
	{name: "environmentGroup", list: post("/ng/api/environmentGroup/list", map[string]any{"filterType": "EnvironmentGroup"}), item: []string{"envGroup"}, yaml: []string{"yaml"},
		single: readOne("/ng/api/environmentGroup/", "envGroup", "yaml")},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"ENV_GLOBAL_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"ENV_SERVICE_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"INFRA_GLOBAL_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"INFRA_SERVICE_OVERRIDE"}}, one: readOverrides},
	{name: "freeze", list: post("/ng/api/freeze/list", map[string]any{}), yaml: []string{"yaml"}, single: readOne("/ng/api/freeze/", "yaml")},
	{name: "file", list: get("/ng/api/file-store")},
}

// inProjects are the kinds that only projects have.
var inProjects = []kind{
	{name: "pipeline", list: post("/pipeline/api/pipelines/list", map[string]any{"filterType": "PipelineSetup"}), one: readOne("/pipeline/api/pipelines/", "yamlPipeline"),
		under: "pipelineIdentifier", below: []kind{
			{name: "inputSet", list: get("/pipeline/api/inputSets"), query: url.Values{"inputSetType": {"ALL"}}, one: readInputSet},
			{name: "trigger", list: get("/pipeline/api/triggers"), yaml: []string{"yaml"}, single: readTrigger},
		}},
}

// lean leaves out what says nothing: nulls, and empty texts, lists and objects.
func lean(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, x := range m {
		switch x := lean(x).(type) {
		case nil:
		case string:
			if x != "" {
				out[k] = x
			}
		case []any:
			if len(x) > 0 {
				out[k] = x
			}
		case map[string]any:
			if len(x) > 0 {
				out[k] = x
			}
		default:
			out[k] = x
		}
	}
	return out
}

// skippable are failures that concern one kind or document alone.
func skippable(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) || fault.Is(err, fault.Invalid) || fault.Is(err, fault.Unsupported)
}

func place(d Document) string {
	switch {
	case d.Org == "":
		return "the account"
	case d.Project == "":
		return "organization " + d.Org
	}
	return "project " + d.Org + "/" + d.Project
}

func merged(a, b url.Values) url.Values {
	out := url.Values{}
	for _, q := range []url.Values{a, b} {
		for k, v := range q {
			out[k] = v
		}
	}
	return out
}

func readOne(path string, field ...string) func(context.Context, *Source, url.Values, any) (string, error) {
	return func(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
		data, err := s.call(ctx, http.MethodGet, path+url.PathEscape(text(item, "identifier")), q, nil)
		return text(data, field...), err
	}
}

func readTemplate(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
	q.Set("versionLabel", text(item, "versionLabel"))
	data, err := s.call(ctx, http.MethodGet, "/template/api/templates/"+url.PathEscape(text(item, "identifier")), q, nil)
	return text(data, "yaml"), err
}

func readTrigger(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
	data, err := s.call(ctx, http.MethodGet, "/pipeline/api/triggers/"+url.PathEscape(text(item, "identifier"))+"/details", q, nil)
	return text(data, "yaml"), err
}

func readInputSet(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
	if text(item, "inputSetType") == "OVERLAY_INPUT_SET" {
		return readOne("/pipeline/api/inputSets/overlay/", "overlayInputSetYaml")(ctx, s, q, item)
	}
	return readOne("/pipeline/api/inputSets/", "inputSetYaml")(ctx, s, q, item)
}
