package document

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Codes of diagnostics.
const (
	CodeScope      = "wrong-scope"
	CodeIdentifier = schema.CodeIdentifier
	CodeMissing    = schema.CodeMissingField
	CodeValue      = schema.CodeValue
	CodeForeign    = schema.CodeForeign
)

// Bounds of names and alike.
const (
	maxName        = 128
	maxDescription = 1024
	maxTags        = 64
	maxTag         = 128
)

var (
	// identifierForm is BEHAVIOUR §1.3's, with $ as Harness's REST interface has it.
	identifierForm = regexp.MustCompile(`^[a-zA-Z_][0-9a-zA-Z_$]{0,127}$`)
	labelForm      = regexp.MustCompile(`^[0-9a-zA-Z][^\s/&]{0,127}$`)
)

// ValidIdentifier reports whether s may be an identifier.
func ValidIdentifier(s string) bool { return identifierForm.MatchString(s) }

// Expected is what the reader of a document knows of it already.
type Expected struct {
	// Kind, when not empty, is what the document must be.
	Kind core.EntityKind
	// Scope is where it was sent to. What the document says of its scope must agree;
	// with Anywhere the document's own words come first.
	Scope    core.Scope
	Anywhere bool
	File     string // for diagnostics
}

// Read reads one document. The entity is nil when it cannot be told what the document
// is or how it is called. The diagnostics are those of its schema too; the entity is
// to be kept only when none of them is an error, a pipeline as a draft in any case.
func Read(text string, want Expected) (*core.Entity, core.Diagnostics) {
	docs, diags := yamldoc.Parse(want.File, []byte(text))
	if diags.Blocks() || len(docs) == 0 {
		return nil, diags
	}
	if len(docs) > 1 {
		return nil, core.Diagnostics{at(docs[1].Root, CodeForeign, "send the documents one by one", "a second document: one is kept at a time")}
	}
	return Parsed(docs[0], text, want)
}

// Parsed is Read for a document that has been parsed from the text.
func Parsed(doc *yamldoc.Document, text string, want Expected) (*core.Entity, core.Diagnostics) {
	k, body, first := recognise(doc.Root, want.Kind)
	if body == nil || want.Kind != "" && k.name != want.Kind {
		what := "pipeline, service or another kind that is kept"
		if want.Kind != "" {
			what = Root(want.Kind)
		}
		return nil, core.Diagnostics{at(doc.Root, CodeForeign, "a document begins with its kind, such as "+Root(want.Kind)+":", "the document is no %s", what)}
	}
	r := &reader{body: body, first: first, scope: want.Scope}
	if body.Kind != yamldoc.Map {
		r.errorf(body, schema.CodeWrongType, "indent its fields below "+first+":", "%s is %s: expected a map", first, body.Kind)
		return nil, r.diags
	}
	e := &core.Entity{EntityRef: core.EntityRef{Kind: k.name, Scope: want.Scope}, YAML: text}
	r.envelope(e, k, want)
	if k.read != nil {
		k.read(r, e)
	}
	r.named(e)
	refers := refer(doc.Root, *e, r.uses...)
	e.Uses = refers.found
	r.beyond(refers, e)
	if _, known := schema.Lookup(r.first); known || first == "" {
		r.diags = append(r.diags, schema.Check(doc).Diagnostics...)
	}
	if e.Identifier == "" || r.lost {
		return nil, dedupe(r.diags)
	}
	return e, dedupe(r.diags)
}

// beyond refuses what names something below the document's own place (BEHAVIOUR §1.2).
// Templates are told when they are used: they mean the place of who uses them.
func (r *reader) beyond(f *finder, e *core.Entity) {
	if e.Kind == core.EntityTemplate {
		return
	}
	for _, n := range f.beyond {
		r.errorf(n, CodeScope, "use account.x, or move the document into an organization", "%s is of the account: it cannot refer to %s, which is of an organization", e.EntityRef, n.Text)
	}
}

// dedupe leaves out what has been said of a place with the same code; several fields may
// be missing at one.
func dedupe(ds core.Diagnostics) core.Diagnostics {
	type place struct {
		code         string
		line, column int
		missing      string
	}
	seen := map[place]bool{}
	var out core.Diagnostics
	for _, d := range ds {
		p := place{code: d.Code, line: d.Line, column: d.Column}
		if d.Code == CodeMissing {
			p.missing = d.Help
		}
		if !seen[p] {
			out = append(out, d)
		}
		seen[p] = true
	}
	return out
}

// reader reads the fields of one document.
type reader struct {
	body  *yamldoc.Node
	first string
	scope core.Scope
	diags core.Diagnostics
	uses  []core.EntityRef // that only this kind of document names
	lost  bool             // it cannot be told where the document belongs
}

func at(n *yamldoc.Node, code, help, format string, args ...any) core.Diagnostic {
	return core.Diagnostic{Severity: core.SeverityError, Code: code, Message: fmt.Sprintf(format, args...), Help: help,
		File: n.Pos.File, Line: n.Pos.Line, Column: n.Pos.Column, Path: n.Pointer()}
}

func (r *reader) errorf(n *yamldoc.Node, code, help, format string, args ...any) {
	r.diags = append(r.diags, at(n, code, help, format, args...))
}

// text is a scalar at a path of keys, "" when there is none.
func (r *reader) text(keys ...string) string {
	n := r.body.At(keys...)
	if n == nil || !n.Scalar() || n.Kind == yamldoc.Null {
		return ""
	}
	return n.Text
}

// node is the node of a key, or the body when there is none: for positions.
func (r *reader) node(keys ...string) *yamldoc.Node {
	if n := r.body.At(keys...); n != nil {
		return n
	}
	return r.body
}

// envelope reads what all entities have in common (BEHAVIOUR §1.5).
func (r *reader) envelope(e *core.Entity, k kind, want Expected) {
	e.Identifier, e.Name, e.Description = r.text("identifier"), r.text("name"), r.text("description")
	if tags := r.body.Get("tags"); tags != nil && tags.Kind == yamldoc.Map {
		e.Tags = map[string]string{}
		for _, t := range tags.Entries {
			e.Tags[t.Key.Text] = t.Value.Text
		}
	}
	r.place(e, k, want)
}

// place finds out where the document lives and whether it may.
func (r *reader) place(e *core.Entity, k kind, want Expected) {
	org, project := r.text("orgIdentifier"), r.text("projectIdentifier")
	if k.name == core.EntityProject {
		project = ""
	}
	for _, f := range []struct{ key, said, sent string }{{"orgIdentifier", org, want.Scope.Org}, {"projectIdentifier", project, want.Scope.Project}} {
		switch {
		case f.said == "" || strings.Contains(f.said, "<+"):
		case !ValidIdentifier(f.said):
			r.lost = true
			r.errorf(r.node(f.key), CodeIdentifier, "use letters, digits and _, not beginning with a digit, at most 128", "%q cannot be the identifier of %s", f.said, strings.TrimSuffix(f.key, "Identifier"))
		case want.Anywhere:
		case f.said == f.sent:
		case f.sent == "":
			r.lost = true
			r.errorf(r.node(f.key), CodeScope, "send it there, or leave "+f.key+" out", "%s is %s in the document, which was sent to %s", f.key, f.said, inWords(want.Scope))
		default:
			r.lost = true
			r.errorf(r.node(f.key), CodeScope, "make them agree", "%s is %s in the document and %s in the request", f.key, f.said, f.sent)
		}
	}
	if want.Anywhere && !strings.Contains(org+project, "<+") && org+project != "" {
		e.Scope.Org, e.Scope.Project = org, project
		if org == "" {
			e.Scope.Org = want.Scope.Org
		}
	}
	e.Scope = fit(e.Scope, k.in)
	if k.in&of(e.Scope) == 0 {
		r.lost = true
		r.errorf(r.node("identifier"), CodeScope, k.in.help(), "a %s cannot live in %s", k.name, inWords(e.Scope))
	}
	r.scope = e.Scope
}

// fit takes a scope up to where a kind lives: an organization, sent to a project, is
// the account's.
func fit(s core.Scope, in level) core.Scope {
	if in == inAccount {
		s.Org, s.Project = "", ""
	}
	if in == inOrg {
		s.Project = ""
	}
	return s
}

func of(s core.Scope) level {
	switch {
	case s.Org == "":
		return inAccount
	case s.Project == "":
		return inOrg
	}
	return inProject
}

func (l level) help() string {
	switch l {
	case inProject:
		return "say which project: orgIdentifier and projectIdentifier"
	case inOrg:
		return "say which organization: orgIdentifier"
	default:
		return ""
	}
}

func inWords(s core.Scope) string {
	switch {
	case s.Org == "":
		return "the account"
	case s.Project == "":
		return "organization " + s.Org
	}
	return "project " + s.Project + " of organization " + s.Org
}

// named checks how the entity is called.
func (r *reader) named(e *core.Entity) {
	switch {
	case e.Identifier == "" && e.Kind != core.EntityOverrides:
		r.errorf(r.node("identifier"), CodeMissing, "add identifier:", "the %s has no identifier", e.Kind)
	case e.Identifier != "" && !ValidIdentifier(e.Identifier) && e.Kind != core.EntityOverrides:
		r.errorf(r.node("identifier"), CodeIdentifier, "use letters, digits and _, not beginning with a digit, at most 128", "%q cannot be an identifier", e.Identifier)
		r.lost = true
	case expr.Reserved(e.Identifier):
		r.errorf(r.node("identifier"), CodeIdentifier, "choose another word", "%q is a word of the expression language and cannot be an identifier", e.Identifier)
		r.lost = true
	}
	if e.Name == "" && e.Kind == core.EntityPipeline { // of other kinds the schema says so
		r.errorf(r.node("name"), CodeMissing, "add name:", "the pipeline has no name")
		r.lost = true
	}
	if len(e.Name) > maxName {
		r.errorf(r.node("name"), CodeValue, "", "the name has %d bytes: at most %d are allowed", len(e.Name), maxName)
	}
	if len(e.Description) > maxDescription {
		r.errorf(r.node("description"), CodeValue, "", "the description has %d bytes: at most %d are allowed", len(e.Description), maxDescription)
	}
	if len(e.Tags) > maxTags {
		r.errorf(r.node("tags"), CodeValue, "", "%d tags: at most %d are allowed", len(e.Tags), maxTags)
	}
	for k, v := range e.Tags {
		if k == "" || len(k) > maxTag || len(v) > maxTag {
			r.errorf(r.node("tags", k), CodeValue, "", "tag %q: a tag and its value have at most %d bytes each", k, maxTag)
		}
	}
}
