package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// holdsRef reports whether a string in v has the reference of the test's secret.
func holdsRef(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "hidden")
	case []any:
		return slices.ContainsFunc(v, holdsRef)
	case *Map:
		for k, item := range v.All() {
			if holdsRef(k) || holdsRef(item) {
				return true
			}
		}
	}
	return false
}

// TestNoMethodMakesTextOfASecret calls every method and functor with a secret as
// the receiver, in the receiver, and as, or in, each argument.
func TestNoMethodMakesTextOfASecret(t *testing.T) {
	scope := names{"s": Secret{Ref: "hidden"}, "name": "x"}
	var calls []string
	receivers := map[string]map[string]method{
		`"a,b"`: stringMethods, `[1, "a"]`: listMethods, `[s, 1]`: listMethods, `{k: 1}`: mapMethods, `{k: s}`: mapMethods, "5": numberMethods,
	}
	arguments := []string{"", "s", "[s]", "{k: s}", `s, "a"`, `"a", s`, "0, s", `",", [s, 1]`, `"%s", s`, `"%s", [s]`, `"a", "b", s`, "0, 1", "0", `"k"`}
	for on, table := range receivers {
		for _, name := range slices.Concat(slices.Collect(maps.Keys(table)), slices.Collect(maps.Keys(anyMethods)), slices.Collect(maps.Keys(changes))) {
			for _, args := range arguments {
				calls = append(calls, fmt.Sprintf("%s.%s(%s)", on, name, args), fmt.Sprintf("s.%s(%s)", name, args),
					fmt.Sprintf("var v = %s; v.%s(%s)", on, name, args))
			}
		}
	}
	for name, functions := range functors {
		for _, f := range functions {
			for _, args := range arguments {
				if name+"."+f != "json.format" { // text for the delegate, as a splice is
					calls = append(calls, fmt.Sprintf("%s.%s(%s)", name, f, args))
				}
			}
		}
	}
	for _, o := range []string{"+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "=~", "!~", "=^", "!^", "=$", "!$", ".."} {
		for _, pair := range []string{`s %s "a"`, `"a" %s s`, `[s] %s "a"`, `"a" %s [s]`, `{k: s} %s ""`, `"" %s {k: s}`} {
			calls = append(calls, fmt.Sprintf(pair, o))
		}
	}
	calls = append(calls, "!s", "-s", "empty s", "size(s)", "{s: 1}", "{s}", "[1][s]", `name[s]`, "s ? 1 : 2", "if (s) 1", "while (s) 1", "for (c : s) c", "var v = \"\"; v += s; v")
	if len(calls) < 2000 {
		t.Fatalf("%d calls only", len(calls))
	}
	refused := 0
	for _, call := range calls {
		v, err := Eval(call, scope)
		if err != nil {
			refused++
		} else if holdsRef(v) {
			t.Errorf("%s = %v: text of a secret", call, Format(v))
		}
	}
	if refused < len(calls)/2 {
		t.Errorf("%d of %d refused", refused, len(calls))
	}
}

// Where a secret stays whole it may go: into text, through a choice, into a list.
func TestSecretsStayWhole(t *testing.T) {
	scope := names{"s": Secret{Ref: "hidden"}}
	for _, src := range []string{"s", "true ? s : 1", "null ?: s", "s ?? 1", "[s][0]", "{k: s}.k", "var v = s; v", "var l = []; l.add(s); l[0]", "if (true) { s }"} {
		v, err := Eval(src, scope)
		if v != (Secret{Ref: "hidden"}) || err != nil {
			t.Errorf("%s = %v, %v", src, v, err)
		}
	}
}
