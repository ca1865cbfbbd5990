// Package schema knows every kind of document: its fields, their types, values
// and rules. Check walks a document once and says all that is wrong with it, and
// JSONSchema prints the same facts for editors. The facts are text files in
// facts/, in our own words.
package schema

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// MaxDiagnostics is how many things are said about one document; the rest are
// found when these are mended.
const MaxDiagnostics = 500

// Codes of diagnostics. They are stable: users filter by them. Those of
// shared/compile and shared/yamldoc that say the same have the same words.
const (
	CodeForeign      = "not-a-slipway-document"
	CodeUnknownField = "unknown-field"
	CodeUnknownType  = "unknown-type"
	CodeMissingField = "missing-field"
	CodeExclusive    = "exclusive-fields"
	CodeWrongType    = "wrong-type"
	CodeValue        = "invalid-value"
	CodeRange        = "out-of-range"
	CodeIdentifier   = "invalid-identifier"
	CodeName         = "invalid-name"
	CodeDuplicate    = "duplicate-identifier"
	CodeSimilar      = "similar-identifier"
	CodeDuration     = "invalid-duration"
	CodeExpression   = "invalid-expression"
	CodeInputMarker  = "invalid-input-marker"
	CodeDeprecated   = "deprecated-field"
	CodeUnsupported  = "not-supported"
	CodeNotExecuted  = "not-executed"
)

// Finding is what there is to say about one document.
type Finding struct {
	Kind        string // name of one of Kinds, "" for a document of somebody else
	Identifier  string // "" when it has none
	Diagnostics core.Diagnostics
}

// OK reports whether the document is right, though parts of it may not be
// supported yet.
func (f Finding) OK() bool {
	for _, d := range f.Diagnostics {
		if d.Severity == core.SeverityError {
			return false
		}
	}
	return true
}

// Check recognises a document by its root and says all that is wrong with it, in
// the order of the text. A foreign document has no kind and one diagnostic, an
// error; callers that only come across it may soften it.
func Check(doc *yamldoc.Document) Finding {
	root := doc.Root
	k, at, ok := recognise(root)
	if !ok {
		return Finding{Diagnostics: foreign(root)}
	}
	c := &checker{}
	c.document(k, root, at)
	return Finding{Kind: k.Name, Identifier: identifierOf(k, at), Diagnostics: c.sorted()}
}
