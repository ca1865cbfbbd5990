package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// connectorRefs are the fields that name a connector.
var connectorRefs = []string{"connectorRef", "harnessImageConnectorRef", "secretManagerRef"}

// connectors puts the connectors that the texts of a plan name into it, as far as they
// are given: what is in them can be read by expressions then.
func (c *compiler) connectors(plan *core.Plan, p *yamldoc.Node) {
	if c.opt.Library == nil {
		return
	}
	l := &linked{c: c, plan: plan, seen: map[string]bool{}}
	l.walk(p, c.home, "")
	used := make([]*entity, 0, len(c.placed))
	for _, e := range c.placed {
		used = append(used, e)
	}
	slices.SortFunc(used, func(a, b *entity) int { // for the first place that names one
		return cmp.Or(strings.Compare(a.root.Pos.File, b.root.Pos.File), cmp.Compare(a.root.Pos.Line, b.root.Pos.Line))
	})
	for _, e := range used {
		l.walk(e.root, e.at, scopeName(e.at))
	}
	slices.SortFunc(plan.Connectors, func(a, b core.Connector) int { return strings.Compare(a.Ref, b.Ref) })
}

// scopeName is how a reference from a project to something in a scope begins.
func scopeName(at core.Scope) string {
	switch {
	case at.Org == "":
		return "account."
	case at.Project == "":
		return "org."
	}
	return ""
}

// linked gathers the connectors that texts name.
type linked struct {
	c    *compiler
	plan *core.Plan
	seen map[string]bool // by the reference as the pipeline would write it
}

// walk goes through a text that lives in a scope, from where prefix leads.
func (l *linked) walk(n *yamldoc.Node, at core.Scope, prefix string) {
	for _, it := range n.Items {
		l.walk(it, at, prefix)
	}
	for _, e := range n.Entries {
		if slices.Contains(connectorRefs, e.Key.Text) && e.Value.Kind == yamldoc.String {
			if v := l.c.settled(e.Value); v.Scalar() && v.Text != "" && !isExpression(v) {
				l.name(e.Value, v.Text, at, prefix)
			}
			continue
		}
		l.walk(e.Value, at, prefix)
	}
	if n.Kind != yamldoc.String || !strings.Contains(n.Text, "connector.get") {
		return
	}
	paths, _ := expr.Refs(n.Text)
	for _, p := range paths {
		if ref, ok := argument(p); ok {
			l.name(n, ref, at, prefix)
		}
	}
}

// argument is what connector.get("x") asks for.
func argument(p expr.Path) (ref string, ok bool) {
	if len(p.Names) != 1 || p.Names[0] != "connector" || p.Method != "get" || len(p.Args) != 1 {
		return "", false
	}
	ref, ok = p.Args[0].(string)
	return ref, ok && ref != ""
}

// name notes a reference to a connector.
func (l *linked) name(n *yamldoc.Node, ref string, at core.Scope, prefix string) {
	as := ref
	if ref == bare(ref) {
		as = prefix + ref
	}
	if l.seen[as] {
		return
	}
	l.seen[as] = true
	where, id := scopeOf(ref, at)
	s := l.c.sheet(Reference{Kind: KindConnector, At: where, Identifier: id})
	if s == nil {
		l.c.noConnector(n, ref)
		return
	}
	spec, _ := l.c.data(s.body.Get("spec")).(map[string]any)
	found := l.c.foundOf(&entity{sheet: s, root: s.root, body: s.body, ref: as})
	l.plan.Connectors = append(l.plan.Connectors, core.Connector{Found: found, Type: textAt(s.body, "type"), Spec: spec})
}

// noConnector warns of a connector that is not among those that are given. Where none
// are given at all they are elsewhere, and in other documents it is told there.
func (c *compiler) noConnector(n *yamldoc.Node, ref string) {
	if _, some := c.find(Reference{Kind: KindConnector, At: c.home, Nth: 1}); !some || c.here != nil && c.placedIn(n) != nil {
		return
	}
	c.add(core.SeverityWarning, n, n.Pos, CodeNotFound, "connector "+ref+" is not found", "check the reference, or give the files it is in")
}
