package ng

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Harness's clients send overrides without what they are for, which stands beside the
// text. What is kept is a whole document: the text with a head of some lines. A fact
// says where the head is, so that the text can be given back as it was sent.

// said is a field of the head.
type said struct{ key, value string }

// headed puts into a text what it does not say of these fields. head is where, "" for
// nothing added.
func headed(text string, fields []said) (whole, head string, err error) {
	docs, diags := yamldoc.Parse("overrides.yaml", []byte(text))
	if diags.Blocks() {
		return "", "", httpio.Diagnosed(diags)
	}
	if len(docs) != 1 || docs[0].Root == nil || docs[0].Root.Kind != yamldoc.Map {
		return "", "", fault.New(fault.Invalid, "overrides are one YAML map: variables:, manifests:, configFiles:, …")
	}
	body, legacy := inside(docs[0].Root)
	if body.Kind != yamldoc.Map {
		return "", "", fault.New(fault.Invalid, "below overrides: stands no map")
	}
	var missing []said
	for _, f := range fields {
		have := body.Get(f.key)
		switch {
		case have != nil && f.value != "" && have.Text != f.value:
			return "", "", same(f.key, have.Text, f.value)
		case have == nil && f.value != "" && !(legacy && (f.key == "type" || f.key == "infraIdentifier")):
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return text, "", nil
	}
	if len(body.Entries) > 0 {
		if whole, head, ok := insert(text, body.Entries[0].Key.Pos, missing); ok {
			return whole, head, nil
		}
	}
	for _, f := range missing {
		body.Entries = append(body.Entries, yamldoc.Entry{Key: yamldoc.NewString(f.key, body.Pos), Value: yamldoc.NewString(f.value, body.Pos)})
	}
	whole, err = docs[0].Root.Encode()
	return whole, "", err
}

// inside is the node that the fields of overrides stand in; legacy for the older form.
func inside(root *yamldoc.Node) (body *yamldoc.Node, legacy bool) {
	if b := root.Get("overrides"); b != nil {
		return b, false
	}
	if b := root.Get("serviceOverrides"); b != nil {
		return b, true
	}
	return root, false
}

// insert puts lines before an entry, if that begins a line.
func insert(text string, at core.Position, fields []said) (whole, head string, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	n, indent := at.Line-1, at.Column-1
	if n >= len(lines) || indent > len(lines[n]) || strings.Trim(lines[n][:indent], " ") != "" {
		return "", "", false
	}
	var added []string
	for _, f := range fields {
		added = append(added, strings.Repeat(" ", indent)+f.key+": "+strconv.Quote(f.value)+"\n")
	}
	return strings.Join(slices.Insert(lines, n, added...), ""), fmt.Sprintf("%d+%d", n, len(added)), true
}

// headless is a text without its head.
func headless(text, head string) string {
	var n, count int
	if _, err := fmt.Sscanf(head, "%d+%d", &n, &count); err != nil {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	if n+count > len(lines) {
		return text
	}
	return strings.Join(slices.Delete(lines, n, n+count), "")
}
