package steps

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSchema compares the catalogue with the official schema when it lies beside
// the checkout: every field of a spec is known, required where it is, and every
// step type is known.
func TestSchema(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "schema", "v0", "pipeline.json"))
	if err != nil {
		t.Skip("no schema beside the checkout")
	}
	var doc struct {
		Definitions struct {
			Pipeline struct {
				Steps struct {
					Custom map[string]struct {
						Required   []string
						Properties map[string]struct{ Enum []string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	custom := doc.Definitions.Pipeline.Steps.Custom
	for _, s := range All() {
		info, ok := custom[s.Type+"StepInfo"]
		if !ok {
			t.Errorf("the schema has no %sStepInfo", s.Type)
		}
		for name := range info.Properties {
			if !hasField(s.Fields, name) {
				t.Errorf("%s: field %s is missing in the catalogue", s.Type, name)
			}
		}
		for _, f := range s.Fields {
			if f.Required != slices.Contains(info.Required, f.Name) {
				t.Errorf("%s: required of %s is %v", s.Type, f.Name, f.Required)
			}
			if e := info.Properties[f.Name].Enum; len(e) > 0 && !slices.Equal(e, f.Enum) {
				t.Errorf("%s: the values of %s are %v, not %v", s.Type, f.Name, e, f.Enum)
			}
		}
	}
	for name, node := range custom {
		for _, typ := range node.Properties["type"].Enum {
			if len(name) > 8 && name[len(name)-8:] == "StepNode" && !Known(typ) {
				t.Errorf("step type %s is not known", typ)
			}
		}
	}
}
