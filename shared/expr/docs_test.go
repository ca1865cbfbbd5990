package expr

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const page = "../../docs/reference/expressions.md"

// TestPageNamesEverything holds that the page lists what there is, no more.
func TestPageNamesEverything(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for of, table := range map[string]map[string]method{"text": stringMethods, "lists": listMethods, "maps": mapMethods, "numbers": numberMethods} {
		_, row, _ := strings.Cut(text, "\n| "+of+" | ")
		row, _, _ = strings.Cut(row, "\n")
		listed := strings.FieldsFunc(row, func(r rune) bool { return !isNamePart(byte(min(r, 0x7f))) })
		for name := range table {
			if !slices.Contains(listed, name) {
				t.Errorf("the methods of %s: %s is missing", of, name)
			}
		}
		for _, name := range listed {
			if table[name] == nil && anyMethods[name] == nil && changes[name] == nil && !slices.Contains([]string{"of", "their", "entries", "or", "key", "value"}, name) {
				t.Errorf("the methods of %s: there is no %s", of, name)
			}
		}
	}
	for functor, functions := range functors {
		for _, f := range functions {
			if !strings.Contains(text, functor+"."+f) {
				t.Errorf("%s.%s is missing", functor, f)
			}
		}
	}
	for name := range unsupportedContexts {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the context %s is missing", name)
		}
	}
	for _, name := range contexts {
		if !strings.Contains(text, name) {
			t.Errorf("the context %s is missing", name)
		}
	}
	for _, o := range opText {
		if !strings.Contains(strings.ReplaceAll(text, `\|`, "|"), strings.TrimSpace(o)) {
			t.Errorf("the operator %s is missing", o)
		}
	}
}
