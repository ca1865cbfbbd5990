package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// validation looks at documents in two steps: each by itself, then those that refer
// to others with all of them at hand. Each is parsed once.
type validation struct {
	app        *app
	examined   []*examined
	library    []compile.Source // what others may refer to
	unreadable int
}

// examined is a document that has been looked at by itself.
type examined struct {
	judgement
	diags  core.Diagnostics
	source compile.Source // while it is needed
}

func (v *validation) read(arg string) error {
	if arg == "-" {
		data, err := io.ReadAll(io.LimitReader(v.app.in, maxFile+1))
		v.file("-", data, err, false)
		return nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		v.file(arg, nil, err, false)
		return nil
	}
	if !info.IsDir() {
		data, err := readDocument(arg)
		v.file(arg, data, err, false)
		return nil
	}
	before := len(v.examined) + v.unreadable
	err = walkDocuments(arg, func(file string, data []byte, err error) error {
		v.file(file, data, err, true)
		return nil
	})
	if err == nil && len(v.examined)+v.unreadable == before {
		fmt.Fprintf(v.app.err, "slipway: %s holds no *.yaml and no *.yml\n", arg)
	}
	return err
}

// file looks at every document of a file. found is true for files that nobody named.
func (v *validation) file(file string, data []byte, err error, found bool) {
	switch {
	case err != nil:
		v.unreadable++
		fmt.Fprintf(v.app.err, "slipway: %s: %v\n", file, plainError(err))
	case len(data) > maxFile:
		v.examined = append(v.examined, &examined{judgement: judgement{File: file}, diags: tooLarge(file)})
	default:
		v.documents(file, data, found)
	}
}

// tooLarge is what there is to say about a file that is not read to its end.
func tooLarge(file string) core.Diagnostics {
	return core.Diagnostics{{
		Severity: core.SeverityError, Code: yamldoc.CodeTooLarge, Message: fmt.Sprintf("the file is larger than %d MB", maxFile>>20),
		File: file, Line: 1, Column: 1, Help: "split it into smaller files",
	}}
}

func (v *validation) documents(file string, data []byte, found bool) {
	parsed := yamldoc.Each(file, data)
	for _, p := range parsed {
		if p.Root != nil && p.Root.Kind == yamldoc.Null && len(p.Diagnostics) == 0 && len(parsed) > 1 {
			continue // what a last --- leaves
		}
		e := &examined{judgement: judgement{File: file, Document: p.Index}, diags: p.Diagnostics}
		v.examined = append(v.examined, e)
		if p.Root == nil {
			continue
		}
		f := schema.Check(&yamldoc.Document{Index: p.Index, Root: p.Root})
		e.Kind, e.Identifier = f.Kind, f.Identifier
		if f.Kind == "" && found {
			for i := range f.Diagnostics {
				f.Diagnostics[i].Severity = core.SeverityWarning
			}
		}
		if f.Kind != "" || len(e.diags) == 0 {
			e.diags = append(e.diags, f.Diagnostics...)
		}
		source := compile.Parsed(file, data, p)
		shelved := compile.Shelves(source)
		if shelved {
			v.library = append(v.library, source)
		}
		e.source = source
	}
}

// compile finds what a run would refuse of pipelines, which the compiler knows:
// parts that nothing executes yet and, as warnings, what Harness takes and we do not.
func (v *validation) compile() {
	library, diags := compile.Index(v.library)
	twice := map[string]core.Diagnostics{}
	for _, d := range diags {
		twice[d.File] = append(twice[d.File], d)
	}
	for _, e := range v.examined {
		for _, d := range twice[e.File] {
			if e.source.Holds(core.Position{File: d.File, Line: d.Line}) {
				e.diags = merge(e.diags, core.Diagnostics{d})
			}
		}
		switch e.Kind {
		case "pipeline":
			e.diags = merge(e.diags, refused(compile.Look(e.source, library)))
		case "inputSet", "overlayInputSet":
			e.diags = merge(e.diags, refused(compile.LookInputs(e.source, library)))
		default:
			e.diags = merge(e.diags, refused(compile.LookReferences(e.source, library)))
		}
		e.source = compile.Source{}
		e.close()
	}
}

// refused softens what is right for Harness.
func refused(diags core.Diagnostics) core.Diagnostics {
	for i, d := range diags {
		if d.Severity == core.SeverityError {
			diags[i].Severity, diags[i].Message = core.SeverityWarning, "a run refuses this: "+d.Message
		}
	}
	return diags
}

// close makes of the diagnostics what is printed.
func (e *examined) close() {
	e.OK = true
	e.Diagnostics = make([]diagnostic, len(e.diags))
	for i, d := range e.diags {
		e.OK = e.OK && d.Severity != core.SeverityError
		e.Diagnostics[i] = diagnostic{d.Severity, d.Code, d.Message, d.Line, d.Column, d.Path, d.Help}
	}
	e.diags = nil
}

// merge adds diagnostics of the compiler to those of the schema, in the order of the
// text. A warning is there already when anything is said about its line.
func merge(diags, more core.Diagnostics) core.Diagnostics {
	own := diags
	for _, d := range more {
		if !slices.ContainsFunc(own, func(o core.Diagnostic) bool {
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
