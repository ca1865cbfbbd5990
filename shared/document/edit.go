package document

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// With gives a field of a document of a kind another value, a plain word, and leaves the
// rest as its author wrote it, unless it stands so that it has to be written anew.
func With(text string, kind core.EntityKind, key, value string) (string, error) {
	return edited(text, []string{Root(kind)}, key, value, value)
}

// Moved is a document as it is kept in another scope: what it says of its scope, and the
// fields below a path from its first key on, say the new.
func Moved(text string, to core.Scope, below []string, fields map[string]string) (string, error) {
	docs, diags := yamldoc.Parse("", []byte(text))
	if diags.Blocks() || len(docs) != 1 || len(docs[0].Root.Entries) == 0 {
		return "", fault.New(fault.Internal, "the document cannot be read: %s", diags)
	}
	first := docs[0].Root.Entries[0]
	path := append([]string{first.Key.Text}, below...)
	var err error
	for _, f := range []struct{ key, value string }{{"orgIdentifier", to.Org}, {"projectIdentifier", to.Project}} {
		if f.value == "" || first.Value.Get(f.key) == nil {
			continue // where it is sent to says it
		}
		if text, err = edited(text, path[:1], f.key, f.value, word(f.value)); err != nil {
			return "", err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if text, err = edited(text, path, key, fields[key], word(fields[key])); err != nil {
			return "", err
		}
	}
	return text, nil
}

// edited gives a field of the map at a path another value, which is written as word.
func edited(text string, path []string, key, value, word string) (string, error) {
	root, err := bodyOf(text, path)
	if err != nil {
		return "", err
	}
	if next := rewritten(text, root, key, word); next != "" {
		if b, err := bodyOf(next, path); err == nil && same(b, root, key, value) {
			return next, nil
		}
	}
	with := yamldoc.NewPlain(value, root.Pos)
	if word != value {
		with = yamldoc.NewString(value, root.Pos)
	}
	if e := root.Entry(key); e != nil {
		e.Value.Replace(with)
	} else {
		root.Set(key, with)
	}
	for root.Parent() != nil {
		root = root.Parent()
	}
	return root.Encode()
}

// bodyOf is the map at a path of a document.
func bodyOf(text string, path []string) (*yamldoc.Node, error) {
	docs, diags := yamldoc.Parse("", []byte(text))
	if diags.Blocks() || len(docs) != 1 {
		return nil, fault.New(fault.Internal, "the document cannot be read: %s", diags)
	}
	body := docs[0].Root.At(path...)
	if body == nil || body.Kind != yamldoc.Map {
		return nil, fault.New(fault.Internal, "the document has no %s", strings.Join(path, "."))
	}
	return body, nil
}

// wordForm is a text that can be written without quotes, unless it means something else.
var wordForm = regexp.MustCompile(`^[A-Za-z_][\w.-]*( [\w.-]+)*$`)

var otherwise = []string{"true", "false", "null", "yes", "no", "on", "off"}

// word writes a text for YAML.
func word(text string) string {
	if !wordForm.MatchString(text) || slices.Contains(otherwise, strings.ToLower(text)) {
		return strconv.Quote(text)
	}
	return text
}

// quotedAs is a scalar in quotes, on one line.
var quotedAs = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)

// rewritten changes the one line of a document in which a field stands, or puts one
// before the first field; "" where that is not possible.
func rewritten(text string, body *yamldoc.Node, key, value string) string {
	lines := strings.SplitAfter(text, "\n")
	e := body.Entry(key)
	if e == nil {
		if len(body.Entries) == 0 {
			return ""
		}
		at := body.Entries[0].Key.Pos
		indent := strings.Repeat(" ", at.Column-1)
		if at.Line > len(lines) || !strings.HasPrefix(lines[at.Line-1], indent) || strings.TrimSpace(lines[at.Line-1][:at.Column-1]) != "" {
			return ""
		}
		lines[at.Line-1] = indent + key + ": " + value + "\n" + lines[at.Line-1]
		return strings.Join(lines, "")
	}
	at := e.Value.Pos
	if !e.Value.Scalar() || at.Line > len(lines) || at.Column > len(lines[at.Line-1]) {
		return ""
	}
	line := lines[at.Line-1]
	was := e.Value.Text
	if e.Value.Quoted {
		was = quotedAs.FindString(line[at.Column-1:])
	}
	rest, ok := strings.CutPrefix(line[at.Column-1:], was)
	if !ok || was == "" {
		return ""
	}
	lines[at.Line-1] = line[:at.Column-1] + value + rest
	return strings.Join(lines, "")
}

// same reports whether a body is another one but for a field, which has the value.
func same(b, was *yamldoc.Node, key, value string) bool {
	if v := b.Get(key); v == nil && value != "" || v != nil && (!v.Scalar() || v.Text != value) {
		return false
	}
	without := func(n *yamldoc.Node) (string, error) {
		c := yamldoc.NewMap(n.Pos)
		for _, e := range n.Entries {
			if e.Key.Text != key {
				c.Put(e.Key, e.Value.Clone())
			}
		}
		return c.Encode()
	}
	x, err := without(b)
	y, err2 := without(was)
	return err == nil && err2 == nil && x == y
}
