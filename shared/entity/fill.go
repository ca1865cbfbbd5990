package entity

import (
	"context"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
)

// Filling is what is laid over a pipeline's runtime inputs.
type Filling struct {
	Sets   []core.Entity // input sets and overlays, in order
	Last   string        // YAML over them all; "" for none
	Stages []string      // whose inputs are shown; none for all
}

// Fill lays input sets over a pipeline, with what is stored as its library. The
// diagnostics are about what does not fit; FileOf tells which input set one is about.
func (c *Catalogue) Fill(ctx context.Context, p core.Entity, f Filling) (compile.Filled, core.Diagnostics, error) {
	shelves := c.Shelves(ctx, p.Scope.Account)
	opt := compile.Options{Scope: p.Scope, Library: shelves.Find, Stages: f.Stages}
	for _, s := range f.Sets {
		opt.InputSets = append(opt.InputSets, compile.Source{File: FileOf(s.EntityRef), Data: []byte(s.YAML)})
	}
	if f.Last != "" {
		opt.InputSets = append(opt.InputSets, compile.Source{File: "lastYamlToMerge", Data: []byte(f.Last)})
	}
	filled, diags := compile.Fill(compile.Source{File: FileOf(p.EntityRef), Data: []byte(p.YAML)}, opt)
	return filled, diags, shelves.Err()
}

// Applied is a pipeline with its templates put in, with what is stored as its library.
func (c *Catalogue) Applied(ctx context.Context, at core.Scope, file, text string) (string, core.Diagnostics, error) {
	shelves := c.Shelves(ctx, at.Account)
	out, diags := compile.Applied(compile.Source{File: file, Data: []byte(text)}, compile.Options{Scope: at, Library: shelves.Find})
	return out, diags, shelves.Err()
}

// TemplateInputs is what a template asks for, what the templates in it ask for included.
func (c *Catalogue) TemplateInputs(ctx context.Context, t core.Entity) (string, error) {
	shelves := c.Shelves(ctx, t.Scope.Account)
	text := compile.Asked(compile.Source{File: FileOf(t.EntityRef), Data: []byte(t.YAML)}, compile.Options{Scope: t.Scope, Library: shelves.Find})
	return text, shelves.Err()
}

// FileOf is what diagnostics call a stored document.
func FileOf(r core.EntityRef) string { return fileName(r) }
