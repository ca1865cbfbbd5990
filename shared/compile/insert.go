package compile

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

var insertRules = rules{"identifier": {}, "name": {}, "description": {}, "stages": {}, "steps": {}}

// injected are the items of a list of stages or steps with what was put in a
// template's injection points in the place of these (BEHAVIOUR §20.6).
func (c *compiler) injected(list *yamldoc.Node, key string) []*yamldoc.Node {
	var out []*yamldoc.Node
	for _, it := range list.Items {
		e := it.Entry("insert")
		if e == nil {
			out = append(out, it)
			continue
		}
		body := e.Value
		if body.Kind != yamldoc.Map {
			c.add(core.SeverityError, body, e.Key.Pos, CodeWrongType, "insert is "+body.Kind.String()+": expected a map", "write identifier: and "+key+": below insert:")
			continue
		}
		c.check(body, "the insert", insertRules)
		in := body.Get(key)
		switch {
		case in == nil || c.empty(in): // nothing was put in
		case in.Kind != yamldoc.List:
			c.wrong(in, key+" of the insert "+textAt(body, "identifier"), "a list")
		default:
			out = append(out, c.injected(in, key)...)
		}
	}
	return out
}
