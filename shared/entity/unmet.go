package entity

import (
	stderrors "errors"
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

// CodeUnmet is the code of a reference to what is not there.
const CodeUnmet = "unmet-reference"

// Unmet says that a document refers to what has to be there before it and is not. Its
// kind is fault.Invalid.
type Unmet struct {
	error
	Used core.EntityRef
	// Diagnostic says it with its place, once the document is known.
	Diagnostic core.Diagnostic
}

// Unwrap gives the error its kind.
func (u *Unmet) Unwrap() error { return u.error }

// unmet finds the place in the document of what an error says is not there.
func unmet(err error, e core.Entity, file string) error {
	u, ok := stderrors.AsType[*Unmet](err)
	if !ok {
		return err
	}
	at := document.Where(e, file, u.Used)
	u.Diagnostic = core.Diagnostic{Severity: core.SeverityError, Code: CodeUnmet, File: at.File, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf("%s is not there", u.Used), Help: "create it first"}
	return u
}
