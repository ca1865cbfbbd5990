package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

// circles refuses templates that refer to themselves by way of others: each would have to
// be kept before the other.
func circles(docs []written) {
	at := map[core.EntityRef]int{}
	for i, w := range docs {
		if w.entity != nil && w.entity.Kind == core.EntityTemplate {
			at[w.entity.EntityRef] = i
		}
	}
	for i := range docs {
		if w := &docs[i]; w.entity != nil && w.entity.Kind == core.EntityTemplate {
			if path := wayBack(docs, at, w.entity.EntityRef, nil, map[core.EntityRef]bool{}); len(path) > 0 {
				w.refuseCircle(path)
			}
		}
	}
}

// wayBack is the way from the end of a path of templates to its beginning, nil for none. It
// goes through none that has been seen.
func wayBack(docs []written, at map[core.EntityRef]int, from core.EntityRef, path []core.EntityRef, seen map[core.EntityRef]bool) []core.EntityRef {
	seen[from] = true
	path = append(slices.Clone(path), from)
	for _, used := range docs[at[from]].entity.Uses {
		if used == path[0] {
			return append(path, used)
		}
		if _, here := at[used]; !here || seen[used] {
			continue
		}
		if way := wayBack(docs, at, used, path, seen); way != nil {
			return way
		}
	}
	return nil
}

func (w *written) refuseCircle(path []core.EntityRef) {
	var names []string
	for _, r := range path {
		names = append(names, r.String())
	}
	where := document.Where(*w.entity, w.file, path[1])
	w.diags = append(w.diags, core.Diagnostic{Severity: core.SeverityError, Code: "circle", File: w.file, Line: where.Line + w.above, Column: where.Column,
		Message: "templates refer to each other in a circle: " + strings.Join(names, " → "), Help: fmt.Sprintf("take %s out of one of them", path[1])})
	w.refused = true
}
