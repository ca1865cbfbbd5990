package harness

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Document is one document of the account with where it lives.
type Document struct {
	Org, Project string
	Kind         string
	Parent       string // the environment of an infrastructure, the pipeline of an input set or trigger
	Identifier   string
	Label        string // a template's version
	YAML         string
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
	{name: "service", list: get("/ng/api/servicesV2"), item: []string{"service"}, yaml: []string{"yaml"}},
	{name: "environment", list: get("/ng/api/environmentsV2"), item: []string{"environment"}, yaml: []string{"yaml"}, under: "environmentIdentifier", below: []kind{
		{name: "infrastructureDefinition", list: get("/ng/api/infrastructures"), item: []string{"infrastructure"}, yaml: []string{"yaml"}},
	}},
	{name: "environmentGroup", list: post("/ng/api/environmentGroup/list", map[string]any{}), item: []string{"envGroup"}, yaml: []string{"yaml"}},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"ENV_GLOBAL_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"ENV_SERVICE_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"INFRA_GLOBAL_OVERRIDE"}}, one: readOverrides},
	{name: "overrides", list: post("/ng/api/serviceOverrides/v2/list", map[string]any{}), query: url.Values{"type": {"INFRA_SERVICE_OVERRIDE"}}, one: readOverrides},
	{name: "freeze", list: post("/ng/api/freeze/list", map[string]any{}), yaml: []string{"yaml"}},
}

// inProjects are the kinds that only projects have.
var inProjects = []kind{
	{name: "pipeline", list: post("/pipeline/api/pipelines/list", map[string]any{"filterType": "PipelineSetup"}), one: readOne("/pipeline/api/pipelines/", "yamlPipeline"),
		under: "pipelineIdentifier", below: []kind{
			{name: "inputSet", list: get("/pipeline/api/inputSets"), query: url.Values{"inputSetType": {"ALL"}}, one: readInputSet},
			{name: "trigger", list: get("/pipeline/api/triggers"), yaml: []string{"yaml"}},
		}},
}

// Walk hands over every document of the account. What the source does not offer, or does
// not show to the key, is told to missed and passed over.
func (s *Source) Walk(ctx context.Context, yield func(Document) error, missed func(what string, err error)) error {
	w := &walk{source: s, yield: yield, missed: missed, absent: map[string]bool{}}
	if err := w.place(ctx, "", "", kinds); err != nil {
		return err
	}
	orgs, err := s.all(ctx, get("/ng/api/organizations"), url.Values{})
	if err != nil {
		return err
	}
	for _, o := range orgs {
		org := text(o, "organization", "identifier")
		if err := w.object(ctx, Document{Kind: "organization", Identifier: org}, at(o, "organization")); err != nil {
			return err
		}
		if err := w.place(ctx, org, "", kinds); err != nil {
			return err
		}
		projects, err := s.all(ctx, get("/ng/api/projects"), url.Values{"orgIdentifier": {org}})
		if err != nil {
			return err
		}
		for _, p := range projects {
			project := text(p, "project", "identifier")
			if err := w.object(ctx, Document{Org: org, Kind: "project", Identifier: project}, at(p, "project")); err != nil {
				return err
			}
			if err := w.place(ctx, org, project, append(kinds[:len(kinds):len(kinds)], inProjects...)); err != nil {
				return err
			}
		}
	}
	return nil
}

type walk struct {
	source *Source
	yield  func(Document) error
	missed func(what string, err error)
	absent map[string]bool // routes that the source does not have
}

// place reads what lives in the account, an organization or a project.
func (w *walk) place(ctx context.Context, org, project string, of []kind) error {
	q := url.Values{}
	if org != "" {
		q.Set("orgIdentifier", org)
	}
	if project != "" {
		q.Set("projectIdentifier", project)
	}
	for _, k := range of {
		if err := w.kind(ctx, k, Document{Org: org, Project: project}, q); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) kind(ctx context.Context, k kind, d Document, q url.Values) error {
	asked := merged(q, k.query)
	items, err := w.source.all(ctx, k.list, asked)
	if skippable(err) {
		if !w.absent[k.list.path] {
			w.missed(k.name+" of "+place(d), err)
		}
		w.absent[k.list.path] = fault.Is(err, fault.NotFound) // it is missing everywhere: said once
		return nil
	}
	if err != nil {
		return err
	}
	for _, item := range items {
		entity := at(item, k.item...)
		d.Kind, d.Identifier, d.Label = k.name, text(entity, "identifier"), text(entity, "versionLabel")
		if _, says := entity.(map[string]any)["orgIdentifier"]; says && (text(entity, "orgIdentifier") != d.Org || text(entity, "projectIdentifier") != d.Project) {
			continue // of a wider scope, listed here too
		}
		if err := w.one(ctx, k, d, q, item, entity); err != nil {
			return err
		}
		for _, b := range k.below {
			under := merged(q, url.Values{k.under: {d.Identifier}})
			if b.name == "trigger" {
				under.Set("targetIdentifier", d.Identifier)
			}
			if err := w.kind(ctx, b, Document{Org: d.Org, Project: d.Project, Parent: d.Identifier}, under); err != nil {
				return err
			}
		}
	}
	return nil
}

// one hands over the document of a listed item.
func (w *walk) one(ctx context.Context, k kind, d Document, q url.Values, item, entity any) error {
	var err error
	switch {
	case k.one != nil:
		d.YAML, err = k.one(ctx, w.source, merged(q, nil), entity)
	case k.yaml != nil:
		d.YAML = text(entity, k.yaml...)
	default:
		return w.object(ctx, d, entity)
	}
	if skippable(err) || err == nil && d.YAML == "" {
		w.missed(k.name+" "+d.Identifier+" of "+place(d), err)
		return nil
	}
	if err != nil {
		return err
	}
	return w.yield(d)
}

// object hands over an entity that is no text there: its JSON, without what is empty.
func (w *walk) object(_ context.Context, d Document, entity any) error {
	body, err := json.Marshal(map[string]any{d.Kind: lean(entity)})
	if err != nil {
		return err
	}
	docs, diags := yamldoc.Parse(d.Identifier, body)
	if diags.Blocks() {
		return fault.New(fault.Invalid, "%s %s: %s", d.Kind, d.Identifier, diags)
	}
	if d.YAML, err = docs[0].Root.Encode(); err != nil {
		return err
	}
	return w.yield(d)
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
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden)
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

func readOne(path, field string) func(context.Context, *Source, url.Values, any) (string, error) {
	return func(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
		data, err := s.call(ctx, http.MethodGet, path+url.PathEscape(text(item, "identifier")), q, nil)
		return text(data, field), err
	}
}

func readTemplate(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
	q.Set("versionLabel", text(item, "versionLabel"))
	data, err := s.call(ctx, http.MethodGet, "/template/api/templates/"+url.PathEscape(text(item, "identifier")), q, nil)
	return text(data, "yaml"), err
}

func readInputSet(ctx context.Context, s *Source, q url.Values, item any) (string, error) {
	if text(item, "inputSetType") == "OVERLAY_INPUT_SET" {
		return readOne("/pipeline/api/inputSets/overlay/", "overlayYaml")(ctx, s, q, item)
	}
	return readOne("/pipeline/api/inputSets/", "inputSetYaml")(ctx, s, q, item)
}
