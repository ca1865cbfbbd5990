package core

import "strings"

// Severity of a diagnostic.
type Severity string

// Severities. Unsupported means valid, but a part of it cannot be executed yet.
const (
	SeverityError       Severity = "error"
	SeverityWarning     Severity = "warning"
	SeverityUnsupported Severity = "unsupported"
)

// Diagnostic is one thing to say about a document: data, not an error, so that
// all of them can be shown at once.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`    // stable, kebab-case: "unknown-field"
	Message  string   `json:"message"` // what is wrong; unsupported ones start "not supported yet:"
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line"`
	Column   int      `json:"column"` // in runes, from 1
	Path     string   `json:"path"`   // JSON Pointer
	Help     string   `json:"help,omitempty"`
}

// String is the diagnostic as one line: file:line:column: severity: message.
func (d Diagnostic) String() string {
	pos := Position{File: d.File, Line: d.Line, Column: d.Column}
	s := pos.String() + ": " + string(d.Severity) + ": " + d.Message
	if d.Help != "" {
		s += " (" + d.Help + ")"
	}
	return s
}

// Diagnostics are all that was found in one document.
type Diagnostics []Diagnostic

// Blocks reports whether a plan must not run: any error or unsupported part.
func (ds Diagnostics) Blocks() bool {
	for _, d := range ds {
		if d.Severity != SeverityWarning {
			return true
		}
	}
	return false
}

func (ds Diagnostics) String() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}
