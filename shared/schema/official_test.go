package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// anything stands for a regex that RE2 leaves out: it matches all text, so the
// official schema is taken to accept more than it does, never less.
type anything string

func (a anything) MatchString(string) bool { return true }
func (a anything) String() string          { return string(a) }

func lenient(s string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(s); err == nil {
		return re, nil
	}
	return anything(s), nil
}

// official compiles an official schema, which lies beside the checkout.
func official(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "shared", "schema", "v0", name))
	if err != nil {
		t.Skip("no official schema beside the checkout")
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	mend(doc, doc)
	flatten(doc.(map[string]any))
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseRegexpEngine(lenient)
	if err := c.AddResource("mem:///"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mend lets references to what is not there accept everything, and drops words
// that are put where the standard has others.
func mend(root, v any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && !leads(root, ref) {
			delete(v, "$ref")
		}
		if d, ok := v["$schema"].(string); ok && d != "" {
			delete(v, "$schema")
		}
		if _, ok := v["items"].(map[string]any); ok {
			if _, isList := v["required"].([]any); isList && v["type"] == "array" {
				delete(v, "required")
			}
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			if list, ok := v[word].([]any); ok && len(list) == 0 {
				delete(v, word)
			}
		}
		if list, ok := v["enum"].([]any); ok && len(list) == 0 {
			delete(v, "enum")
			v["not"] = map[string]any{}
		}
		for word, x := range v {
			if x == nil {
				delete(v, word)
			}
		}
		if props, ok := v["properties"].(map[string]any); ok {
			for name, p := range props {
				if _, ok := p.([]any); ok && name != "required" && name != "enum" {
					props[name] = true
				}
			}
		}
		for _, x := range v {
			mend(root, x)
		}
	case []any:
		for _, x := range v {
			mend(root, x)
		}
	}
}

// flatten moves what references lead to directly below definitions, where the
// compiler looks for schemas without a search.
func flatten(doc map[string]any) {
	flat := map[string]any{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := strings.ReplaceAll(strings.TrimPrefix(ref, "#/definitions/"), "/", ".")
				v["$ref"] = "#/definitions/" + name
				if _, done := flat[name]; !done {
					flat[name] = follow(doc, ref)
					walk(flat[name])
				}
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(doc["properties"])
	doc["definitions"] = flat
}

func follow(root any, ref string) any {
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		root = root.(map[string]any)[key]
	}
	return root
}

func leads(root any, ref string) bool {
	at := root
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = m[key]; !ok {
			return false
		}
	}
	return true
}

func accepts(s *jsonschema.Schema, v any) bool {
	data, _ := json.Marshal(v)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	return err == nil && s.Validate(doc) == nil
}

// disagreements are what the official schema accepts and we call wrong, with the
// reason why we are right.
var disagreements = []struct {
	code, message string // message is a regex
	reason        string
}{
	{schema.CodeMissingField, `^(the pipeline|pipeline .*) has no (name|identifier|stages)$`, "a pipeline without them cannot be saved or run; the schema leaves them out of what it requires"},
	{schema.CodeMissingField, `has none of (stage, parallel, insert|stage, step, stepGroup, parallel, insert)$`, "an item of stages that holds nothing is no stage"},
	{schema.CodeMissingField, `^item \d+ of \w+ariables of .* has no name$|variables of .* has no name$`, "a variable without a name cannot be read"},
	{schema.CodeWrongType, `^type of action of .* expected a string$`, "the schema does not say what the type of an action is"},
	{schema.CodeWrongType, `^(inputSetBranchName|pipelineBranchName) of trigger`, "the schema does not know the field"},
}

// TestOfficial changes officially valid documents in one place each; what the
// official schema still accepts must not be called wrong.
func TestOfficial(t *testing.T) {
	if raced {
		t.Skip("nothing in it is concurrent")
	}
	schemas := map[string]*jsonschema.Schema{"pipeline": official(t, "pipeline.json"), "trigger": official(t, "trigger.json")}
	for i, e := range entries(t) {
		s := schemas[e.kind]
		if e.valid != "yes" || s == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		docs, _ := yamldoc.Parse(e.file, data)
		if !accepts(s, docs[0].Root.Any()) {
			t.Errorf("%s is not accepted", e.file)
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 2))
		for range mutants {
			v := docs[0].Root.Any()
			what := mutate(r, v, "")
			if what == "" || !accepts(s, v) {
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			changed, _ := yamldoc.Parse(e.file, text)
			for _, d := range schema.Check(changed[0]).Diagnostics {
				if d.Severity == core.SeverityError && !known(d) {
					t.Errorf("%s: %s: %s", e.file, what, d.Message)
				}
			}
		}
	}
}

// mutants is how many of each document are tried; sixty of each have found nothing
// more.
const mutants = 2

func known(d core.Diagnostic) bool {
	for _, k := range disagreements {
		if d.Code == k.code && regexp.MustCompile(k.message).MatchString(d.Message) {
			return true
		}
	}
	return false
}

// mutate changes one value somewhere below v and says what it did.
func mutate(r *rand.Rand, v any, path string) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return ""
		}
		keys := slices.Sorted(maps.Keys(v))
		k := keys[r.IntN(len(keys))]
		if r.IntN(4) > 0 {
			switch v[k].(type) {
			case map[string]any, []any:
				return mutate(r, v[k], path+"/"+k)
			}
		}
		switch r.IntN(8) {
		case 0:
			delete(v, k)
			return "delete " + path + "/" + k
		case 1:
			v[k] = "some text"
		case 2:
			v[k] = 7
		case 3:
			v[k] = true
		case 4:
			v[k] = "<+input>"
		case 5:
			v[k] = []any{"a"}
		case 6:
			v[k] = map[string]any{"a": "b"}
		case 7:
			v[k] = ""
		}
		return fmt.Sprintf("set %s/%s to %v", path, k, v[k])
	case []any:
		if len(v) == 0 {
			return ""
		}
		return mutate(r, v[r.IntN(len(v))], path+"/-")
	}
	return ""
}
