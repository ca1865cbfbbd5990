package ng

import (
	"encoding/json"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// named is what the bodies of all kinds say of an entity beside its YAML.
type named struct {
	Identifier  string            `json:"identifier,omitempty"`
	Org         string            `json:"orgIdentifier,omitempty"`
	Project     string            `json:"projectIdentifier,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

// home is where an entity is to live: what the body says comes before the query.
func (n named) home(c *request.Call) (core.Scope, error) {
	if n.Org != "" || n.Project != "" {
		for _, p := range []struct{ name, body string }{{"orgIdentifier", n.Org}, {"projectIdentifier", n.Project}} {
			if q := c.Q.Get(p.name); q != "" && p.body != "" && q != p.body {
				return c.At, fault.New(fault.Invalid, "%s is %q in the body and %q in the query", p.name, p.body, q)
			}
		}
		if err := c.Within(n.Org, n.Project); err != nil {
			return c.At, err
		}
	}
	return c.At, nil
}

// called refuses a body without a name, where no document beside it may say one.
func (n named) called(kind core.EntityKind) error {
	if strings.TrimSpace(n.Name) == "" {
		return fault.New(fault.Invalid, "the %s %s has no name: send name", kind, n.Identifier)
	}
	return nil
}

// over lays what the body says over what was read from the document.
func (n named) over(e *core.Entity) {
	if n.Name != "" {
		e.Name = n.Name
	}
	if n.Description != "" {
		e.Description = n.Description
	}
	if len(n.Tags) > 0 {
		e.Tags = n.Tags
	}
}

// yamlOf writes a value as the document of a kind: its JSON below the kind's first key.
func yamlOf(kind core.EntityKind, v any) (string, error) {
	body, err := json.Marshal(map[string]any{document.Root(kind): v})
	if err != nil {
		return "", err
	}
	return toYAML(body)
}

// toYAML writes a JSON object as a YAML document, in the order of its fields.
func toYAML(body []byte) (string, error) {
	docs, diags := yamldoc.Parse("body.json", body)
	if diags.Blocks() {
		return "", httpio.Diagnosed(diags)
	}
	if len(docs) != 1 {
		return "", fault.New(fault.Invalid, "the body is one JSON object")
	}
	return docs[0].Root.Encode()
}

// tagsOf are an entity's tags as clients expect them: never null.
func tagsOf(t map[string]string) map[string]string {
	if t == nil {
		return map[string]string{}
	}
	return t
}

// body is what of a document stands below its first key, as JSON has it.
func body(e core.Entity) (map[string]any, error) {
	docs, diags := yamldoc.Parse("", []byte(e.YAML))
	if diags.Blocks() || len(docs) == 0 {
		return nil, fault.New(fault.Internal, "what is kept of %s cannot be read: %s", e.EntityRef, diags)
	}
	root, _ := docs[0].Root.Any().(map[string]any)
	if inner, ok := root[document.Root(e.Kind)].(map[string]any); ok {
		return inner, nil
	}
	return root, nil
}

// orNil is nil for an empty string: Harness's bodies have null where nothing is said.
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
