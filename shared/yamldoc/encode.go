package yamldoc

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// literal is a scalar that is written as it stands: the author's 1.10 stays 1.10.
type literal string

// MarshalYAML returns the text.
func (l literal) MarshalYAML() ([]byte, error) { return []byte(l), nil }

// Encode writes a node and all below it as YAML in block style, in the author's order.
// Comments and styles are not kept.
func (n *Node) Encode() (string, error) {
	b, err := yaml.MarshalWithOptions(n.plain(), yaml.Indent(2), yaml.UseLiteralStyleIfMultiline(true))
	return string(b), err
}

func (n *Node) plain() any {
	switch n.Kind {
	case Null:
		return nil
	case Bool, Number:
		return literal(n.Text)
	case List:
		out := make([]any, len(n.Items))
		for i, it := range n.Items {
			out[i] = it.plain()
		}
		return out
	case Map:
		out := yaml.MapSlice{}
		for _, e := range n.Entries {
			out = append(out, yaml.MapItem{Key: e.Key.Text, Value: e.Value.plain()})
		}
		return out
	default:
		return text(n.Text)
	}
}

// simple are strings that no parser takes for anything else as they stand.
var simple = regexp.MustCompile(`^[a-zA-Z_/][-a-zA-Z0-9_./]*$`)

// text leaves to the library what it writes well; the rest is quoted as JSON, which is
// YAML too.
func text(s string) any {
	lines := strings.Contains(s, "\n") && !strings.ContainsAny(s, "\t\r") && !strings.Contains(s, " \n") && !strings.HasPrefix(s, " ") && !strings.HasPrefix(s, "\n")
	if lines || simple.MatchString(s) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string is always written
	return literal(strings.TrimSpace(b.String()))
}
