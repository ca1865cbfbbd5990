package entity

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// listed are the puts that list the new version, or list it no more, and the directory
// after them.
func (w *transaction) listed(dir *directory) ([]core.Put, *edit, *directory, error) {
	e := &w.next
	ed := dir.edit(e.Scope, e.Kind, w.catalogue.directories.placesIn(e.Scope, e.Kind, dir))
	if e.Kind == core.EntityTemplate {
		if err := w.stable(dir, ed); err != nil {
			return nil, nil, nil, err
		}
	}
	if e.Deleted {
		ed.remove(e.Path())
	} else {
		ed.set(Row(*e))
	}
	puts, after := ed.done()
	return puts, ed, after, nil
}

// stable keeps one version of each template the stable one: the first, until another
// is made so (BEHAVIOUR §20.4).
func (w *transaction) stable(dir *directory, ed *edit) error {
	e := &w.next
	others, holder := 0, (*line)(nil)
	for _, l := range dir.identified([]string{e.Identifier}) {
		if l.path != e.Path() {
			others++
		}
		if l.Stable {
			holder = l
		}
	}
	here := holder != nil && holder.path == e.Path()
	switch {
	case e.Deleted && here && others > 0:
		return fault.New(fault.Invalid, "%s is the stable version: make another version stable first", e.EntityRef)
	case e.Deleted:
		return nil
	case holder == nil || here:
		e.Stable = true
	case e.Stable:
		last := holder.EntityRow
		last.Stable = false
		ed.set(last)
	}
	return nil
}
