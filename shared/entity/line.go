package entity

import (
	"cmp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// line is a row of a directory with what it is ordered and found by, worked out once.
// It is never changed.
type line struct {
	core.EntityRow
	path string
	name string // in small letters
	text string // all that a search looks at, in small letters
}

func newLine(r core.EntityRow) *line {
	var b strings.Builder
	b.WriteString(strings.ToLower(r.Name))
	name := b.Len()
	add := func(s string) {
		b.WriteByte(0) // is in no name, so nothing is found across two of them
		b.WriteString(strings.ToLower(s))
	}
	add(r.Identifier)
	for k, v := range r.Tags {
		add(k)
		add(v)
	}
	return &line{EntityRow: r, path: r.Path(), name: b.String()[:name], text: b.String()}
}

// Order is what a list is ordered by; what is equal in that, by path.
type Order string

// Orders of lists.
const (
	ByPath       Order = "" // parent, identifier and label
	ByName       Order = "name"
	ByIdentifier Order = "identifier"
	ByCreated    Order = "created"
	ByUpdated    Order = "updated"
)

// compare is the order as a total one: no two lines of a directory are equal.
func (o Order) compare(a, b *line) int {
	n := 0
	switch o {
	case ByName:
		n = cmp.Compare(a.name, b.name)
	case ByIdentifier:
		n = cmp.Compare(a.Identifier, b.Identifier)
	case ByCreated:
		n = cmp.Compare(a.Created, b.Created)
	case ByUpdated:
		n = cmp.Compare(a.Updated, b.Updated)
	case ByPath: // below
	}
	if n != 0 {
		return n
	}
	return cmp.Compare(a.path, b.path)
}
