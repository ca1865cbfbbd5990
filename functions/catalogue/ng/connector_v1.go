package ng

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// v1FlatRoutes are connectors and secrets as Harness's v1 routes have them.
func (d *door) v1FlatRoutes() httpio.Routes {
	routes := httpio.Routes{}
	connectors := resource{kind: core.EntityConnector, read: d.v1ReadConnector, show: showFlat(flatConnectors)}
	for _, path := range v1Paths("connectors") {
		d.v1Routes(routes, path, connectors)
		routes["GET "+path] = request.V1Scoped(local(d.v1ListFlat(connectors, nil)))
		routes["DELETE "+path+"/{id}"] = request.V1Scoped(silent(d.v1Remove(connectors)))
		routes["GET "+path+"/{id}/test-connection"] = request.V1Scoped(v1Tested(d.testConnection(connectors)))
	}
	secrets := resource{kind: core.EntitySecret, read: d.v1ReadSecret, show: showFlat(flatSecrets)}
	fresh := secrets
	fresh.read = needValue(d.v1ReadSecret)
	for _, path := range v1Paths("secrets") {
		d.v1Routes(routes, path, secrets)
		routes["POST "+path] = request.V1Scoped(local(bare(http.StatusCreated, d.create(fresh)), "private_secret"))
		routes["GET "+path] = request.V1Scoped(local(d.v1ListFlat(secrets, secretTypes)))
	}
	return routes
}

// silent answers with a status alone.
func silent(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		a, err := h(c)
		a.Body = nil
		return a, err
	}
}

// v1Tested is Harness's ConnectorTestConnectionResponse.
func v1Tested(test request.Handler) request.Handler {
	return bare(http.StatusOK, func(c *request.Call) (httpio.Answer, error) {
		a, err := test(c)
		if err != nil {
			return a, err
		}
		e, _ := a.Body.(httpio.Envelope)
		in, _ := e.Data.(map[string]any)
		return httpio.OK(c.Request, map[string]any{"status": in["status"], "errors": in["errors"], "error_summary": in["errorSummary"],
			"tested_at": in["testedAt"], "delegate_id": in["delegateId"]}), nil
	})
}

// v1Flat is what the bodies of connectors and secrets say.
type v1Flat struct {
	Name        string            `json:"name,omitempty"`
	Identifier  string            `json:"identifier"`
	Org         string            `json:"orgIdentifier,omitempty"`
	Project     string            `json:"projectIdentifier,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Type        string            `json:"type"`
	Spec        map[string]any    `json:"spec"`
}

func (d *door) v1ReadConnector(c *request.Call) (sent, error) {
	raw, err := httpio.Bytes(c.Request, httpio.MaxBody)
	if err != nil {
		return sent{}, err
	}
	s, err := readFlat(c, core.EntityConnector, flatConnectors, raw)
	s.amend = func(e *core.Entity) error { return cmp.Or(ownManager(e), d.sameType(c, e)) }
	return s, err
}

// readFlat reads a body of JSON or YAML: {"connector": {…, "spec": {"type": …}}}.
func readFlat(c *request.Call, kind core.EntityKind, forms []flat, raw []byte) (sent, error) {
	key := document.Root(kind)
	docs, diags := yamldoc.Parse(key+".yaml", raw)
	if diags.Blocks() {
		return sent{}, httpio.Diagnosed(diags)
	}
	var inner *yamldoc.Node
	if len(docs) == 1 {
		inner = docs[0].Root.Get(key)
	}
	if inner == nil || inner.Kind != yamldoc.Map || inner.Get("spec") == nil {
		return sent{}, fault.New(fault.Invalid, "the body is {%q: {…, \"spec\": {\"type\": …}}}", key)
	}
	in := v1Entity{Org: text(inner, "org"), Project: text(inner, "project")}
	if err := in.agrees(c); err != nil {
		return sent{}, err
	}
	spec, _ := inner.Get("spec").Any().(map[string]any)
	if slug, ok := spec["secret_manager_slug"]; ok { // as older clients call it
		delete(spec, "secret_manager_slug")
		spec["secret_manager_identifier"] = cmp.Or(spec["secret_manager_identifier"], slug)
	}
	typ, spec, err := unflat(forms, spec)
	if err != nil {
		return sent{}, err
	}
	doc := v1Flat{Name: text(inner, "name"), Org: c.At.Org, Project: c.At.Project, Description: text(inner, "description"), Tags: map[string]string{}, Type: typ, Spec: spec,
		Identifier: cmp.Or(text(inner, "identifier"), text(inner, "slug"), c.PathValue("id"))}
	tags, _ := inner.Get("tags").Any().(map[string]any)
	for name, v := range tags {
		doc.Tags[name], _ = v.(string)
	}
	text, err := yamlOf(kind, doc)
	return sent{at: c.At, text: text, id: doc.Identifier}, err
}

// showFlat is Harness's ConnectorResponse or SecretResponse of v1.
func showFlat(forms []flat) func(core.Entity) (any, error) {
	return func(e core.Entity) (any, error) {
		in, err := body(e)
		if err != nil {
			return nil, err
		}
		spec, _ := in["spec"].(map[string]any)
		shown := flattened(forms, e.Type, spec)
		if m, ok := shown["secret_manager_identifier"]; ok {
			shown["secret_manager_slug"] = m
		}
		m := map[string]any{"identifier": e.Identifier, "slug": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags), "spec": shown}
		for name, home := range map[string]string{"org": e.Scope.Org, "project": e.Scope.Project} {
			if home != "" {
				m[name] = home
			}
		}
		out := map[string]any{document.Root(e.Kind): m, "created": e.Created, "updated": e.Updated, "governance_metadata": nil}
		if e.Kind == core.EntitySecret {
			out["draft"] = false
		} else {
			out["status"], out["harness_managed"] = nil, false
		}
		return out, nil
	}
}

// v1ListFlat lists, with recursive=true also what lives inside of the scope. passes, when
// there is one, says by the query which rows are asked for.
func (d *door) v1ListFlat(r resource, passes func(*request.Call) (func(core.EntityRow) bool, error)) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ng, err := inNG(c, v1Fields)
		if err != nil {
			return httpio.Answer{}, err
		}
		l := listing{fallback: 30}
		if passes != nil {
			if l.passes, err = passes(c); err != nil {
				return httpio.Answer{}, err
			}
		}
		if strings.EqualFold(c.Q.Get("recursive"), "true") {
			if l.include, err = d.below(c); err != nil {
				return httpio.Answer{}, err
			}
		}
		rows, total, p, err := d.rows(ng, r, l)
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(ng, r, rows)
		return v1Page(items, total, p), err
	}
}

// secretTypes reads which secrets a v1 list is asked for: by identifier, and by types that
// are the documents' too.
func secretTypes(c *request.Call) (func(core.EntityRow) bool, error) {
	ids, types := httpio.Values(c.Q, "secret"), httpio.Values(c.Q, "type")
	for _, t := range types {
		if t != "SecretText" && t != "SecretFile" {
			return nil, fault.New(fault.Unsupported, "not supported yet: query parameter type=%s: list all, or SecretText and SecretFile", t)
		}
	}
	f := secretFilter{Identifiers: ids, Types: types}
	return f.passes, nil
}

func (d *door) v1ReadSecret(c *request.Call) (sent, error) {
	if !strings.HasPrefix(c.Header.Get("Content-Type"), "multipart/") {
		raw, err := httpio.Bytes(c.Request, httpio.MaxBody)
		if err != nil {
			return sent{}, err
		}
		s, err := readFlat(c, core.EntitySecret, flatSecrets, raw)
		s.amend = func(e *core.Entity) error { return d.sameType(c, e) }
		return s, err
	}
	f, err := readForm(c, "file", entity.MaxSecret)
	if err != nil {
		return sent{}, err
	}
	s, err := readFlat(c, core.EntitySecret, flatSecrets, []byte(f.fields["spec"]))
	s.value = f.file
	s.amend = func(e *core.Entity) error { return cmp.Or(same("type", e.Type, "SecretFile"), d.sameType(c, e)) }
	return s, err
}
