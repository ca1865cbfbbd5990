package yamldoc

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flat is a tree as lines: all there is to each of its nodes.
func flat(n *Node, out []string) []string {
	pos := n.Pos
	line := n.src.line(pos.Line)
	if blanks := len(line) - len(strings.TrimRight(line, " ")); blanks > 0 && n.Text != "" && pos.Column > blanks && strings.HasPrefix(line[pos.Column-1-blanks:], n.Text) {
		pos.Column -= blanks // the library counts blanks at the end of a line twice
	}
	out = append(out, fmt.Sprintf("%s %s %q %v %v %s", n.Pointer(), n.Kind, n.Text, n.Quoted, n.value, pos))
	for _, it := range n.Items {
		out = flat(it, out)
	}
	for _, e := range n.Entries {
		out = flat(e.Value, flat(e.Key, out))
	}
	return out
}

// same holds what the reader makes of a document to what the library does, and reports
// whether the reader took it.
func same(t testing.TB, name string, data []byte) (taken bool) {
	t.Helper()
	src := newSource("f.yaml", data)
	for _, c := range split(data) {
		if c.scan("f.yaml") != nil || c.measure("f.yaml") != nil {
			continue
		}
		got, ok := readPlain(src, c)
		if !ok {
			continue
		}
		taken = true
		want, diags := parseAny(src, c)
		if want == nil || len(diags) > 0 {
			t.Errorf("%s: the library refuses what the reader takes: %s", name, diags)
			continue
		}
		was, is := flat(want, nil), flat(got, nil)
		for i := range min(len(was), len(is)) {
			if was[i] != is[i] {
				t.Errorf("%s:\n%s\nthe library has %s", name, is[i], was[i])
				break
			}
		}
		if len(was) != len(is) {
			t.Errorf("%s: %d values, the library has %d", name, len(is), len(was))
		}
	}
	return taken
}

func TestPlain(t *testing.T) {
	tests := map[string]struct {
		doc   string
		taken bool
	}{
		"maps and lists":          {"a:\n  b: c\n  d:\n  - e\n  - f: g\n    h: i\n  j:\n    - k\n", true},
		"words":                   {"a: true\nb: False\nc: null\nd: ~\ne: yes\nf: no\ng: on\nh: Null\ni: .inf\nj: y\n", true},
		"numbers":                 {"a: 1\nb: 1.10\nc: 0x1f\nd: 1e3\ne: -5\nf: +7\ng: 0o17\nh: 017\ni: 1_000\nj: 2024-01-01\nk: 1.2.3\nl: 12h\nm: -x\nn: 99999999999999999999\n", true},
		"texts":                   {"a: |\n  one\n    two\n\n  three\n\nb: |-\n  x\nc: 1\n", true},
		"a text in a list":        {"- |\n  a\n  b\n- |-\n    c\n- d: |\n    e\n  f: g\n", true},
		"a text at the end":       {"a: |\n  one\n", true},
		"blanks behind a text":    {"a: |\n  one\n\n\n", true},
		"quotes":                  {"a: \"x # y\" # z\nb: 'it: is'\nc: \"\"\nd: '5'\n", true},
		"comments":                {"# one\na: b # two\n  # three\nc: # four\n  d: e#f\n# five\n", true},
		"nothing":                 {"a:\nb:\n  c:\nd: []\ne: {} # none\n", true},
		"expressions":             {"a: <+input>\nb: <+x.y>.default(a)\nc: https://a.b/c?d=e\nd: a b  c\ne: (x)\n", true},
		"a separator":             {"---\na: b\n", true},
		"a list at the root":      {"- a: b\n- c\n", true},
		"indented":                {"  a: b\n  c: d\n", true},
		"letters":                 {"a: größe – 5\nb: \"ü\" # é\n", true},
		"an escape":               {"a: \"x\\ny\"\n", false},
		"a doubled quote":         {"a: 'it''s'\n", false},
		"a value that goes on":    {"a: b\n  c\n", false},
		"brackets":                {"a: [b, c]\nd: {e: f, g: <+h>, i: 'j', k: [1, {l: true}], m: \"n, o\"} # p\n- q\n", false},
		"in brackets":             {"a: [b, c d, 1.10, <+e>, 'f, g', []]\nd: {e: f, g: <+h.i()>, j: [1, {l: true}], m: \"n, o\", p: {}} # p\nq: [ r , s ]\n", true},
		"a list of maps":          {"- {a: b, c: d}\n- {a: e}\n- [f]\n", true},
		"nothing in brackets":     {"a: {b: , c: d}\n", false},
		"a comma at the end":      {"a: [b, ]\n", false},
		"brackets over lines":     {"a: [b,\n  c]\n", false},
		"a pair in a list":        {"a: [b: c]\n", false},
		"a key alone":             {"a: {b}\n", false},
		"brackets not closed":     {"a: {b: c\n", false},
		"closed by another":       {"a: [b}\n", false},
		"an address in brackets":  {"a: [http://b.c]\n", false},
		"an anchor in brackets":   {"a: [&b c]\n", false},
		"a key in brackets twice": {"a: {b: c, b: d}\n", false},
		"text behind brackets":    {"a: [b] c\n", false},
		"an anchor":               {"a: &x b\nc: *x\n", false},
		"a tag":                   {"a: !!str 5\n", false},
		"a merge":                 {"<<: {a: b}\n", false},
		"a folded text":           {"a: >\n  b\n", false},
		"a key twice":             {"a: b\na: c\n", false},
		"wrong indentation":       {"a:\n    b: c\n  d: e\n", false},
		"two keys on a line":      {"a: b: c\n", false},
		"no line end":             {"a: b", false},
		"a tab":                   {"a:\tb\n", false},
		"an empty item":           {"-\n- a\n", false},
		"a list in a list":        {"- - a\n", false},
		"blanks in a text":        {"a: |\n  b\n   \n  c\n", false},
		"a text of nothing":       {"a: |\nb: c\n", true},
		"a list item as a value":  {"a: - b\n", false},
		"a separator as a value":  {"a: --- b\n", false},
		"a merge as a value":      {"a: <<\n", false},
		"texts of nothing":        {"- |\n- |-\n- a: |\n- |\n", true},
		"a key in quotes":         {"\"a\": b\n", false},
		"a list below a value":    {"a: b\n- c\n", false},
		"a scalar":                {"a\n", false},
		"a list then a key":       {"- a\nb: c\n", false},
		"a map behind a list":     {"a:\n- b\n  c: d\n", false},
		"deeper without a key":    {"a:\n  - b\n    - c\n", false},
		"a comment in between":    {"a: b\n# x\n  c: d\n", false},
		"text not far enough":     {"a:\n  b: |\n  c\n", false},
		"a question":              {"? a\n: b\n", false},
		"a colon at the end":      {"a: b:\n", false},
		"a comment as a value":    {"a: #b\nc: d\n", true},
		"no blank behind quote":   {"a: 'b'#c\n", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if taken := same(t, name, []byte(tc.doc)); taken != tc.taken {
				t.Errorf("taken: %v", taken)
			}
		})
	}
}

// TestPlainCorpus holds the reader to the library on real documents, whole and cut
// short in many places. Most are of the usual form.
func TestPlainCorpus(t *testing.T) {
	all, taken := 0, 0
	for _, root := range []string{"../../../shared/corpus", "../../examples"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all++
			if same(t, path, data) {
				taken++
			}
			lines := strings.SplitAfter(string(data), "\n")
			for i := 0; i < len(lines); i += 1 + len(lines)/8 {
				same(t, path, []byte(strings.Join(lines[:i], "")+strings.Join(lines[min(i+1, len(lines)):], "")))
				same(t, path, []byte(strings.Join(lines[i:], "")))
			}
			return nil
		})
	}
	t.Logf("%d of %d are of the usual form", taken, all)
}

func FuzzPlain(f *testing.F) {
	for _, doc := range []string{"a:\n  b: c\n  d:\n  - e\n", "a: |\n  one\n\n  two\nb: 1.10\n", "- a: 'x' # y\n  b: []\n- c\n", "a: <+b>\n# c\nd: \"e\"\n"} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) { same(t, "fuzzed", data) })
}
