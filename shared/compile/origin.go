package compile

import (
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
)

// maxOriginValue is how much of an input's value is noted with its origin, in runes.
const maxOriginValue = 200

// origins tells where the values of the runtime inputs are from.
func (c *compiler) origins() []core.Origin {
	var all []core.Origin
	for _, in := range c.open[:min(len(c.open), core.MaxOrigins)] {
		o := core.Origin{Path: in.path, By: string(in.by), Pos: in.node.Pos}
		if set, ok := c.sets[o.Pos.File]; ok && in.by == "" {
			o.By, o.Of = string(ByInputSet), set
		}
		if o.By == "" {
			o.By = string(ByInputSet)
		}
		if in.by == ByInput {
			o.Pos = in.pos
		}
		text := in.node.Text
		if !in.node.Scalar() {
			if body, err := json.Marshal(in.node.Any()); err == nil {
				text = string(body)
			}
		}
		if r := []rune(text); len(r) > maxOriginValue {
			text = string(r[:maxOriginValue]) + "…"
		}
		o.Value = text
		all = append(all, o)
	}
	return all
}
