package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
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
	t := &tally{}
	for _, arg := range args {
		if err := a.validateArg(arg, t); err != nil {
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

func (a *app) validateArg(arg string, t *tally) error {
	if arg == "-" {
		data, err := io.ReadAll(io.LimitReader(a.in, maxFile+1))
		return a.validateFile("-", data, err, false, t)
	}
	info, err := os.Stat(arg)
	if err != nil {
		return a.validateFile(arg, nil, err, false, t)
	}
	if !info.IsDir() {
		data, err := readDocument(arg)
		return a.validateFile(arg, data, err, false, t)
	}
	before := t.documents + t.unreadable
	err = walkDocuments(arg, func(file string, data []byte, err error) error {
		return a.validateFile(file, data, err, true, t)
	})
	if err == nil && t.documents+t.unreadable == before {
		fmt.Fprintf(a.err, "slipway: %s holds no *.yaml and no *.yml\n", arg)
	}
	return err
}

// validateFile tells of every document of one file. found is true for files that
// nobody named.
func (a *app) validateFile(file string, data []byte, err error, found bool, t *tally) error {
	if err != nil {
		t.unreadable++
		fmt.Fprintf(a.err, "slipway: %s: %v\n", file, plainError(err))
		return nil
	}
	list := []judgement{tooLarge(file)}
	if len(data) <= maxFile {
		list = examine(file, data, found)
	}
	for _, v := range list {
		t.count(v)
		if a.json() {
			if err := a.print(v); err != nil {
				return err
			}
			continue
		}
		for _, d := range v.Diagnostics {
			line := core.Diagnostic{Severity: d.Severity, Message: d.Message, File: file, Line: d.Line, Column: d.Column, Help: d.Help}
			fmt.Fprintln(a.out, a.theme.Clean(line.String()))
		}
	}
	return nil
}

// tooLarge is what there is to say about a file that is not read to its end.
func tooLarge(file string) judgement {
	return judgement{File: file, Diagnostics: []diagnostic{{
		Severity: core.SeverityError, Code: yamldoc.CodeTooLarge, Message: fmt.Sprintf("the file is larger than %d MB", maxFile>>20),
		Line: 1, Column: 1, Help: "split it into smaller files",
	}}}
}

// examine judges every document of a file.
func examine(file string, data []byte, found bool) []judgement {
	later := notYet(file, data)
	parsed := yamldoc.Each(file, data)
	var out []judgement
	for _, p := range parsed {
		if p.Root != nil && p.Root.Kind == yamldoc.Null && len(p.Diagnostics) == 0 && len(parsed) > 1 {
			continue // what a last --- leaves
		}
		v := judgement{File: file, Document: p.Index}
		diags := p.Diagnostics
		if p.Root != nil {
			f := schema.Check(&yamldoc.Document{Index: p.Index, Root: p.Root})
			v.Kind, v.Identifier = f.Kind, f.Identifier
			if f.Kind == "" && found {
				for i := range f.Diagnostics {
					f.Diagnostics[i].Severity = core.SeverityWarning
				}
			}
			if f.Kind != "" || len(diags) == 0 {
				diags = append(diags, f.Diagnostics...)
			}
		}
		if v.Kind == "pipeline" && len(parsed) == 1 {
			diags = merge(diags, later())
		}
		v.OK = true
		v.Diagnostics = make([]diagnostic, len(diags))
		for i, d := range diags {
			v.OK = v.OK && d.Severity != core.SeverityError
			v.Diagnostics[i] = diagnostic{d.Severity, d.Code, d.Message, d.Line, d.Column, d.Path, d.Help}
		}
		out = append(out, v)
	}
	return out
}

// notYet finds what a run would refuse of a pipeline, which the compiler knows:
// parts that nothing executes yet, and, as warnings, what Harness takes and we do
// not. It works while the document is looked at by the schema.
func notYet(file string, data []byte) func() core.Diagnostics {
	if len(data) > yamldoc.MaxDocument || !bytes.HasPrefix(data, []byte("pipeline:")) && !bytes.Contains(data, []byte("\npipeline:")) {
		return func() core.Diagnostics { return nil }
	}
	got := make(chan core.Diagnostics, 1)
	go func() {
		_, diags := compile.Compile(compile.Source{File: file, Data: data}, compile.Options{Lenient: true})
		diags = slices.DeleteFunc(diags, func(d core.Diagnostic) bool { return d.Code == compile.CodeMissingInput })
		for i, d := range diags {
			if d.Severity == core.SeverityError {
				diags[i].Severity, diags[i].Message = core.SeverityWarning, "a run refuses this: "+d.Message
			}
		}
		got <- diags
	}()
	return func() core.Diagnostics { return <-got }
}

// merge adds diagnostics that are not there, in the order of the text. A warning is
// there when anything is said about its line.
func merge(diags, more core.Diagnostics) core.Diagnostics {
	for _, d := range more {
		if !slices.ContainsFunc(diags, func(o core.Diagnostic) bool {
			return o.Line == d.Line && (o.Column == d.Column || d.Severity == core.SeverityWarning) && (o.Severity == d.Severity || d.Severity == core.SeverityWarning)
		}) {
			diags = append(diags, d)
		}
	}
	slices.SortStableFunc(diags, func(a, b core.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return diags
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
