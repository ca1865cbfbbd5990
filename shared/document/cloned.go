package document

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// homes are the kinds that others live in: they are not copied by themselves.
var homes = []core.EntityKind{core.EntityOrganization, core.EntityProject}

// Cloned is the text of an entity as it is for another scope, under another identifier
// and name when they are not empty. What the document does not say of its scope it does
// not say there either; all else stays as its author wrote it.
func Cloned(e core.Entity, to core.Scope, identifier, name string) (string, error) {
	k := find(e.Kind)
	switch {
	case k.made || slices.Contains(homes, e.Kind) || k.in == 0:
		return "", fault.New(fault.Unsupported, "not supported yet: cloning a %s; documents are cloned one by one, or backed up and restored", e.Kind)
	case k.in&of(to) == 0:
		return "", fault.New(fault.Invalid, "a %s cannot live in %s: %s", e.Kind, inWords(to), k.in.help())
	case identifier != "" && e.Kind == core.EntityOverrides:
		return "", fault.New(fault.Invalid, "overrides are called by what they are for: they get no other identifier")
	case identifier != "" && !ValidIdentifier(identifier):
		return "", fault.New(fault.Invalid, "%q cannot be an identifier: use letters, digits and _, not beginning with a digit, at most 128", identifier)
	}
	path, body, err := pathOf(e)
	if err != nil {
		return "", err
	}
	text := e.YAML
	for _, f := range []struct {
		key, value string
		always     bool // though it says nothing of it now
	}{{"identifier", identifier, true}, {"name", name, true}, {"orgIdentifier", to.Org, false}, {"projectIdentifier", to.Project, false}} {
		old := body.Get(f.key)
		switch {
		case old == nil && !f.always, f.value == "" && f.always, old.Scalar() && old.Text == f.value:
			continue
		case f.value == "":
			text, err = without(text, path, f.key)
		default:
			text, err = edited(text, path, f.key, f.value, word(f.value))
		}
		if err != nil {
			return "", err
		}
	}
	return text, nil
}

// pathOf is where the fields of an entity's document stand: below its first key, if it
// has one.
func pathOf(e core.Entity) ([]string, *yamldoc.Node, error) {
	docs, diags := yamldoc.Parse("", []byte(e.YAML))
	if diags.Blocks() || len(docs) != 1 {
		return nil, nil, fault.New(fault.Internal, "%s cannot be read: %s", e.EntityRef, diags)
	}
	_, body, first := recognise(docs[0].Root, e.Kind)
	if body == nil {
		return nil, nil, fault.New(fault.Internal, "%s cannot be read: it does not begin with %s", e.EntityRef, Root(e.Kind))
	}
	if first == "" {
		return nil, body, nil
	}
	return []string{first}, body, nil
}

// without takes a field out of the map at a path, with its line if that holds nothing
// else; else the document is written anew.
func without(text string, path []string, key string) (string, error) {
	body, err := bodyOf(text, path)
	if err != nil {
		return "", err
	}
	e := body.Entry(key)
	lines := strings.SplitAfter(text, "\n")
	if at := e.Key.Pos; at.Line <= len(lines) && e.Value.Pos.Line == at.Line {
		next := strings.Join(slices.Delete(lines, at.Line-1, at.Line), "")
		if b, err := bodyOf(next, path); err == nil && b.Get(key) == nil && same(b, body, key, "") {
			return next, nil
		}
	}
	body.Entries = slices.DeleteFunc(body.Entries, func(e yamldoc.Entry) bool { return e.Key.Text == key })
	for body.Parent() != nil {
		body = body.Parent()
	}
	return body.Encode()
}
