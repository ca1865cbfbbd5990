package compile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// input is one `<+input>` of the pipeline.
type input struct {
	marker
	path  string        // "variables.x", "stages.build.timeout"
	node  *yamldoc.Node // what stands in its place now
	pos   core.Position // of the marker
	given bool
	blank bool // given as ""
	by    By   // what gave the value, when its place does not tell
	still bool // of a template, and nobody gave a value in templateInputs
}

// name is how the command line calls the input.
func (in *input) name() string {
	if v, ok := strings.CutPrefix(in.path, "variables."); ok {
		return v
	}
	return in.path
}

// inputs merges everything that was given into the pipeline and validates it.
func (c *compiler) inputs(p *yamldoc.Node) {
	c.byNode, c.missing, c.byPath = map[*yamldoc.Node]*input{}, map[*yamldoc.Node]*input{}, map[string]*input{}
	c.collect(p, "", func(in *input) {
		c.open = append(c.open, in)
		c.byNode[in.node], c.byPath[in.path] = in, in
	})
	for _, src := range c.opt.InputSets {
		c.inputSet(p, src)
	}
	for _, name := range keys(c.opt.Inputs) {
		c.single(p, name, c.opt.Inputs[name])
	}
}

// fallbacks puts defaults and blanks in the place of inputs nobody gave.
func (c *compiler) fallbacks() {
	for _, in := range c.open {
		switch {
		case in.given:
		case in.whileRunning():
			c.postpone(in)
		default:
			c.fallback(in)
		}
	}
}

// fallback puts the default in an input's place, or a blank: null when an input
// set was applied and left it out, "" otherwise (BEHAVIOUR §7.8).
func (c *compiler) fallback(in *input) {
	var with *yamldoc.Node
	switch {
	case in.hasDefault:
		with = yamldoc.NewPlain(in.def, in.pos)
		c.cause(with, ByDefault)
		in.by = ByDefault
	case len(c.opt.InputSets) > 0 && !in.blank:
		with = &yamldoc.Node{Pos: in.pos}
		c.missing[with] = in
	default:
		with = yamldoc.NewString("", in.pos)
		c.missing[with] = in
	}
	if !in.hasDefault {
		c.cause(with, ByNobody)
		in.by = ByNobody
	}
	c.put(in, with)
}

func (c *compiler) put(in *input, with *yamldoc.Node) {
	delete(c.byNode, in.node)
	in.node.Replace(with)
	in.node = with
	c.byNode[with] = in
}

// collect finds the markers below a node, checks how they are written, and hands
// them to found.
func (c *compiler) collect(n *yamldoc.Node, path string, found func(*input)) {
	for i, it := range n.Items {
		c.collect(it, join(path, elementName(it, i)), found)
	}
	for _, e := range n.Entries {
		c.collect(e.Value, join(path, e.Key.Text), found)
	}
	if n.Kind != yamldoc.String || !strings.HasPrefix(n.Text, inputMark) || c.byNode[n] != nil {
		return
	}
	m, bad := parseMarker(n.Text)
	if bad != "" {
		if strings.HasPrefix(bad, ".") {
			c.add(core.SeverityError, n, n.Pos, CodeInputMarker, fmt.Sprintf("%q is not a call of a runtime input", bad),
				"known calls: .default(V) .allowedValues(A,B) .selectOneFrom(A,B) .selectManyFrom(A,B) .regex(R) .executionInput()")
			return
		}
		return // text with an expression in it
	}
	if p := n.Parent(); p.Get("value") == n && p.Get("name").Scalar() {
		path = strings.TrimSuffix(path, ".value") // a variable's value is named by the variable
	}
	found(&input{marker: m, path: path, node: n, pos: n.Pos})
	c.marker(n, m)
}

// marker checks the calls of an input.
func (c *compiler) marker(n *yamldoc.Node, m marker) {
	if m.regex != "" {
		c.regex(n, n.Pos, m.regex, CodeInputMarker)
	}
	if m.hasDefault {
		if strings.HasPrefix(m.def, "*") {
			c.errorf(n, CodeInputMarker, "", "a default cannot begin with *")
		} else if why := m.accept(m.def); why != "" {
			c.errorf(n, CodeInputMarker, "make the default one of the allowed values", "the default %s", why)
		}
	}
}

// elementName is how a path names a list element: by its identity, "" for a
// parallel, whose elements are named as if they stood beside it.
func elementName(it *yamldoc.Node, i int) string {
	if w := wrapped(it); w != nil {
		if w.Kind == yamldoc.List {
			return ""
		}
		it = w
	}
	if id := identity(it); id != "" {
		return id
	}
	return itoa(i)
}

// wrapped is the value of a one-key element such as `stage:`, nil for others.
func wrapped(it *yamldoc.Node) *yamldoc.Node {
	for _, k := range []string{"stage", "step", "stepGroup", "parallel", "barrier", "insert"} {
		if v := it.Get(k); v != nil && (v.Kind == yamldoc.Map || k == "parallel" && v.Kind == yamldoc.List) {
			return v
		}
	}
	return nil
}

// identity is what tells an element of a list from its neighbours: "" for none.
func identity(it *yamldoc.Node) string {
	for _, k := range []string{"identifier", "name", "key"} {
		if v := it.Get(k); v.Scalar() {
			return v.Text
		}
	}
	return ""
}

// join appends a step to a path, leaving out the wrappers that paths skip and the
// link to a template, so that an input is named as if the template stood there.
func join(path, step string) string {
	if step == "templateInputs" {
		return strings.TrimSuffix(strings.TrimSuffix(path, "template"), ".")
	}
	switch {
	case step == "" || step == "parallel" || step == "stage" || step == "step" || step == "stepGroup" || step == "insert":
		return path
	case path == "":
		return step
	}
	return path + "." + step
}

// single applies one value of the command line.
func (c *compiler) single(p *yamldoc.Node, name, value string) {
	path := strings.TrimPrefix(name, "pipeline.")
	in := c.byPath[path]
	if in == nil {
		in = c.byPath["variables."+path]
	}
	switch {
	case in == nil && ofDocument.MatchString(path):
		c.later[path] = value
	case in == nil:
		c.unknownInput(p, name, strings.TrimPrefix(path, "variables."))
	default:
		c.supply(in, c.typed(in, value), "input "+name)
		in.by = ByInput
	}
}

// ofDocument tells the inputs of documents that a Deployment stage uses.
var ofDocument = regexp.MustCompile(`^stages\.[^.]+\.spec\..*\.?([iI]nputs|overrides)\.`)

// typed is a value of the command line as a node for an input.
func (c *compiler) typed(in *input, value string) *yamldoc.Node {
	with := yamldoc.NewPlain(value, in.pos)
	if t := strings.TrimSpace(value); !strings.HasPrefix(in.path, "variables.") && (strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{")) {
		if docs, diags := yamldoc.Parse("", []byte(value)); len(diags) == 0 && len(docs) == 1 {
			with = docs[0].Root
		}
	}
	c.cause(with, ByInput)
	return with
}

func (c *compiler) unknownInput(p *yamldoc.Node, name, short string) {
	if v := c.fixedVariable(p, short); v != nil {
		c.errorf(v, CodeFixedInput, "write value: <+input> to leave it open", "input %s: the value of the variable is fixed", name)
		return
	}
	help := "this pipeline has no runtime inputs"
	var names []string
	for _, in := range c.open[:min(len(c.open), 1000)] {
		names = append(names, in.name())
	}
	if len(names) > 0 {
		help = "known inputs: " + strings.Join(names[:min(len(names), 20)], ", ")
		if near := nearest(short, names); near != "" {
			help = fmt.Sprintf("did you mean %q?", near)
		}
	}
	c.errorf(p, CodeUnknownInput, help, "unknown input %q", name)
}

func (c *compiler) fixedVariable(p *yamldoc.Node, name string) *yamldoc.Node {
	list := p.Get("variables")
	if list == nil {
		return nil
	}
	for _, it := range list.Items {
		if textAt(it, "name") == name {
			return it.Get("value")
		}
	}
	return nil
}

// supply validates a value and puts a copy of it in an input's place. Its pointer
// is the input's, its position its own.
func (c *compiler) supply(in *input, value *yamldoc.Node, what string) {
	if !c.takes(in, value, what) {
		return
	}
	with := value.Clone()
	if c.shown != nil && c.shown.causes[value] != "" {
		c.cause(with, c.shown.causes[value])
	}
	c.put(in, with)
}

// takes reports whether a value is one, having checked it and marked the input as
// given. An empty one, or another input, leaves it open.
func (c *compiler) takes(in *input, value *yamldoc.Node, what string) bool {
	if c.empty(value) {
		in.blank = true
		return false
	}
	if value.Kind == yamldoc.String && strings.HasPrefix(value.Text, inputMark) {
		return false
	}
	if value.Scalar() {
		if why := in.accept(value.Text); why != "" {
			c.errorf(value, CodeInput, "", "%s: %s", what, why)
		}
	} else if value.Kind == yamldoc.List {
		for _, it := range value.Items {
			if why := in.accept(it.Text); why != "" {
				c.errorf(it, CodeInput, "", "%s: %s", what, why)
			}
		}
	}
	in.given = true
	return true
}

// missingInput asks for a value nobody gave, once.
func (c *compiler) missingInput(n *yamldoc.Node, in *input) {
	if in.given {
		return
	}
	in.given = true
	if in.still {
		return // the template's use has been told
	}
	c.add(core.SeverityError, n, in.pos, CodeMissingInput, fmt.Sprintf("the runtime input %s has no value", in.name()),
		fmt.Sprintf("give it with --input %s=VALUE or in an input set", in.name()))
}
