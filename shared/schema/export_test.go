package schema_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// ours compiles the JSON Schemas of all kinds as one document, since they share
// most of their definitions.
var ours = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	defs := map[string]any{}
	for _, k := range schema.Kinds() {
		s := schema.JSONSchema(k)
		maps.Copy(defs, s["definitions"].(map[string]any))
		delete(s, "definitions")
		delete(s, "$schema")
		defs["kind "+k.Name] = s
	}
	data, err := json.Marshal(map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": defs})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///kinds", doc); err != nil {
		return nil, err
	}
	out := map[string]*jsonschema.Schema{}
	for _, k := range schema.Kinds() {
		if out[k.Name], err = c.Compile("mem:///kinds#/definitions/kind%20" + k.Name); err != nil {
			return nil, err
		}
	}
	return out, nil
})

func allOurs(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	if raced {
		return nil
	}
	all, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unsaid are codes of errors that a JSON Schema cannot express.
var unsaid = []string{schema.CodeDuration, schema.CodeDuplicate, schema.CodeExpression, schema.CodeRange}

// agrees holds the JSON Schema of a document's kind to what Check says: what is
// right is accepted, and what is wrong in a way a schema can express is refused.
func agrees(t *testing.T, schemas map[string]*jsonschema.Schema, root *yamldoc.Node, f schema.Finding) {
	t.Helper()
	s := schemas[f.Kind]
	if s == nil {
		return
	}
	if f.Kind == "overrides" && root.Get("overrides") == nil {
		return // without its root key
	}
	ok := accepts(s, root.Any())
	said := slices.ContainsFunc(f.Diagnostics, func(d core.Diagnostic) bool {
		return d.Severity == core.SeverityError && !slices.Contains(unsaid, d.Code) && !null(root, d)
	})
	switch {
	case f.OK() && !ok:
		t.Errorf("%s: the JSON Schema of %s refuses what Check accepts", root.Pos.File, f.Kind)
	case said && ok:
		t.Errorf("%s: the JSON Schema of %s accepts what Check refuses: %s", root.Pos.File, f.Kind, f.Diagnostics)
	}
}

// null reports whether an error is about a field without a value, which a schema
// takes for one that is there.
func null(root *yamldoc.Node, d core.Diagnostic) bool {
	return slices.ContainsFunc(nulls(root), func(pos core.Position) bool { return pos.Line >= d.Line })
}

func nulls(n *yamldoc.Node) []core.Position {
	var out []core.Position
	for _, it := range n.Items {
		out = append(out, nulls(it)...)
	}
	for _, e := range n.Entries {
		out = append(out, nulls(e.Value)...)
	}
	if n.Kind == yamldoc.Null {
		out = append(out, n.Pos)
	}
	return out
}

// TestJSONSchemaStandsAlone compiles the schema of one kind as it is printed.
func TestJSONSchemaStandsAlone(t *testing.T) {
	k, _ := schema.Lookup("connector")
	data, err := json.Marshal(schema.JSONSchema(k))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///x", doc); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("mem:///x"); err != nil {
		t.Fatal(err)
	}
}

func TestJSONSchemasAgreeOnCorpus(t *testing.T) {
	if raced {
		t.Skip("nothing in it is concurrent")
	}
	list := entries(t)
	schemas := allOurs(t)
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		docs, _ := yamldoc.Parse(e.file, data)
		for _, doc := range docs {
			agrees(t, schemas, doc.Root, schema.Check(doc))
		}
	}
}
