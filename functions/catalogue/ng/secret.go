package ng

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) secretRoutes() httpio.Routes {
	const path = "/ng/api/v2/secrets"
	r := resource{kind: core.EntitySecret, read: d.readSecret, show: showSecret}
	fresh, file, freshFile := r, r, r
	fresh.read, file.read, freshFile.read = needValue(d.readSecret), d.readSecretFile, needValue(d.readSecretFile)
	return httpio.Routes{
		"GET " + path:                                    request.Scoped(d.listSecrets(r)),
		"POST " + path + "/list":                         request.Scoped(d.listSecretsBy(r)),
		"POST " + path + "/list/secrets":                 request.Scoped(d.listSecretsBy(r)),
		"GET " + path + "/validateUniqueIdentifier/{id}": request.Scoped(d.unique(r)),
		"POST " + path + "/validate":                     request.Scoped(validateSecret),
		"GET " + path + "/count":                         request.Scoped(unsupported("counting secrets by parentUniqueId")),
		"POST " + path:                                   request.Scoped(d.create(fresh)),
		"POST " + path + "/yaml":                         request.Scoped(d.create(fresh)),
		"POST " + path + "/files":                        request.Scoped(d.create(freshFile)),
		"PUT " + path + "/{id}":                          request.Scoped(d.update(r)),
		"PUT " + path + "/{a}/{b}":                       request.Scoped(d.updateSecret(r, file)),
		"GET " + path + "/{id}":                          request.Scoped(d.get(r)),
		"DELETE " + path + "/{id}":                       request.Scoped(d.remove(r)),
	}
}

// updateSecret is PUT …/{id}/yaml and …/files/{id}, which a mux cannot tell apart.
func (d *door) updateSecret(r, file resource) request.Handler {
	yaml, content := d.update(r), d.update(file)
	return func(c *request.Call) (httpio.Answer, error) {
		a, b := c.PathValue("a"), c.PathValue("b")
		switch {
		case a == "files":
			c.SetPathValue("id", b)
			return content(c)
		case b == "yaml":
			c.SetPathValue("id", a)
			return yaml(c)
		}
		return httpio.Answer{}, fault.New(fault.NotFound, "there is no route %s %s", c.Method, c.URL.Path)
	}
}

func (d *door) readSecret(c *request.Call) (sent, error) {
	if err := httpio.Unsupported(c.Q, "privateSecret"); err != nil {
		return sent{}, err
	}
	s, err := readWrapped(core.EntitySecret)(c)
	s.amend = func(e *core.Entity) error { return d.sameType(c, e) }
	return s, err
}

// readSecretFile reads a form: the document in JSON as spec, the content as file.
func (d *door) readSecretFile(c *request.Call) (sent, error) {
	if err := httpio.Unsupported(c.Q, "privateSecret"); err != nil {
		return sent{}, err
	}
	f, err := readForm(c, "file", entity.MaxSecret)
	if err != nil {
		return sent{}, err
	}
	if !json.Valid([]byte(f.fields["spec"])) {
		return sent{}, fault.New(fault.Invalid, "the form's part spec is no JSON: it is {\"secret\": {…}}")
	}
	s, err := wrapped(c, core.EntitySecret, []byte(f.fields["spec"]), false)
	s.value = f.file
	s.amend = func(e *core.Entity) error { return cmp.Or(same("type", e.Type, "SecretFile"), d.sameType(c, e)) }
	return s, err
}

// needValue refuses a new secret whose value is kept here and that has none.
func needValue(read func(*request.Call) (sent, error)) func(*request.Call) (sent, error) {
	return func(c *request.Call) (sent, error) {
		s, err := read(c)
		amend := s.amend
		s.amend = func(e *core.Entity) error {
			_, value, err := document.TakeValue(e.YAML)
			if err == nil && document.HasValue(*e) && value == nil && s.value == nil {
				err = fault.New(fault.Invalid, "secret %s has no value", e.Identifier)
			}
			if err == nil && e.Facts["valueType"] == "Reference" {
				err = saysWhere(*e)
			}
			if err != nil || amend == nil {
				return err
			}
			return amend(e)
		}
		return s, err
	}
}

// saysWhere refuses a reference into another secret manager that says nothing.
func saysWhere(e core.Entity) error {
	in, err := body(e)
	spec, _ := in["spec"].(map[string]any)
	if v, _ := spec["value"].(string); err == nil && v == "" {
		return fault.New(fault.Invalid, "secret %s is a Reference and has no value: its path in %s", e.Identifier, e.Facts["secretManagerIdentifier"])
	}
	return err
}

// showSecret is Harness's SecretResponse. There is no value in what is kept of a secret.
func showSecret(e core.Entity) (any, error) {
	in, err := body(e)
	spec, _ := in["spec"].(map[string]any)
	return map[string]any{
		"secret": map[string]any{"type": e.Type, "name": e.Name, "identifier": e.Identifier, "orgIdentifier": orNil(e.Scope.Org),
			"projectIdentifier": orNil(e.Scope.Project), "tags": tagsOf(e.Tags), "description": orNil(e.Description), "spec": spec, "owner": nil},
		"createdAt": e.Created, "updatedAt": e.Updated, "draft": false, "governanceMetadata": nil,
	}, err
}

// validateSecret answers as Harness does when hosts could not be signed in to: that is
// not tried yet.
func validateSecret(c *request.Call) (httpio.Answer, error) {
	if err := c.Allow(govern.Execute, core.EntityRef{Kind: core.EntitySecret, Scope: c.At}); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, map[string]any{"success": false, "message": "not supported yet: tests of credentials for hosts"}), nil
}

// secretFilter is Harness's SecretFilterProperties, and its SecretResourceFilter.
type secretFilter struct {
	Identifiers []string          `json:"identifiers"`
	Identifier  string            `json:"secretIdentifier"`
	Types       []string          `json:"secretTypes"`
	Name        string            `json:"secretName"`
	Description string            `json:"description"`
	Managers    []string          `json:"secretManagerIdentifiers"`
	Tags        map[string]string `json:"tags"`
	SearchTerm  string            `json:"searchTerm"`
	Deeper      bool              `json:"includeSecretsFromEverySubScope"`
	Wider       bool              `json:"includeAllSecretsAccessibleAtScope"`
}

func (d *door) listSecrets(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := httpio.Unsupported(c.Q, "source_category"); err != nil {
			return httpio.Answer{}, err
		}
		return d.secretsBy(c, r, secretFilter{Types: append(httpio.Values(c.Q, "type"), httpio.Values(c.Q, "types")...),
			Deeper: c.Q.Get("includeSecretsFromEverySubScope") == "true"})
	}
}

func (d *door) listSecretsBy(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f secretFilter
		c, err := d.filterOf(c, "Secret", &f)
		if err != nil {
			return httpio.Answer{}, err
		}
		if f.SearchTerm != "" {
			c.Q.Set("searchTerm", f.SearchTerm)
		}
		return d.secretsBy(c, r, f)
	}
}

func (d *door) secretsBy(c *request.Call, r resource, f secretFilter) (httpio.Answer, error) {
	for _, name := range []string{"secretManagerIdentifier", "secretManagerIdentifiers"} {
		f.Managers = append(f.Managers, httpio.Values(c.Q, name)...)
	}
	l := listing{page: "pageIndex", size: "pageSize", fallback: 100, passes: f.passes, refused: []string{"pageToken"}}
	if f.Wider {
		c.Q.Set("includeAllSecretsAccessibleAtScope", "true")
	}
	if f.Deeper {
		below, err := d.below(c)
		if err != nil {
			return httpio.Answer{}, err
		}
		l.include = below
	}
	return d.list(r, l)(c)
}

// below are the organizations and projects inside of a call's scope.
func (d *door) below(c *request.Call) ([]core.Scope, error) {
	var scopes []core.Scope
	orgs := []string{c.At.Org}
	if c.At.Org == "" {
		orgs = nil
		rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: core.EntityOrganization, Scope: c.At})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			orgs = append(orgs, row.Identifier)
			scopes = append(scopes, core.Scope{Account: c.At.Account, Org: row.Identifier})
		}
	}
	if c.At.Project != "" {
		return nil, nil
	}
	for _, org := range orgs {
		at := core.Scope{Account: c.At.Account, Org: org}
		rows, _, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: core.EntityProject, Scope: at})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			scopes = append(scopes, core.Scope{Account: at.Account, Org: org, Project: row.Identifier})
		}
	}
	return scopes, nil
}

func (f secretFilter) passes(row core.EntityRow) bool {
	among := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	same := func(wanted, have string) bool { return wanted == "" || wanted == have }
	return among(f.Identifiers, row.Identifier) && same(f.Identifier, row.Identifier) && among(f.Types, row.Type) &&
		among(f.Managers, row.Facts["secretManagerIdentifier"]) && same(f.Name, row.Name) && contains(row.Description, f.Description) && tagged(row, f.Tags)
}

// tagged reports whether a row has tags; one without a value may have any.
func tagged(row core.EntityRow, tags map[string]string) bool {
	for k, v := range tags {
		if have, ok := row.Tags[k]; !ok || v != "" && have != v {
			return false
		}
	}
	return true
}
