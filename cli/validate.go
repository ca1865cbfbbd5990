package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/core"
)

func (a *app) validate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE|FOLDER…",
		Short: "Say what is wrong with documents, all at once",
		Long: `Say what is wrong with documents, all at once: pipelines, templates, input sets,
triggers, services, environments, infrastructure, overrides, connectors, secrets,
freezes and GitOps applications. No platform is needed.

In a folder every *.yaml and *.yml is read, those in hidden folders and behind
links that lead out of it excepted; a document of somebody else is a warning there.
What a document refers to is looked for among all that are given.
- is standard input. Exit status: 0 all are right, 1 one is wrong, 2 one cannot be read.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.validateAll(args) },
	}
}

// judgement is what there is to say about one document, as it is printed.
type judgement struct {
	File        string       `json:"file"`
	Document    int          `json:"document"` // from 0 in the file
	Kind        string       `json:"kind"`     // "" when it is not known
	Identifier  string       `json:"identifier"`
	OK          bool         `json:"ok"` // no error
	Diagnostics []diagnostic `json:"diagnostics"`
}

// diagnostic is one of a judgement, whose file is said there.
type diagnostic struct {
	Severity core.Severity `json:"severity"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Line     int           `json:"line"`
	Column   int           `json:"column"` // in runes
	Path     string        `json:"path"`   // JSON Pointer
	Help     string        `json:"help"`
}

// tally counts documents for the last line.
type tally struct {
	documents, partly, wrong, unreadable int
}

func (a *app) validateAll(args []string) error {
	v := &validation{app: a}
	for _, arg := range args {
		if err := v.read(arg); err != nil {
			return err
		}
	}
	v.compile()
	t := &tally{unreadable: v.unreadable}
	for _, e := range v.examined {
		t.count(e.judgement)
		if err := a.judged(e.judgement); err != nil {
			return err
		}
	}
	if !a.json() {
		a.sum(t)
	}
	switch {
	case t.unreadable > 0:
		return &ended{exitInvalid}
	case t.wrong > 0:
		return &ended{exitFailed}
	}
	return nil
}

// judged prints what there is to say about a document.
func (a *app) judged(v judgement) error {
	if a.json() {
		return a.print(v)
	}
	for _, d := range v.Diagnostics {
		line := core.Diagnostic{Severity: d.Severity, Message: d.Message, File: v.File, Line: d.Line, Column: d.Column, Help: d.Help}
		if _, err := fmt.Fprintln(a.out, a.theme.Clean(line.String())); err != nil {
			return err
		}
	}
	return nil
}

func (t *tally) count(v judgement) {
	t.documents++
	if !v.OK {
		t.wrong++
		return
	}
	if slices.ContainsFunc(v.Diagnostics, func(d diagnostic) bool { return d.Severity == core.SeverityUnsupported }) {
		t.partly++
	}
}

// sum says in one line how it went.
func (a *app) sum(t *tally) {
	parts := []string{fmt.Sprintf("%d right", t.documents-t.wrong-t.partly)}
	for _, p := range []struct {
		n    int
		what string
	}{{t.partly, "right but not supported in full yet"}, {t.wrong, "wrong"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	noun := "documents"
	if t.documents == 1 {
		noun = "document"
	}
	if t.documents > 0 || t.unreadable == 0 {
		fmt.Fprintf(a.out, "%d %s: %s\n", t.documents, noun, strings.Join(parts, ", "))
	}
	if t.unreadable > 0 {
		fmt.Fprintf(a.out, "%d could not be read\n", t.unreadable)
	}
}
