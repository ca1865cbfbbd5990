package compile

import (
	"cmp"
	"math"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Bounds on templates (BEHAVIOUR §20.5).
const (
	MaxNesting  = 10      // templates inside each other
	MaxCompiled = 3 << 20 // bytes of the text that all of a pipeline's templates add
)

var versionForm = regexp.MustCompile(`^[0-9a-zA-Z][^\s/&]{0,127}$`)

// inputSetName is how a document that asks for <+inputSet> can be told.
const inputSetName = "inputSet"

// template is a template document that has been read.
type template struct {
	ref      Reference // with the version it has
	name     string    // ref in words
	typ      string
	spec     *yamldoc.Node
	from, to int // lines of the document in its file
	size     int
	// variables are its own, which links may give other values.
	variables []core.Variable
	reads     bool // its text may name them
}

// use is one place a template was put in.
type use struct {
	*template
	pos   core.Position // of the link
	outer *use          // the template that is this one with some inputs given
}

// templated are the fields that a template may stand in, with its type.
var templated = map[string]string{"pipeline": "Pipeline", "stage": "Stage", "step": "Step", "stepGroup": "StepGroup"}

// expansion walks a text and puts templates in the place of links to them.
type expansion struct {
	c     *compiler
	at    core.Scope  // where the text lives
	chain []*template // the templates it stands in, outermost first
	given bool        // it is in the inputs of a link
}

// expand puts templates in everywhere below a pipeline, and returns what stands in
// its place.
func (c *compiler) expand(p *yamldoc.Node) *yamldoc.Node {
	parent := p.Parent()
	expansion{c: c, at: c.scope(p)}.visit(p, "pipeline", "")
	return parent.Get("pipeline")
}

// scope is where a pipeline lives.
func (c *compiler) scope(p *yamldoc.Node) core.Scope {
	return core.Scope{
		Account: cmp.Or(c.opt.Scope.Account, core.DefaultAccount),
		Org:     cmp.Or(textAt(p, "orgIdentifier"), c.opt.Scope.Org, core.DefaultOrg),
		Project: cmp.Or(textAt(p, "projectIdentifier"), c.opt.Scope.Project, core.DefaultProject),
	}
}

// visit walks the value of a field. path is how inputs below it are named.
func (e expansion) visit(n *yamldoc.Node, key, path string) {
	if typ := templated[key]; typ != "" {
		if link := n.Get("template"); link != nil && !e.c.empty(link) && !(e.given && link.Get("templateRef") == nil) {
			e.use(n, link, typ, path)
			return
		}
	}
	e.below(n, path)
}

func (e expansion) below(n *yamldoc.Node, path string) {
	for i, it := range n.Items {
		if it.Kind == yamldoc.Map || it.Kind == yamldoc.List {
			e.visit(it, "", join(path, elementName(it, i)))
		}
	}
	for _, en := range n.Entries {
		if v := en.Value; v.Kind == yamldoc.Map || v.Kind == yamldoc.List {
			e.visit(v, en.Key.Text, join(path, en.Key.Text))
		}
	}
}

// use puts a template in the place of a node that links to it.
func (e expansion) use(n, link *yamldoc.Node, typ, path string) {
	if typ == "Pipeline" && e.c.ownStages(n) {
		return
	}
	t := e.resolve(link, typ)
	if t == nil {
		return
	}
	inner := expansion{c: e.c, at: t.ref.At, chain: append(e.chain[:len(e.chain):len(e.chain)], t)}
	if !inner.fits(link) {
		return
	}
	if in := link.Get("templateInputs"); in != nil {
		own := e
		own.given = true
		own.below(in, join(path, "templateInputs"))
	}
	with := e.c.install(n, link, t, typ, path)
	if again := with.Get("template"); again != nil && !e.c.empty(again) {
		inner.use(with, again, typ, path) // a template that is another with some inputs given
		return
	}
	inner.below(with, path)
}

// ownStages refuses stages and variables beside a pipeline template (BEHAVIOUR §20.7).
func (c *compiler) ownStages(p *yamldoc.Node) bool {
	for _, key := range []string{"stages", "variables"} {
		if en := p.Entry(key); en != nil && !c.empty(en.Value) {
			sev := core.SeverityError
			if c.opt.Lenient {
				sev = core.SeverityWarning
			}
			c.add(sev, en.Value, en.Key.Pos, CodeTemplate, "a pipeline of a template has no "+key+" of its own",
				"keep template: or "+key+":")
			return true
		}
	}
	return false
}

// fits holds the templates around a text to the bounds, and refuses cycles.
func (e expansion) fits(link *yamldoc.Node) bool {
	t := e.chain[len(e.chain)-1]
	for i, outer := range e.chain[:len(e.chain)-1] {
		if outer.ref != t.ref {
			continue
		}
		var names []string
		for _, x := range e.chain[i:] {
			names = append(names, x.name)
		}
		e.c.errorf(link, CodeTemplate, "break the cycle", "the template %s holds itself: %s", t.name, strings.Join(names, " → "))
		return false
	}
	if len(e.chain) > MaxNesting {
		e.c.errorf(link, CodeTemplate, "flatten them", "templates are nested more than %d deep", MaxNesting)
		return false
	}
	if e.c.size += t.size; e.c.size > MaxCompiled {
		if e.c.size-t.size <= MaxCompiled {
			e.c.errorf(link, CodeTooMany, "use fewer or smaller templates", "with the template %s the pipeline is larger than %d MB", t.name, MaxCompiled>>20)
		}
		return false
	}
	return true
}

// linkRules are the fields of a link to a template.
var linkRules = rules{
	"templateRef": {}, "versionLabel": {}, "templateInputs": {}, "icon": {}, "name": {}, "identifier": {},
	"gitBranch": {}, "label": {}, "templateVariables": {}, "templateOverrides": {refuse: "templateOverrides"}, "description": {},
}

// resolve returns the template a link names, nil (and said) when it cannot be used.
func (e expansion) resolve(link *yamldoc.Node, typ string) *template {
	c := e.c
	if link.Kind != yamldoc.Map {
		c.errorf(link, CodeWrongType, "write templateRef: below template:", "template is %s: expected a map", link.Kind)
		return nil
	}
	c.check(link, "the link to a template", linkRules)
	ref, n, ok := c.linkText(link, "templateRef")
	if !ok {
		return nil
	} else if n == nil {
		c.missingField(link, "templateRef", "the link to a template")
		return nil
	}
	r := Reference{Kind: KindTemplate, At: e.at, Identifier: ref}
	text, version, ok := c.linkText(link, "versionLabel")
	if !ok {
		return nil
	}
	r.Version = text
	if r.Label, _, ok = c.linkText(link, "label"); !ok {
		return nil
	}
	if r.Branch, _, ok = c.linkText(link, "gitBranch"); !ok {
		return nil
	}
	if r.Version != "" && !versionForm.MatchString(r.Version) {
		c.errorf(version, CodeIdentifier, "begin with a letter or digit, leave out spaces, / and &, use at most 128 characters",
			"%q cannot be a versionLabel", r.Version)
		return nil
	}
	if id, ok := strings.CutPrefix(ref, "account."); ok {
		r.Identifier, r.At = id, core.Scope{Account: e.at.Account}
	} else if id, ok := strings.CutPrefix(ref, "org."); ok {
		if e.at.Org == "" {
			c.errorf(n, CodeTemplate, "move it to the account", "a template of the account cannot use %s: only what is in the account", ref)
			return nil
		}
		r.Identifier, r.At = id, core.Scope{Account: e.at.Account, Org: e.at.Org}
	}
	t, found := c.templates[r]
	if !found {
		t = c.load(r, n)
		c.templates[r] = t
	}
	switch {
	case t == nil:
		c.notFound(n, "template "+r.String())
		return nil
	case t.spec == nil:
		return nil // told when it was read
	case t.typ != typ:
		c.errorf(n, CodeTemplate, "", "%s is a template of type %q: expected %s", t.name, t.typ, typ)
		return nil
	}
	return t
}

// linkText is the text of a field of a link, which has to be known when templates are
// put in: an input's default counts, and expressions on constants. The node is nil
// when there is none; ok is false (and said) when it is not known.
func (c *compiler) linkText(link *yamldoc.Node, key string) (text string, n *yamldoc.Node, ok bool) {
	n = c.settled(link.Get(key))
	if n == nil || n.Kind == yamldoc.Null || n.Kind == yamldoc.String && n.Text == "" {
		return "", nil, true
	}
	switch in := c.byNode[n]; {
	case in != nil && !in.given && in.hasDefault:
		return in.def, n, true
	case in != nil && !in.given:
		c.missingInput(n, in)
	case isExpression(n):
		c.late(n, key)
	case !n.Scalar():
		c.errorf(n, CodeWrongType, "", "%s of the link to a template is %s: expected a string", key, n.Kind)
	default:
		return n.Text, n, true
	}
	return "", n, false
}

// load finds and reads a template, nil when there is none; one without a spec (and
// said) cannot be used.
func (c *compiler) load(r Reference, at *yamldoc.Node) *template {
	src, ok := c.find(r)
	if !ok {
		return nil
	}
	if r.Branch != "" {
		c.warnf(at, CodeMeaning, "", "the template %s is taken from the files given, whatever branch they are of: gitBranch is not looked at", r.Identifier)
	}
	c.file(src.File)
	c.asked = c.asked || strings.Contains(string(src.Data), inputSetName)
	root, last := src.root, src.last
	if root == nil {
		docs, diags := yamldoc.Parse(src.File, src.Data)
		c.diags = append(c.diags, diags...)
		root, last = templateDocument(docs, r)
	}
	body := root.Get("template")
	if body == nil {
		c.errorf(at, CodeTemplate, "", "%s holds no template %s", src.File, r)
		return &template{}
	}
	t := &template{ref: r, typ: textAt(body, "type"), spec: body.Get("spec"), from: root.Pos.Line, to: last}
	t.ref.Version = cmp.Or(r.Version, textAt(body, "versionLabel"))
	t.name = t.ref.String()
	t.variables = c.variables(body, "the template "+t.name)
	t.reads = strings.Contains(string(src.Data), "templateVariables")
	if t.spec == nil || t.spec.Kind != yamldoc.Map {
		c.errorf(at, CodeTemplate, "", "the template %s in %s has no spec", t.name, src.File)
		return &template{}
	}
	t.size = size(t.spec, 0)
	return t
}

// templateDocument picks the document of a file that a reference means, and tells
// the line on which it ends.
func templateDocument(docs []*yamldoc.Document, r Reference) (root *yamldoc.Node, last int) {
	best := -1
	for i, d := range docs {
		switch body := d.Root.Get("template"); {
		case body == nil:
		case best < 0, textAt(body, "identifier") == r.Identifier && textAt(docs[best].Root.Get("template"), "identifier") != r.Identifier,
			textAt(body, "identifier") == r.Identifier && r.Version != "" && textAt(body, "versionLabel") == r.Version:
			best = i
		}
	}
	switch {
	case best < 0:
		return nil, 0
	case best+1 < len(docs):
		return docs[best].Root, docs[best+1].Root.Pos.Line - 1
	}
	return docs[best].Root, math.MaxInt
}

// size is about how many bytes a tree takes as YAML.
func size(n *yamldoc.Node, depth int) int {
	sum := len(n.Text) + 1
	for _, it := range n.Items {
		sum += depth + 2 + size(it, depth+2)
	}
	for _, e := range n.Entries {
		sum += depth + len(e.Key.Text) + 2 + size(e.Value, depth+2)
	}
	return sum
}

// useAt returns the use of a template whose text is at pos, and the node it was put
// in; nil when n stands in no template, or is a value that was given to one.
func (c *compiler) useAt(n *yamldoc.Node, pos core.Position) (*use, *yamldoc.Node) {
	if len(c.uses) == 0 {
		return nil, nil
	}
	for ; n != nil; n = n.Parent() {
		for u := c.uses[n]; u != nil; u = u.outer {
			if u.spec.Pos.File == pos.File && u.from <= pos.Line && pos.Line <= u.to {
				return u, n
			}
		}
	}
	return nil, nil
}
