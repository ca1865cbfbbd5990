package ng

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) overridesRoutes() httpio.Routes {
	const path = "/ng/api/serviceOverrides"
	r := resource{kind: core.EntityOverrides, read: d.readOverrides, show: showOverrides}
	l := listing{fallback: 100, facts: []string{"type", "environmentRef", "serviceRef", "infraIdentifier"}}
	get := request.Scoped(absent(d.called(r, d.get(r)), nil))
	return httpio.Routes{
		"GET " + path + "/list":     request.Scoped(d.list(r, l)),
		"POST " + path + "/v2/list": request.Scoped(d.listOverrides(r, l)),
		"POST " + path:              request.Scoped(d.create(r)),
		"PUT " + path:               request.Scoped(d.update(r)),
		"POST " + path + "/upsert":  request.Scoped(d.upsert(r)),
		"GET " + path + "/{id}":     get,
		// What Harness's SDK reads; all answers have the YAML.
		"GET " + path + "/get-with-yaml/{id}": get,
		"DELETE " + path + "/{id}":            request.Scoped(d.called(r, d.remove(r))),
	}
}

// overridesFilter is Harness's OverrideFilterProperties.
type overridesFilter struct {
	Environments    []string          `json:"environmentRefs"`
	Services        []string          `json:"serviceRefs"`
	Infrastructures []string          `json:"infraIdentifiers"`
	Tags            map[string]string `json:"tags"`
}

func (f overridesFilter) passes(row core.EntityRow) bool {
	among := func(list []string, fact string) bool { return len(list) == 0 || slices.Contains(list, row.Facts[fact]) }
	return among(f.Environments, "environmentRef") && among(f.Services, "serviceRef") && among(f.Infrastructures, "infraIdentifier") && tagged(row, f.Tags)
}

func (d *door) listOverrides(r resource, l listing) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f overridesFilter
		next, err := d.filterOf(c, "Override", &f)
		if err != nil {
			return httpio.Answer{}, err
		}
		l := l
		l.passes = f.passes
		return d.list(r, l)(next)
	}
}

// absent answers about what is not there with an empty answer, which Harness's clients
// of some kinds take for that.
func absent(h request.Handler, data any) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		a, err := h(c)
		if fault.Is(err, fault.NotFound) {
			return httpio.OK(c.Request, data), nil
		}
		return a, err
	}
}

// called finds overrides by the identifier that their author gave them, which is not
// what they are kept by: that says what they are for.
func (d *door) called(r resource, h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		id := c.PathValue("id")
		rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: r.kind, Scope: r.ref(c).Scope, Limit: 1,
			Passes: func(row core.EntityRow) bool { return row.Facts["identifier"] == id }})
		if err != nil {
			return httpio.Answer{}, err
		}
		if len(rows) > 0 {
			c.SetPathValue("id", rows[0].Identifier)
		}
		return h(c)
	}
}

// overridesBody is Harness's ServiceOverrideRequestDTOV2: what is overridden stands in
// yaml as a document, in yamlInternal without its first key, or in spec.
type overridesBody struct {
	Identifier string          `json:"identifier"`
	Org        string          `json:"orgIdentifier"`
	Project    string          `json:"projectIdentifier"`
	Env        string          `json:"environmentRef"`
	Service    string          `json:"serviceRef"`
	Infra      string          `json:"infraIdentifier"`
	Cluster    string          `json:"clusterIdentifier"`
	Type       string          `json:"type"`
	YAML       string          `json:"yaml"`
	Inner      string          `json:"yamlInternal"`
	Spec       json.RawMessage `json:"spec"`
}

// overrideTypes say what overrides are for.
var overrideTypes = []core.OverrideType{core.OverrideEnvironment, core.OverrideService, core.OverrideInfrastructure, core.OverrideInfrastructureService}

// text is what the body overrides, and the field that said so.
func (b overridesBody) text() (text, field string, err error) {
	switch spec := bytes.TrimSpace(b.Spec); {
	case strings.TrimSpace(b.YAML) != "":
		return b.YAML, "yaml", nil
	case strings.TrimSpace(b.Inner) != "":
		return b.Inner, "yamlInternal", nil
	case len(spec) == 0 || string(spec) == "null":
		return "{}\n", "spec", nil
	case spec[0] == '"':
		err = json.Unmarshal(spec, &text)
		return text, "yamlInternal", err
	}
	text, err = toYAML(b.Spec)
	return text, "spec", err
}

func (d *door) readOverrides(c *request.Call) (sent, error) {
	var in overridesBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if in.Cluster != "" {
		return sent{}, fault.New(fault.Unsupported, "not supported yet: overrides of a GitOps cluster, clusterIdentifier")
	}
	if in.Type != "" && !slices.Contains(overrideTypes, core.OverrideType(in.Type)) {
		return sent{}, fault.New(fault.Invalid, "type is %q: expected one of %v", in.Type, overrideTypes)
	}
	at, err := named{Org: in.Org, Project: in.Project}.home(c)
	if err != nil {
		return sent{}, err
	}
	given, field, err := in.text()
	if err != nil {
		return sent{}, err
	}
	text, head, err := headed(given, []said{{"type", in.Type}, {"environmentRef", in.Env}, {"serviceRef", in.Service}, {"infraIdentifier", in.Infra}})
	return sent{at: at, text: text, amend: func(e *core.Entity) error {
		setFact(e, "identifier", in.Identifier)
		setFact(e, "sent", field)
		setFact(e, "head", head)
		return d.alone(c, e)
	}}, err
}

// alone refuses an identifier that other overrides have.
func (d *door) alone(c *request.Call, e *core.Entity) error {
	given := cmp.Or(e.Facts["identifier"], e.Identifier)
	rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: e.Kind, Scope: e.Scope, Limit: 1, Passes: func(row core.EntityRow) bool {
		return row.Path() != e.Path() && given == cmp.Or(row.Facts["identifier"], row.Identifier)
	}})
	if len(rows) > 0 {
		return fault.New(fault.AlreadyExists, "other overrides have the identifier %s: those of %s", given, rows[0].Ref(e.Kind))
	}
	return err
}

// overridden are the fields of a document that override.
var overridden = []string{"variables", "manifests", "configFiles", "applicationSettings", "connectionStrings"}

// showOverrides is Harness's ServiceOverridesResponseDTOV2.
func showOverrides(e core.Entity) (any, error) {
	in, err := overridesOf(e)
	if err != nil {
		return nil, err
	}
	spec := map[string]any{}
	for _, k := range overridden {
		if v, ok := in[k]; ok {
			spec[k] = v
		}
	}
	text := map[string]string{"yaml": e.YAML}
	if inner, err := json.Marshal(spec); err == nil {
		text["yamlInternal"], _ = toYAML(inner)
	}
	if sent := e.Facts["sent"]; sent != "spec" {
		text[sent] = headless(e.YAML, e.Facts["head"])
	}
	return map[string]any{"identifier": cmp.Or(e.Facts["identifier"], e.Identifier), "accountId": e.Scope.Account, "orgIdentifier": orNil(e.Scope.Org),
		"projectIdentifier": orNil(e.Scope.Project), "environmentRef": e.Facts["environmentRef"], "serviceRef": orNil(e.Facts["serviceRef"]),
		"infraIdentifier": orNil(e.Facts["infraIdentifier"]), "clusterIdentifier": nil, "type": e.Type, "spec": spec, "storeType": "INLINE",
		"yaml": text["yaml"], "yamlInternal": text["yamlInternal"], "newlyCreated": e.Version == 1, "createdAt": e.Created, "lastModifiedAt": e.Updated}, nil
}

// overridesOf are the fields of overrides, whatever form they have.
func overridesOf(e core.Entity) (map[string]any, error) {
	in, err := body(e)
	if legacy, ok := in["serviceOverrides"].(map[string]any); ok {
		in = legacy
	}
	if spec, ok := in["spec"].(map[string]any); ok {
		in = spec
	}
	return in, err
}
