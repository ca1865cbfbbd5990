package compile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Kind is a kind of document that others refer to: the key it begins with.
type Kind string

// Kinds of documents.
const (
	KindTemplate Kind = "template"
	KindInputSet Kind = "inputSet" // an overlayInputSet too
	KindPipeline Kind = "pipeline"
)

// Reference names a document as seen from where it is referred to.
type Reference struct {
	Kind Kind
	// At is where the document lives (BEHAVIOUR §1.2): for "account.x" only Account is
	// set, for "org.x" Org too, for "x" it is where the reference stands.
	At         core.Scope
	Identifier string
	Version    string // of a template; "" asks for its stable version
	Label      string // of a template, instead of a version
	Branch     string // of a template in Git
	Pipeline   string // of an input set: the identifier of the pipeline it is for
	// Environment is that of an infrastructure definition, by its identifier.
	Environment string
	// Nth asks for the nth document, from 1, of those of the kind that can be seen from
	// At, instead of one by its identifier. They are always in the same order.
	Nth int
}

// String is the reference as documents spell it.
func (r Reference) String() string {
	s := r.Identifier
	switch {
	case r.At.Org == "":
		s = "account." + s
	case r.At.Project == "":
		s = "org." + s
	}
	if r.Version != "" {
		s += " " + r.Version
	}
	if r.Label != "" {
		s += " label " + r.Label
	}
	return s
}

// Library finds the document a reference names, false when there is none. It has
// no effects and finds the same for the same reference during a compilation.
type Library func(Reference) (Source, bool)

// Join is a library that looks in one and then, for what that does not have, in
// another. Either may be nil.
func Join(first, then Library) Library {
	if first == nil || then == nil {
		if first == nil {
			return then
		}
		return first
	}
	counts := map[Reference]int{} // of documents of a kind in the first
	return func(r Reference) (Source, bool) {
		if src, ok := first(r); ok || r.Nth == 0 {
			if ok {
				return src, true
			}
			return then(r)
		}
		nth := r.Nth
		r.Nth = 0
		n, known := counts[r]
		for ; !known; n++ {
			more := r
			more.Nth = n + 1
			if _, ok := first(more); !ok {
				counts[r] = n
				break
			}
		}
		r.Nth = nth - n
		return then(r)
	}
}

// shelf is one document of an Index.
type shelf struct {
	ref    Reference // At without the account
	source Source
}

// Index is a library of the documents in some files that others refer to: templates,
// input sets, overlays, and what Deployment stages name; others are passed over. A document that names no organization
// and no project is found from everywhere. Of several versions of a template the
// highest label is the stable one, numbers in it compared as numbers. The
// diagnostics are about files that cannot be read and documents that are there
// twice. The library is for one goroutine at a time.
func Index(sources []Source) (Library, core.Diagnostics) {
	shelves := map[Reference][]shelf{} // by kind and identifier
	kinds := map[Kind][]shelf{}
	var diags core.Diagnostics
	for _, src := range sources {
		docs, ds := src.documents()
		diags = append(diags, ds...)
		for _, doc := range docs {
			s, id, ok := shelve(doc)
			if !ok {
				continue
			}
			key := Reference{Kind: s.ref.Kind, Identifier: s.ref.Identifier}
			kinds[s.ref.Kind] = append(kinds[s.ref.Kind], s)
			for _, other := range shelves[key] {
				if other.ref == s.ref && s.ref.Kind != KindPipeline && s.ref.Kind != KindOverride { // which others seldom refer to, or never by name
					diags = append(diags, core.Diagnostic{Severity: core.SeverityWarning, Code: CodeDuplicate, Path: id.Pointer(),
						File: id.Pos.File, Line: id.Pos.Line, Column: id.Pos.Column, Help: "keep one of the two",
						Message: fmt.Sprintf("%s %s is already in %s, which is the one that is used", s.ref.Kind, s.ref.Identifier, other.source.File)})
				}
			}
			shelves[key] = append(shelves[key], s)
		}
	}
	return func(r Reference) (Source, bool) {
		if r.Nth > 0 {
			return nth(kinds[r.Kind], r)
		}
		return pick(shelves[Reference{Kind: r.Kind, Identifier: r.Identifier}], r)
	}, diags
}

// Shelves reports whether an Index would hold a document that has been parsed.
func Shelves(src Source) bool {
	_, _, ok := shelve(src)
	return ok
}

// shelve reads what a document is; ok is false for what a library does not hold.
func shelve(src Source) (s shelf, id *yamldoc.Node, ok bool) {
	kind, body := KindTemplate, src.root.Get("template")
	if body == nil {
		kind, body = KindInputSet, src.root.Get("inputSet")
	}
	if body == nil {
		body = src.root.Get("overlayInputSet")
	}
	if body == nil {
		kind, body = KindPipeline, src.root.Get("pipeline")
	}
	if body == nil {
		return shelveEntity(src)
	}
	id = body.Get("identifier")
	if !id.Scalar() {
		return s, nil, false
	}
	pipeline := textAt(body, "pipelineIdentifier")
	if p := body.Get("pipeline"); p != nil {
		pipeline = textAt(p, "identifier")
	}
	return shelf{source: src, ref: Reference{
		Kind: kind, Identifier: id.Text, Version: textAt(body, "versionLabel"), Label: textAt(body, "label"), Pipeline: pipeline,
		At: core.Scope{Org: textAt(body, "orgIdentifier"), Project: textAt(body, "projectIdentifier")},
	}}, id, true
}

// pick returns the document that fits a reference best: one of its scope before one
// of no scope, the highest version when none is asked for, the first of equals.
func pick(from []shelf, r Reference) (Source, bool) {
	var best *shelf
	for i := range from {
		s := &from[i]
		here := s.ref.At.Org == r.At.Org && s.ref.At.Project == r.At.Project
		switch {
		case !here && s.ref.At != core.Scope{},
			r.Version != "" && s.ref.Version != r.Version,
			r.Label != "" && !strings.EqualFold(r.Label, "stable") && !strings.EqualFold(r.Label, s.ref.Version) && !strings.EqualFold(r.Label, s.ref.Label),
			r.Environment != "" && s.ref.Environment != "" && s.ref.Environment != r.Environment,
			r.Pipeline != "" && s.ref.Pipeline != "" && s.ref.Pipeline != r.Pipeline:
			continue
		}
		bestHere := best != nil && best.ref.At.Org == r.At.Org && best.ref.At.Project == r.At.Project
		if best == nil || here && !bestHere || here == bestHere && compareVersions(s.ref.Version, best.ref.Version) > 0 {
			best = s
		}
	}
	if best == nil {
		return Source{}, false
	}
	return best.source, true
}

// compareVersions compares labels by their runs of digits and of other characters.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		x, restA := run(a)
		y, restB := run(b)
		n, errX := strconv.ParseUint(x, 10, 64)
		m, errY := strconv.ParseUint(y, 10, 64)
		order := strings.Compare(x, y)
		if errX == nil && errY == nil {
			order = cmp.Compare(n, m)
		}
		if order != 0 {
			return order
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// run cuts the first run of digits, or of anything else, off a label.
func run(s string) (first, rest string) {
	digit := func(i int) bool { return s[i] >= '0' && s[i] <= '9' }
	i := 1
	for i < len(s) && digit(i) == digit(0) {
		i++
	}
	return s[:i], s[i:]
}
