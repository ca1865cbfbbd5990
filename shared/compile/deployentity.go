package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// sheet is a document that has been read.
type sheet struct {
	kind     Kind
	root     *yamldoc.Node
	body     *yamldoc.Node
	scope    core.Scope // where it says that it lives
	from, to int        // its lines
	size     int
}

// entity is a document as one stage uses it: a copy with its inputs given.
type entity struct {
	*sheet
	root, body *yamldoc.Node // the copy
	ref        string        // as the plan calls it
	words      string        // "service web"
	at         core.Scope    // where a reference to it looks
	late       bool          // one of several that a reference may mean
	env        *entity       // an infrastructure's
	use        *yamldoc.Node // an environment's: the field that names it
	named      *yamldoc.Node // the reference by which it was found, nil for none
	group      string
	groupName  string
	override   core.OverrideType
	legacy     bool
	pair       core.Pair // what an override is for
	// definition stands in place of a service's own, and over is laid over what a
	// document says, in this order: both are written in the stage.
	definition *yamldoc.Node
	over       []*yamldoc.Node
}

// noun is what kinds are called in messages.
var noun = map[Kind]string{
	KindService: "service", KindEnvironment: "environment", KindEnvironmentGroup: "environment group",
	KindInfrastructure: "infrastructure", KindOverride: "override",
}

// id is the identifier of what a document describes.
func (s *sheet) id() string { return textAt(s.body, "identifier") }

// anywhere reports a document that names no organization and no project.
func (s *sheet) anywhere() bool { return s.scope == core.Scope{} }

// sheet finds and reads a document, nil when there is none. What is wrong in it is
// told once.
func (c *compiler) sheet(r Reference) *sheet {
	if s, ok := c.sheets[r]; ok {
		return s
	}
	src, ok := c.find(r)
	if !ok {
		c.sheets[r] = nil
		return nil
	}
	c.file(src.File)
	root, to := src.root, src.last
	if root == nil {
		docs, diags := yamldoc.Parse(src.File, src.Data)
		c.diags = append(c.diags, diags...)
		root, to = entityDocument(docs, r)
	}
	if s := c.read[root]; s != nil {
		c.sheets[r] = s
		return s
	}
	kind, body := entityOf(root)
	if kind != r.Kind {
		c.sheets[r] = nil
		return nil
	}
	s := &sheet{kind: kind, root: root, body: body, from: root.Pos.Line, to: to, size: size(body, 0),
		scope: core.Scope{Org: textAt(body, "orgIdentifier"), Project: textAt(body, "projectIdentifier")}}
	c.sheets[r], c.read[root] = s, s
	c.judge(root)
	return s
}

// entityDocument picks the document of a file that a reference means.
func entityDocument(docs []*yamldoc.Document, r Reference) (root *yamldoc.Node, to int) {
	for i, d := range docs {
		kind, body := entityOf(d.Root)
		if kind == r.Kind && (r.Nth > 0 || textAt(body, "identifier") == r.Identifier) {
			to = 1 << 30
			if i+1 < len(docs) {
				to = docs[i+1].Root.Pos.Line - 1
			}
			return d.Root, to
		}
	}
	return nil, 0
}

// judge tells what is wrong in a document that is used. Which of its parts nothing
// executes yet is told where they are used.
func (c *compiler) judge(root *yamldoc.Node) {
	for _, d := range schema.Check(&yamldoc.Document{Root: root}).Diagnostics {
		if d.Severity == core.SeverityUnsupported {
			continue
		}
		if c.opt.Lenient && d.Severity == core.SeverityError {
			d.Severity = core.SeverityWarning
		}
		if len(c.diags) < MaxDiagnostics {
			c.diags = append(c.diags, d)
		}
	}
}

// entity finds the document that a reference means, nil when there is none.
func (c *compiler) entity(kind Kind, from core.Scope, ref string) *entity {
	at, id := scopeOf(ref, from)
	s := c.sheet(Reference{Kind: kind, At: at, Identifier: id})
	if s == nil {
		return nil
	}
	return c.copyOf(s, ref, at)
}

// copyOf is a document for one use. What all copies take is bounded.
func (c *compiler) copyOf(s *sheet, ref string, at core.Scope) *entity {
	e := &entity{sheet: s, root: s.root.Clone(), ref: ref, at: at, words: noun[s.kind] + " " + ref}
	_, e.body = entityOf(e.root)
	if c.size += s.size; c.size > MaxCompiled && c.size-s.size <= MaxCompiled {
		c.errorf(s.body, CodeTooMany, "use fewer or smaller documents", "with %s the pipeline is larger than %d MB", e.words, MaxCompiled>>20)
	}
	c.placed[e.root] = e
	return e
}

// infrastructure finds an infrastructure of an environment, nil when there is none.
func (c *compiler) infrastructure(env *entity, id string) *entity {
	s := c.sheet(Reference{Kind: KindInfrastructure, At: env.at, Identifier: id, Environment: env.id()})
	if s == nil {
		return nil
	}
	e := c.copyOf(s, id, env.at)
	e.env, e.words = env, "infrastructure "+id+" of environment "+env.ref
	return e
}

// all finds every document of a kind that can be seen from a scope. of is the
// environment of infrastructures.
func (c *compiler) all(kind Kind, at core.Scope, of string) (out []*entity) {
	for n := 1; ; n++ {
		s := c.sheet(Reference{Kind: kind, At: at, Environment: of, Nth: n})
		if s == nil {
			break
		}
		ref := s.id()
		switch {
		case s.anywhere() || s.scope.Project != "" || kind == KindInfrastructure:
		default:
			ref = "org." + ref
		}
		where, _ := scopeOf(ref, at)
		out = append(out, c.copyOf(s, ref, where))
	}
	slices.SortStableFunc(out, func(a, b *entity) int { return cmp.Compare(a.ref, b.ref) })
	return out
}

// allIn finds the infrastructures of an environment for a deployment type.
func (c *compiler) allIn(env *entity, typ string) []*entity {
	return slices.DeleteFunc(c.all(KindInfrastructure, env.at, env.id()), func(e *entity) bool {
		e.env, e.words, e.late = env, "infrastructure "+e.ref+" of environment "+env.ref, env.late
		have := textAt(e.body, "deploymentType")
		return have != "" && typ != "" && have != typ
	})
}

// given is one map of inputs on its way into the documents that ask for them.
type given struct {
	merger
	c     *compiler
	words []string
	found []*yamldoc.Node // what was asked for
	off   []difference
}

// difference is something that is given and not asked for.
type difference struct {
	at  *yamldoc.Node
	msg string
}

// give puts the values that a stage gives into the inputs of documents. What nobody
// gives stays open, by the path it has in the stage.
func (c *compiler) give(from *yamldoc.Node, path string, into ...*entity) {
	g := &given{c: c}
	g.merger = merger{c: c, inputs: map[*yamldoc.Node]*input{}, supply: g.supply, differs: g.differs}
	lateOnes := false
	from = c.settled(from)
	for _, e := range into {
		lateOnes = lateOnes || e.late
		g.words = append(g.words, e.words)
		g.what = e.words
		var own []*input
		fields := e.fields()
		c.collect(fields, path, func(in *input) {
			g.inputs[in.node] = in
			own = append(own, in)
		})
		if from != nil && from.Kind == yamldoc.Map {
			g.merge(fields, from)
			if more := from.Get("overrides"); e.kind == KindOverride && more != nil {
				g.merge(fields, more)
			}
		}
		for _, in := range own {
			if v, ok := c.later[in.path]; ok && !in.given {
				c.supply(in, c.typed(in, v), "input "+in.path)
				delete(c.later, in.path)
			}
			if !in.given {
				c.open = append(c.open, in)
				c.byNode[in.node] = in
			}
		}
	}
	if from != nil && isExpression(from) && c.missing[from] == nil {
		c.late(from, "inputs of "+strings.Join(g.words, " and "))
	}
	if !lateOnes && len(into) > 0 {
		g.tell(from)
	}
}

// fields is the node that inputs are given for.
func (e *entity) fields() *yamldoc.Node {
	if spec := e.body.Get("spec"); e.kind == KindOverride && spec != nil && spec.Kind == yamldoc.Map {
		return spec
	}
	return e.body
}

// supply puts a value in an input's place. One that the pipeline leaves open and
// nobody gave is none: the document's own default counts then.
func (g *given) supply(in *input, value *yamldoc.Node, what string) {
	g.found = append(g.found, value)
	if g.c.missing[value] != nil {
		return
	}
	g.c.supply(in, value, what)
}

func (g *given) differs(n *yamldoc.Node, _ core.Position, _, msg, _ string) {
	if g.c.missing[n] == nil {
		g.off = append(g.off, difference{n, msg})
	}
}

// tell says what no document asks for.
func (g *given) tell(from *yamldoc.Node) {
	said := map[*yamldoc.Node]bool{}
	for _, d := range g.off {
		if said[d.at] || slices.ContainsFunc(g.found, func(n *yamldoc.Node) bool { return below(n, d.at) }) {
			continue
		}
		said[d.at] = true
		sev := core.SeverityError
		if g.c.opt.Lenient {
			sev = core.SeverityWarning
		}
		g.c.add(sev, d.at, d.at.Pos, CodeOutOfSync, "the inputs of "+strings.Join(g.words, " and ")+" do not fit: "+d.msg,
			"remove what it does not ask for, or write <+input> there")
	}
	_ = from
}

// below reports whether a node is another or stands in it.
func below(n, in *yamldoc.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n == in {
			return true
		}
	}
	return false
}

// itemsOf are the items of a list, none of anything else.
func itemsOf(n *yamldoc.Node) []*yamldoc.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// quietTags reads tags that have been judged.
func (c *compiler) quietTags(m *yamldoc.Node) map[string]string {
	n := m.Get("tags")
	if n == nil || len(n.Entries) == 0 {
		return nil
	}
	out := make(map[string]string, len(n.Entries))
	for _, e := range n.Entries {
		out[e.Key.Text] = e.Value.Text
	}
	return out
}

// placedIn returns the document a node stands in, nil when it is of the pipeline or
// was given to the document.
func (c *compiler) placedIn(n *yamldoc.Node) *entity {
	if len(c.placed) == 0 {
		return nil
	}
	root, pos := n, n.Pos
	for root.Parent() != nil {
		root = root.Parent()
	}
	e := c.placed[root]
	if e == nil || pos.File != e.sheet.root.Pos.File || pos.Line < e.from || pos.Line > e.to {
		return nil
	}
	return e
}
