package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/target"
)

// connectors is the context "connector": <+connector.get("account.hub").spec.url>
// (BEHAVIOUR §13.6).
type connectors struct{ s *scope }

// Get implements expr.Object.
func (*connectors) Get(string) (any, bool, error) { return nil, false, nil }

// Call implements expr.Caller.
func (f *connectors) Call(method string, args []any) (any, error) {
	if method != "get" || len(args) != 1 {
		return nil, expr.ErrNoMethod
	}
	c, err := f.s.connector(expr.Format(args[0]), "")
	if err != nil {
		return nil, err
	}
	return f.s.described(c), nil
}

// connector finds a connector of the plan. of is the reference of the document that
// names it, from whose scope it is looked for.
func (s *scope) connector(ref, of string) (*core.Connector, error) {
	as := ref
	for _, prefix := range []string{"account.", "org."} {
		if strings.HasPrefix(of, prefix) && !strings.HasPrefix(ref, "account.") && !strings.HasPrefix(ref, "org.") {
			as = prefix + ref
		}
	}
	list := s.w.run.Plan.Connectors
	i := slices.IndexFunc(list, func(c core.Connector) bool { return c.Ref == as })
	if i < 0 {
		i = slices.IndexFunc(list, func(c core.Connector) bool { return c.Anywhere && c.Identifier == target.Identifier(as) })
	}
	if i < 0 {
		return nil, fault.New(fault.NotFound, "connector %s is not known to this run: give its document when the run is started", ref)
	}
	return &list[i], nil
}

// described is a connector as expressions read it: the fields of its spec with and
// without spec before them.
func (s *scope) described(c *core.Connector) any {
	spec := template(c.Spec)
	out := props{}
	for k := range c.Spec {
		out[k] = template(c.Spec[k])
	}
	maps.Copy(out, props{"name": c.Name, "identifier": c.Identifier, "description": c.Description, "type": c.Type, "spec": spec, "tags": tags(c.Tags)})
	return out
}

// link is the connector that a document's spec names; reading it is an error when it
// is not known.
func (d *deployed) link(spec map[string]any, of string) any {
	ref, err := d.value(spec["connectorRef"])
	if err != nil || ref == "" {
		return wrong{err}
	}
	c, err := d.at.connector(ref, of)
	if err != nil {
		return &object{d: d, more: map[string]any{"identifier": target.Identifier(ref)}, except: func(string) (any, bool, error) { return nil, false, err }}
	}
	return d.at.described(c)
}
