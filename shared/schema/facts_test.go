package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/steps"
)

// TestFacts reads every declaration of the facts, so that no mistake in them
// waits for a document to find it.
func TestFacts(t *testing.T) {
	ix := load()
	used := map[string]bool{}
	for name := range ix.types {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v", name, r)
				}
			}()
			follow(named(name), used)
		}()
	}
	for _, k := range kinds {
		if ix.types[k.Type] == nil {
			t.Errorf("kind %s has no type %s", k.Name, k.Type)
		}
		used[k.Type] = true
	}
	for name := range ix.types {
		union, _, isCase := strings.Cut(name, " ")
		if !isCase && !used[name] {
			t.Errorf("nothing uses type %s", name)
		}
		if isCase && !used["of "+union] {
			t.Errorf("nothing uses the cases of %s", union)
		}
	}
	t.Logf("%d types", len(ix.types))
}

// follow reads everything below a type as it is declared; names are read, not
// followed.
func follow(t *typ, used map[string]bool) {
	switch t.shape {
	case shapeNamed:
		used[t.name] = true
		t.real()
	case shapeList, shapeDict, shapePartial:
		if t.elem != nil {
			follow(t.elem, used)
		}
	case shapeUnion:
		for _, a := range t.alts {
			follow(a, used)
		}
	case shapeText:
		if t.pattern != nil {
			t.pattern.match("")
		}
	case shapeBy:
		used["of "+t.choice.union] = true
		if t.choice.own != nil {
			for _, v := range t.choice.own.by {
				follow(v.t, used)
			}
		}
	case shapeObject:
		for _, f := range t.object.fields {
			follow(f.t, used)
			if f.t.shape == shapeBy && t.object.field(f.t.choice.disc) == nil {
				panic("no field " + f.t.choice.disc + " beside " + f.name)
			}
		}
		for _, r := range t.object.rules {
			for _, name := range append(slices.Clone(r.fields), r.disc) {
				if name != "" && t.object.field(name) == nil {
					panic("rule of the unknown field " + name)
				}
			}
		}
	default:
	}
}

// BenchmarkIndex is what the first check of a process pays for all facts; types
// are read when a document first uses them.
func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		readIndex()
	}
}

// unread are fields that only other tools write; nobody needs to be told of them.
var unread = []string{"gitDetails", "storeType", "accountId", "useFromStage", "isNestedGroup", "contextType", "type", "stageType", "privileged", "spec",
	"templateVariables", "templateOverrides", "label", "icon", "callbackId", "isAutoRejectEnabled", "release", "color"}

// TestDescriptions holds that the fields people write most are described.
func TestDescriptions(t *testing.T) {
	names := []string{"Pipeline", "Stage", "Step", "StepGroup", "Service", "Environment", "EnvironmentGroup", "InfrastructureDefinition",
		"InputSet", "OverlayInputSet", "Trigger", "Template", "TemplateLink", "Variable", "Application", "ApplicationSpec"}
	for _, s := range steps.All() {
		names = append(names, "Step "+s.Type)
	}
	for _, name := range names {
		for _, f := range named(name).object.fields {
			if f.doc == "" && load().words[f.name] == "" && !slices.Contains(unread, f.name) {
				t.Errorf("%s.%s has no description", name, f.name)
			}
		}
		if strings.HasPrefix(name, "Step ") && named(name).object.doc == "" {
			t.Errorf("%s has no description", name)
		}
	}
}
