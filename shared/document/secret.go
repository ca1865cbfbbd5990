package document

import (
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// TakeValue cuts the value out of a document of a secret that holds one, so that the
// rest may be kept and shown. value is nil when the document holds none: a reference
// into another secret manager is none, nor is a document that was read back.
func TakeValue(text string) (rest string, value *string, err error) {
	docs, diags := yamldoc.Parse("", []byte(text))
	if diags.Blocks() || len(docs) != 1 {
		return text, nil, nil // told by Read
	}
	root := docs[0].Root
	spec := root.At("secret", "spec")
	v := spec.Entry("value")
	if t := root.At("secret", "type"); v == nil || !v.Value.Scalar() || t == nil || t.Text != "SecretText" && t.Text != "SecretFile" {
		return text, nil, nil
	}
	if kind := spec.Get("valueType"); kind != nil && kind.Text != "Inline" {
		return text, nil, nil
	}
	said := v.Value.Text
	if said == "" {
		return text, nil, nil
	}
	for _, cut := range []func(string, *yamldoc.Entry) (string, bool){blank, blankWord} {
		if rest, ok := cut(text, v); ok {
			return rest, &said, nil
		}
	}
	v.Value.Replace(&yamldoc.Node{})
	rest, err = root.Encode()
	return rest, &said, err
}

// blank empties an entry of a map in block style; ok is false when it stands in no
// lines of its own. Lines that belong to it are those that are indented deeper.
func blank(text string, e *yamldoc.Entry) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	first, column := e.Key.Pos.Line-1, e.Key.Pos.Column-1
	if first >= len(lines) || column > len(lines[first]) || strings.TrimSpace(lines[first][:column]) != "" {
		return text, false
	}
	last := first + 1
	for last < len(lines) {
		body := strings.TrimLeft(lines[last], " ")
		if strings.TrimSpace(body) != "" && len(lines[last])-len(body) <= column {
			break
		}
		last++
	}
	end := "\n"
	if !strings.HasSuffix(strings.Join(lines[first:last], ""), "\n") {
		end = ""
	}
	rest := strings.Join(lines[:first], "") + lines[first][:column] + "value:" + end + strings.Join(lines[last:], "")
	return rest, blanked(rest, e)
}

// scalar is a value on one line: quoted, or plain as it is in a map in flow style.
var scalar = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'\[\]{},#\n]+)`)

// blankWord empties an entry whose value is a word on one line, such as in a map in
// flow style.
func blankWord(text string, e *yamldoc.Entry) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	at, column := e.Value.Pos.Line-1, e.Value.Pos.Column-1
	if at >= len(lines) || column > len(lines[at]) {
		return text, false
	}
	line := lines[at]
	before := strings.TrimRight(line[:column], " ")
	if strings.HasSuffix(before, `":`) { // JSON, and is to stay it
		before += "null"
	}
	rest := strings.Join(lines[:at], "") + before + strings.TrimPrefix(line[column:], scalar.FindString(line[column:])) + strings.Join(lines[at+1:], "")
	return rest, blanked(rest, e)
}

// blanked reports whether a text is, whatever its author's style, the same document
// without an entry's value.
func blanked(rest string, e *yamldoc.Entry) bool {
	docs, diags := yamldoc.Parse("", []byte(rest))
	ok := !diags.Blocks() && len(docs) == 1 && docs[0].Root.At("secret", "spec", "value").Text == "" && docs[0].Root.At("secret", "spec").Entry("value") != nil
	return ok && !strings.Contains(rest, e.Value.Text)
}

// BuiltIn reports whether a reference is to the secret manager that is always there.
func BuiltIn(ref string) bool {
	_, id := core.Scope{}.Resolve(ref)
	return id == BuiltInSecretManager
}

// HasValue reports whether an entity is a secret whose value is kept by Slipway.
func HasValue(e core.Entity) bool {
	return e.Kind == core.EntitySecret && (e.Type == "SecretText" || e.Type == "SecretFile") && (e.Facts["valueType"] == "" || e.Facts["valueType"] == "Inline")
}
