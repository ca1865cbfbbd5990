package engine

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// warned puts a warning on the run and tells the bus, once for each code; a run
// that has ended may still be warned about.
func (w *walk) warned(e core.Warned) error {
	if slices.ContainsFunc(w.t.Warnings, func(o core.Warned) bool { return o.Code == e.Code }) {
		return errIgnored
	}
	e.At = w.ev.At
	w.t.Warnings = append(slices.Clone(w.t.Warnings), e)
	w.do(core.Command{Do: core.DoPublish, Topic: "run." + e.Code})
	return nil
}
