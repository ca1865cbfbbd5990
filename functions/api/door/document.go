package door

import (
	"fmt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// readPipeline reads from a pipeline's YAML what it is listed by. Only its root
// and the envelope of BEHAVIOUR §1.5 are checked: what cannot be executed yet can
// still be kept.
func readPipeline(text string, at core.Scope) (core.Pipeline, error) {
	p := core.Pipeline{Scope: at, YAML: text}
	docs, diags := yamldoc.Parse("pipeline.yaml", []byte(text))
	if diags.Blocks() {
		return p, httpio.Diagnosed(diags)
	}
	if len(docs) != 1 || docs[0].Root.Get("pipeline") == nil {
		return p, fault.New(fault.Invalid, "the body is one YAML document with the key pipeline at its root")
	}
	e := envelope{root: docs[0].Root.Get("pipeline")}
	p.Identifier = e.text("identifier")
	p.Name = e.text("name")
	p.Desc = e.text("description")
	e.must(identifier.MatchString(p.Identifier), "identifier", "identifier %q: expected letters, digits and _, at most 128", p.Identifier)
	e.must(p.Name != "", "name", "the pipeline has no name")
	for key, want := range map[string]string{"orgIdentifier": at.Org, "projectIdentifier": at.Project} {
		got := e.text(key)
		e.must(got == "" || got == want, key, "%s is %q in the YAML and %q in the request", key, got, want)
	}
	if tags := e.root.Get("tags"); tags != nil {
		p.Tags = map[string]string{}
		for _, t := range tags.Entries {
			p.Tags[t.Key.Text] = t.Value.Text
		}
	}
	if e.diags.Blocks() {
		return p, httpio.Diagnosed(e.diags)
	}
	return p, nil
}

// envelope reads scalars of a document and keeps what is wrong with them.
type envelope struct {
	root  *yamldoc.Node
	diags core.Diagnostics
}

func (e *envelope) text(key string) string {
	n := e.root.Get(key)
	if n == nil || n.Kind == yamldoc.Null {
		return ""
	}
	e.must(n.Scalar(), key, "%s is %s: expected a string", key, n.Kind)
	return n.Text
}

func (e *envelope) must(holds bool, key, format string, args ...any) {
	if holds {
		return
	}
	n := e.root.Get(key)
	if n == nil {
		n = e.root
	}
	e.diags = append(e.diags, core.Diagnostic{Severity: core.SeverityError, Code: "invalid-value", Message: fmt.Sprintf(format, args...),
		File: n.Pos.File, Line: n.Pos.Line, Column: n.Pos.Column, Path: n.Pointer()})
}

// stageNames lists a stored pipeline's stages, those in parallels included.
func stageNames(text string) []string {
	names := []string{}
	docs, _ := yamldoc.Parse("", []byte(text))
	if len(docs) == 0 {
		return names
	}
	var walk func(list *yamldoc.Node)
	walk = func(list *yamldoc.Node) {
		if list == nil {
			return
		}
		for _, it := range list.Items {
			if s := it.Get("stage"); s != nil {
				name := s.Get("name")
				if name == nil {
					name = s.Get("identifier")
				}
				if name.Scalar() {
					names = append(names, name.Text)
				}
			}
			walk(it.Get("parallel"))
		}
	}
	walk(docs[0].Root.At("pipeline", "stages"))
	return names
}
