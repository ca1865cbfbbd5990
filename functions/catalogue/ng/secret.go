package ng

import (
	"encoding/json"
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) secretRoutes() httpio.Routes {
	const path = "/ng/api/v2/secrets"
	r := resource{kind: core.EntitySecret, read: readSecret, show: showSecret}
	fresh, file, freshFile := r, r, r
	fresh.read, file.read, freshFile.read = needValue(readSecret), readSecretFile, needValue(readSecretFile)
	return httpio.Routes{
		"GET " + path:              request.Scoped(d.listSecrets(r)),
		"POST " + path + "/list":   request.Scoped(d.listSecretsBy(r)),
		"POST " + path:             request.Scoped(d.create(fresh)),
		"POST " + path + "/yaml":   request.Scoped(d.create(fresh)),
		"POST " + path + "/files":  request.Scoped(d.create(freshFile)),
		"PUT " + path + "/{id}":    request.Scoped(d.update(r)),
		"PUT " + path + "/{a}/{b}": request.Scoped(d.updateSecret(r, file)),
		"GET " + path + "/{id}":    request.Scoped(d.get(r)),
		"DELETE " + path + "/{id}": request.Scoped(d.remove(r)),
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

func readSecret(c *request.Call) (sent, error) {
	if err := httpio.Unsupported(c.Q, "privateSecret"); err != nil {
		return sent{}, err
	}
	return readWrapped(core.EntitySecret)(c)
}

// readSecretFile reads a form: the document in JSON as spec, the content as file.
func readSecretFile(c *request.Call) (sent, error) {
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
	s.amend = func(e *core.Entity) error { return same("type", e.Type, "SecretFile") }
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
			if err != nil || amend == nil {
				return err
			}
			return amend(e)
		}
		return s, err
	}
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

// secretFilter is Harness's SecretFilterProperties.
type secretFilter struct {
	Identifiers []string          `json:"identifiers"`
	Types       []string          `json:"secretTypes"`
	Name        string            `json:"secretName"`
	Managers    []string          `json:"secretManagerIdentifiers"`
	Tags        map[string]string `json:"tags"`
	SearchTerm  string            `json:"searchTerm"`
	Deeper      bool              `json:"includeSecretsFromEverySubScope"`
	Wider       bool              `json:"includeAllSecretsAccessibleAtScope"`
}

func (d *door) listSecrets(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := httpio.Unsupported(c.Q, "source_category", "secretManagerIdentifier"); err != nil {
			return httpio.Answer{}, err
		}
		return d.secretsBy(c, r, secretFilter{Types: append(httpio.Values(c.Q, "type"), httpio.Values(c.Q, "types")...),
			Deeper: c.Q.Get("includeSecretsFromEverySubScope") == "true"})
	}
}

func (d *door) listSecretsBy(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f secretFilter
		if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &f); err != nil {
			return httpio.Answer{}, err
		}
		if f.SearchTerm != "" {
			c.Q.Set("searchTerm", f.SearchTerm)
		}
		return d.secretsBy(c, r, f)
	}
}

func (d *door) secretsBy(c *request.Call, r resource, f secretFilter) (httpio.Answer, error) {
	if f.Deeper {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: includeSecretsFromEverySubScope: list each scope")
	}
	l := listing{page: "pageIndex", size: "pageSize", fallback: 100, passes: f.passes}
	if f.Wider {
		c.Q.Set("includeAllSecretsAccessibleAtScope", "true")
	}
	return d.list(r, l)(c)
}

func (f secretFilter) passes(row core.EntityRow) bool {
	among := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return among(f.Identifiers, row.Identifier) && among(f.Types, row.Type) && among(f.Managers, row.Facts["secretManagerIdentifier"]) &&
		(f.Name == "" || f.Name == row.Name) && tagged(row, f.Tags)
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
