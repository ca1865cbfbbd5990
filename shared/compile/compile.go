// Package compile turns a pipeline's YAML and its inputs into a plan, or says all
// that is wrong with it at once, each thing with its place and a remedy. What is
// valid but cannot be executed yet is named "not supported yet", never dropped.
package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Options are what a run is asked for beside the pipeline.
type Options struct {
	// Inputs are single values: by the name of a pipeline variable, or by path such
	// as "stages.build.spec.execution.steps.s1.timeout". They win over input sets.
	Inputs map[string]string
	// InputSets are merged in order, each later value over the earlier ones. A
	// source is an `inputSet:` or the bare `pipeline:` the REST API takes.
	InputSets []Source
	// Stages, when there are some, are the identifiers of the stages to run; the others
	// are left out. Expressions are values for what reads those, by the text of the
	// expression as it is written (BEHAVIOUR §7.12).
	Stages      []string
	Expressions map[string]string
	// Scope is where a pipeline lives that does not say so itself; empty fields are
	// the defaults of core.
	Scope core.Scope
	// Library finds templates and input sets that are referred to; nil finds none.
	Library Library
	// Lenient: what Library does not find, and inputs of templates that have changed,
	// are warnings. For looking at a document, not for running it.
	Lenient bool
}

// Compile returns the plan of a pipeline with its inputs, nil when the
// diagnostics block. Diagnostics are ordered by position, the pipeline's first.
func Compile(src Source, opt Options) (*core.Plan, core.Diagnostics) {
	c := newCompiler(src, opt)
	plan := c.compile(src)
	diags := c.ordered()
	if diags.Blocks() {
		return nil, diags
	}
	return plan, diags
}

func newCompiler(src Source, opt Options) *compiler {
	c := &compiler{opt: opt, files: map[string]int{src.File: 0}, sets: map[string]string{},
		templates: map[Reference]*template{}, uses: map[*yamldoc.Node]*use{},
		later: map[string]string{}, sheets: map[Reference]*sheet{}, read: map[*yamldoc.Node]*sheet{}, placed: map[*yamldoc.Node]*entity{}}
	for _, s := range opt.InputSets {
		c.file(s.File)
	}
	return c
}

// compile returns as much of the plan as can be read, nil when there is none.
func (c *compiler) compile(src Source) *core.Plan {
	root := c.document(src)
	if root == nil {
		return nil
	}
	c.identify(src, root)
	c.inputs(root)
	given := c.given(root)
	c.choose(root)
	root = c.expand(root)
	c.choose(root)
	if c.chosen != nil {
		c.chosen.supply(root)
	}
	c.fallbacks()
	c.top, c.home = root, c.scope(root)
	c.deployments(root)
	plan := c.pipeline(root)
	c.asks(plan)
	if c.asked || strings.Contains(string(src.Data), inputSetName) {
		plan.Inputs = map[string]any{"pipeline": given}
	}
	if plan != nil {
		c.connectors(plan, root)
		plan.Origins = c.origins()
	}
	return plan
}

// file notes a file for the order of diagnostics.
func (c *compiler) file(name string) {
	if _, ok := c.files[name]; !ok {
		c.files[name] = len(c.files)
	}
}

func (c *compiler) ordered() core.Diagnostics {
	slices.SortStableFunc(c.diags, func(a, b core.Diagnostic) int {
		return cmp.Or(cmp.Compare(c.files[a.File], c.files[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.diags
}

// MaxDiagnostics is how many things are said about one compilation; the rest are
// found when these are mended.
const MaxDiagnostics = 500

// compiler is the state of one Compile.
type compiler struct {
	opt   Options
	diags core.Diagnostics
	files map[string]int // file → its place in the order of diagnostics

	open      []*input // the pipeline's runtime inputs, in document order
	byPath    map[string]*input
	byNode    map[*yamldoc.Node]*input // by the node that stands for the input now
	missing   map[*yamldoc.Node]*input // inputs nobody gave a value for
	postponed []*input                 // asked for while running
	tracks    map[string]int           // children of a track so far

	sets      map[string]string // file of an input set → its identifier
	templates map[Reference]*template
	uses      map[*yamldoc.Node]*use // by the node that a template was put in
	size      int                    // bytes of all templates put in so far
	meetings  []meeting
	asked     bool // a template asks for <+inputSet>
	said      map[core.Diagnostic]bool
	muted     bool       // what is compiled is refused as a whole: nothing in it is said
	here      *Source    // when all has to be said of places in it
	self      self       // the pipeline that is compiled
	chosen    *selection // the stages that are run, when not all are
	parent    *compiler  // of the pipeline whose stage runs this one
	shown     *Explained // nil unless somebody wants to see where values come from

	top     *yamldoc.Node                 // the pipeline, with its templates
	home    core.Scope                    // where it lives
	later   map[string]string             // single inputs of documents that Deployment stages use
	sheets  map[Reference]*sheet          // those documents
	read    map[*yamldoc.Node]*sheet      // the same by their roots
	placed  map[*yamldoc.Node]*entity     // by the root of each copy
	deploys map[*yamldoc.Node]*deployment // by a stage's spec
}

// Codes of diagnostics. They are stable: users filter by them.
const (
	CodeNotPipeline  = "not-a-pipeline"
	CodeUnknownField = "unknown-field"
	CodeUnknownType  = "unknown-type"
	CodeMissingField = "missing-field"
	CodeWrongType    = "wrong-type"
	CodeValue        = "invalid-value"
	CodeIdentifier   = "invalid-identifier"
	CodeName         = "invalid-name"
	CodeDuplicate    = "duplicate-identifier"
	CodeSimilar      = "similar-identifier"
	CodeDuration     = "invalid-duration"
	CodeExpression   = "invalid-expression"
	CodeTooMany      = "too-many"
	CodeUnsupported  = "not-supported"
	CodeInput        = "invalid-input"
	CodeMissingInput = "missing-input"
	CodeUnknownInput = "unknown-input"
	CodeFixedInput   = "fixed-input"
	CodeInputMarker  = "invalid-input-marker"
	CodeNotFound     = "not-found" // a template or input set
	CodeTemplate     = "invalid-template"
	CodeOutOfSync    = "out-of-sync"       // inputs that do not fit their template
	CodeChain        = "invalid-chain"     // a pipeline that cannot be run by a stage
	CodeSelection    = "invalid-selection" // of stages to run
	CodeMeaning      = "other-meaning"
	CodeDeadlock     = "deadlock"     // it would wait for ever
	CodeNotExecuted  = "not-executed" // of what is looked at: a run refuses it as CodeUnsupported
)

func (c *compiler) add(sev core.Severity, n *yamldoc.Node, pos core.Position, code, msg, help string) {
	if c.muted || len(c.diags) >= MaxDiagnostics && (sev == core.SeverityWarning || c.diags.Blocks()) {
		return
	}
	d := core.Diagnostic{
		Severity: sev, Code: code, Message: msg, Help: help,
		File: pos.File, Line: pos.Line, Column: pos.Column, Path: n.Pointer(),
	}
	if u, at := c.useAt(n, pos); u != nil {
		d.Path = "" // the same for all uses, of which one is told
		if c.said[d] {
			return
		}
		if c.said == nil {
			c.said = map[core.Diagnostic]bool{}
		}
		c.said[d] = true
		d.Path = "/template/spec" + strings.TrimPrefix(n.Pointer(), at.Pointer())
		where := "used at " + u.pos.String()
		if c.here != nil && c.relocate(&d, n) {
			where = "at " + pos.String()
		}
		d.Message += " (in template " + u.name + ", " + where + ")"
	}
	c.relocateUse(&d, n)
	c.diags = append(c.diags, d)
}

// errorf says what is wrong at a node.
func (c *compiler) errorf(n *yamldoc.Node, code, help, format string, args ...any) {
	c.add(core.SeverityError, n, n.Pos, code, fmt.Sprintf(format, args...), help)
}

// warnf says what is allowed and better otherwise.
func (c *compiler) warnf(n *yamldoc.Node, code, help, format string, args ...any) {
	c.add(core.SeverityWarning, n, n.Pos, code, fmt.Sprintf(format, args...), help)
}

// unsupported names a type of stage or step that nothing executes yet.
func (c *compiler) unsupported(n *yamldoc.Node, pos core.Position, what string) {
	c.add(core.SeverityUnsupported, n, pos, CodeUnsupported, notSupported+what, "")
}

const notSupported = "not supported yet: "

// document returns the value of the `pipeline:` key of a source.
func (c *compiler) document(src Source) *yamldoc.Node {
	root, diags := c.root(src)
	if root == nil {
		return nil
	}
	entry := root.Entry("pipeline")
	if entry == nil {
		if !diags.Blocks() {
			c.notPipeline(root)
		}
		return nil
	}
	for _, e := range root.Entries {
		if e.Key.Text != "pipeline" {
			c.add(core.SeverityError, e.Value, e.Key.Pos, CodeUnknownField,
				fmt.Sprintf("unknown field %q beside pipeline", e.Key.Text), "a pipeline's fields stand below pipeline:, indented")
		}
	}
	if entry.Value.Kind != yamldoc.Map {
		c.add(core.SeverityError, entry.Value, entry.Key.Pos, CodeWrongType,
			"pipeline is "+entry.Value.Kind.String()+": expected a map", "indent the pipeline's fields below pipeline:")
		return nil
	}
	return entry.Value
}

func (c *compiler) notPipeline(root *yamldoc.Node) {
	switch {
	case root.Kind == yamldoc.Null:
		c.errorf(root, CodeNotPipeline, "a pipeline begins with pipeline:", "the document is empty")
	case root.Kind != yamldoc.Map:
		c.errorf(root, CodeNotPipeline, "a pipeline begins with pipeline:", "the document is %s: expected a pipeline", root.Kind)
	default:
		first := "nothing"
		if len(root.Entries) > 0 {
			first = fmt.Sprintf("%q", root.Entries[0].Key.Text)
		}
		c.errorf(root, CodeNotPipeline, "a pipeline begins with pipeline:", "the document begins with %s: expected \"pipeline\"", first)
	}
}
