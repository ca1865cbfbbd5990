package yamldoc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func parseOne(t *testing.T, text string) *Node {
	t.Helper()
	docs, diags := Parse("t.yaml", []byte(text))
	if len(diags) > 0 || len(docs) != 1 {
		t.Fatalf("%d documents, diagnostics: %s", len(docs), diags)
	}
	return docs[0].Root
}

func TestValues(t *testing.T) {
	tests := map[string]struct {
		text string
		want any
	}{
		"input marker":     {"value: <+input>", map[string]any{"value": "<+input>"}},
		"braces in plain":  {"script: echo {$x}", map[string]any{"script": "echo {$x}"}},
		"ternary":          {`s: echo <+ <+a> == "1.1"?"p":"f" >`, map[string]any{"s": `echo <+ <+a> == "1.1"?"p":"f" >`}},
		"empty map":        {"tags: {}", map[string]any{"tags": map[string]any{}}},
		"empty list":       {"l: []", map[string]any{"l": []any{}}},
		"no value":         {"a:\nb: ~", map[string]any{"a": nil, "b": nil}},
		"quoted number":    {`v: "1.1"`, map[string]any{"v": "1.1"}},
		"number":           {"v: 1.10", map[string]any{"v": 1.1}},
		"hex":              {"v: 0x1F", map[string]any{"v": 31.0}},
		"infinity is text": {"v: .inf", map[string]any{"v": ".inf"}},
		"boolean":          {"v: true", map[string]any{"v": true}},
		"yes is text":      {"v: yes", map[string]any{"v": "yes"}},
		"date is text":     {"v: 2020-01-01", map[string]any{"v": "2020-01-01"}},
		"tagged string":    {"v: !!str 12", map[string]any{"v": "12"}},
		"literal":          {"v: |\n  a {\n  b\n", map[string]any{"v": "a {\nb\n"}},
		"folded":           {"v: >-\n  a\n  b\n", map[string]any{"v": "a b"}},
		"number key":       {"1: x", map[string]any{"1": "x"}},
		"alias":            {"a: &x {p: 1}\nb: *x", map[string]any{"a": map[string]any{"p": 1.0}, "b": map[string]any{"p": 1.0}}},
		"merge": {"a: &x {p: 1, q: 1}\nb:\n  <<: *x\n  q: 2",
			map[string]any{"a": map[string]any{"p": 1.0, "q": 1.0}, "b": map[string]any{"p": 1.0, "q": 2.0}}},
		"merge list": {"a: &x {p: 1}\nc: &y {p: 2, r: 3}\nb: {<<: [*x, *y]}", map[string]any{
			"a": map[string]any{"p": 1.0}, "c": map[string]any{"p": 2.0, "r": 3.0}, "b": map[string]any{"p": 1.0, "r": 3.0}}},
		"byte order mark": {"\ufeffa: 1", map[string]any{"a": 1.0}},
		"line ends":       {"a:\r\n  - b\r\n", map[string]any{"a": []any{"b"}}},
		"scalar document": {"hello", "hello"},
		"nothing":         {"# only a comment\n", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseOne(t, tc.text).Any()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLiteralTextIsKept(t *testing.T) {
	root := parseOne(t, "a: 1.10\nb: 0x1F\nc: True")
	for key, want := range map[string]string{"a": "1.10", "b": "0x1F", "c": "True"} {
		if got := root.Get(key).Text; got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

func TestPositions(t *testing.T) {
	root := parseOne(t, "ü: \"ä <+x>\"\nlist:\n  - k: v\n    s: |\n      one\n      two <+y>\n  - [1, {x: é <+z>}]\nempty:\n")
	item := root.Get("list").Items[0]
	tests := map[string]struct {
		got  fmt.Stringer
		want string
	}{
		"root":             {root.Pos, "t.yaml:1:1"},
		"quoted value":     {root.Get("ü").Pos, "t.yaml:1:4"},
		"inside quotes":    {root.Get("ü").PosAt(2), "t.yaml:1:7"},
		"map in a list":    {item.Pos, "t.yaml:3:5"},
		"value":            {item.Get("k").Pos, "t.yaml:3:8"},
		"block scalar":     {item.Get("s").Pos, "t.yaml:4:8"},
		"inside a block":   {item.Get("s").PosAt(8), "t.yaml:6:11"},
		"flow value":       {root.Get("list").Items[1].Items[1].Get("x").Pos, "t.yaml:7:13"},
		"inside plain":     {root.Get("list").Items[1].Items[1].Get("x").PosAt(2), "t.yaml:7:15"},
		"empty is its key": {root.Get("empty").Pos, "t.yaml:8:1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.got.String(); got != tc.want {
				t.Errorf("at %s, want %s", got, tc.want)
			}
		})
	}
	if got := root.Get("list").Items[1].Items[1].Get("x").Pointer(); got != "/list/1/1/x" {
		t.Errorf("pointer %s", got)
	}
}

func TestPointerEscapes(t *testing.T) {
	if got := parseOne(t, "a/b~c: {d: 1}").At("a/b~c", "d").Pointer(); got != "/a~1b~0c/d" {
		t.Errorf("pointer %s", got)
	}
}

func TestStream(t *testing.T) {
	docs, diags := Parse("t.yaml", []byte("# head\n---\na: 1\n---\nb: [\n---\nc: |\n  x\n...\n---\n"))
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprint(d.Index, d.Root.Pos, d.Root.Any()))
	}
	want := []string{"0 t.yaml:3:1 map[a:1]", "2 t.yaml:7:1 map[c:x\n]", "3 t.yaml:10:1 <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(diags) != 1 || diags[0].Line < 5 || diags[0].Line > 6 {
		t.Errorf("diagnostics: %s", diags)
	}
}

func TestErrors(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := map[string]struct{ text, want string }{
		"tab":                  {"a: 1\n\tb: 2\n", "t.yaml:2:1: error: a tab stands where YAML needs spaces (indent with spaces)"},
		"two colons":           {"a: b: c", "t.yaml:1:4: error: a second `key:` on the same line"},
		"open quote":           {"x: 1\na: \"abc\n", "t.yaml:2:4: error: a string opened with \" is not closed"},
		"open bracket":         {"a: [1\nb: 2", "is not closed"},
		"duplicate":            {"a: 1\nb: 1\na: 2", "t.yaml:3:1: error: key \"a\" is already set on line 1"},
		"unknown alias":        {"a: *nope", "t.yaml:1:4: error: alias *nope has no anchor"},
		"alias in itself":      {"a: &x [*x]", "t.yaml:1:8: error: alias *x stands inside its own anchor"},
		"map as key":           {"{a: 1}: x", "a key must be a plain word"},
		"merge of scalar":      {"a: &x 1\nb: {<<: *x}", "t.yaml:2:5: error: << must name a map, not a number"},
		"not UTF-8":            {"a: \xff", "t.yaml:1:4: error: the text is not valid UTF-8"},
		"control":              {"a: \x01", "t.yaml:1:4: error: control character 0x01"},
		"deep flow":            {"a: " + deep(100), "t.yaml:1:103: error: maps and lists are nested more than 100 deep"},
		"deep block":           {strings.Repeat("- ", 101) + "x", "nested more than 100 deep"},
		"big scalar":           {"a: x\nb: " + strings.Repeat("x", MaxScalar+1), "t.yaml:2:4: error: a value is larger than 256 KB"},
		"big document":         {strings.Repeat("a: x # padding\n", MaxDocument/15+1), "the document is larger than 3 MB"},
		"many aliases":         {"a: &x 1\nb: [" + strings.Repeat("*x, ", 1001) + "]", "more than 1000 aliases"},
		"alias bomb":           {bomb(8), "aliases repeat more than 50000 values"},
		"many empty lines":     {"a: |\n  x\n" + strings.Repeat("\n", 1001), "more than 1000 empty lines"},
		"many keys":            {manyKeys(MaxKeys + 1), "t.yaml:1002:3: error: more than 1000 keys in one map"},
		"empty lines over all": {"a: |\n" + strings.Repeat(strings.Repeat("\n", 100)+" x\n", 29_000), "too many empty lines"},
		"many empty values":    {strings.Repeat("- a:\n", MaxEmpty+1), "more than 2000 keys or list items without a value"},
		"many documents":       {strings.Repeat("---\na\n", MaxDocuments+1), "more than 1000 documents"},
		"many values":          {"a: [" + strings.Repeat("x,", MaxNodes+1) + "]", "more than 300000 values"},
		"many tags":            {"a: " + strings.Repeat("!x ", 5000) + "y", "error"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := Parse("t.yaml", []byte(tc.text))
			if len(diags) == 0 || !strings.Contains(diags.String(), tc.want) {
				t.Errorf("diagnostics: %s\nwant: %s", diags, tc.want)
			}
		})
	}
}

// TestBounds holds what is just within a bound to be accepted.
func TestBounds(t *testing.T) {
	tests := map[string]string{
		"scalar":        "a: " + strings.Repeat("x", MaxScalar),
		"depth":         strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		"block depth":   strings.Repeat("- ", MaxDepth) + "x",
		"keys":          manyKeys(MaxKeys),
		"aliases":       "a: &x 1\nb: [" + strings.Repeat("*x, ", MaxAliases) + "]",
		"empty lines":   "a: |\n  x\n" + strings.Repeat("\n", MaxEmptyLines-1),
		"comment":       "a: b # " + strings.Repeat("x", 2*MaxScalar) + "\n# " + strings.Repeat("y", 2*MaxScalar),
		"stars in text": "a: |\n" + strings.Repeat("  - *x, [*y\n", 2*MaxAliases) + "b: \"" + strings.Repeat("[{*x,", 2*MaxAliases) + "\"",
		"text of lists": "a: \"" + strings.Repeat("- - - [ {\n", 2*MaxDepth) + "\"",
		"apostrophes":   "a: [it's, b's]\nb: {c: d's}\nc: it's\n  \"d\nd: 'e''f'",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			if _, diags := Parse("t.yaml", []byte(text)); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteString("m:\n")
	for i := range n {
		fmt.Fprintf(&b, "  k%d: [x: y]\n", i)
	}
	return b.String()
}

// bomb is the billion laughs, n levels of nine.
func bomb(n int) string {
	s := "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < n; i++ {
		s += fmt.Sprintf("l%d: &l%d [%s*l%d]\n", i, i, strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 8), i-1)
	}
	return s
}

func TestReplaceKeepsThePointer(t *testing.T) {
	root := parseOne(t, "a: [{b: <+input>}]")
	root.Get("a").Items[0].Get("b").Replace(NewPlain("5", root.Pos))
	if diff := cmp.Diff(map[string]any{"a": []any{map[string]any{"b": 5.0}}}, root.Any()); diff != "" {
		t.Error(diff)
	}
	if got := root.Get("a").Items[0].Get("b").Pointer(); got != "/a/0/b" {
		t.Errorf("pointer %s", got)
	}
}

func TestCorpusParses(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*/*.yaml")
	if len(files) == 0 {
		t.Skip("no corpus beside the checkout")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if docs, diags := Parse(filepath.Base(f), data); diags.Blocks() || len(docs) == 0 {
			t.Logf("%s", diags)
		}
	}
}

// slow is far above what any input within the bounds needs, race detector included.
const slow = 20 * time.Second

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a: <+input>", "a: [1, {b: c}]", "- &a x\n- *a", "a: |\n  x\n\n  y", "? a\n: b", "{", "\"", "--- a\n...\n%", "<<: {}", "a: &a\n  <<: *a",
		strings.Repeat("- ", 50), "a:\n\tb", "!!str &x ? - :", bomb(3), "a: \"\\u00e4\\\n b\"", "\ufeff", "x: >2\n    a\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		docs, diags := Parse("f", data)
		if d := time.Since(start); d > slow {
			t.Errorf("took %v for %d bytes", d, len(data))
		}
		for _, d := range diags {
			if d.Line < 1 || d.Column < 1 || d.Message == "" {
				t.Errorf("diagnostic without a place: %+v", d)
			}
		}
		for _, d := range docs {
			d.Root.Any()
			walk(d.Root, func(n *Node) {
				if n.Pos.Line < 1 || n.Pos.Column < 1 {
					t.Errorf("node %s without a position", n.Pointer())
				}
				n.PosAt(len(n.Text) / 2)
			})
		}
	})
}

func walk(n *Node, f func(*Node)) {
	f(n)
	for _, it := range n.Items {
		walk(it, f)
	}
	for _, e := range n.Entries {
		walk(e.Value, f)
	}
}
