package entity

import (
	"context"
	"slices"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// misfit are the codes of what an input set gives that its pipeline does not ask for.
var misfit = []string{compile.CodeUnknownInput, compile.CodeFixedInput, compile.CodeInput}

// Stale says what of an input set or overlay does not fit its pipeline (any more): values
// for what is there no longer, or is no runtime input (BEHAVIOUR §12.4).
func (c *Catalogue) Stale(ctx context.Context, set core.Entity) (core.Diagnostics, error) {
	p, err := c.Get(ctx, core.EntityRef{Kind: core.EntityPipeline, Scope: set.Scope, Identifier: set.Parent})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	shelves := c.Shelves(ctx, set.Scope.Account)
	_, diags := compile.Compile(compile.Source{File: fileName(p.EntityRef), Data: []byte(p.YAML)}, compile.Options{Scope: p.Scope,
		Library: shelves.Find, Lenient: true, InputSets: []compile.Source{{File: fileName(set.EntityRef), Data: []byte(set.YAML)}}})
	return slices.DeleteFunc(diags, func(d core.Diagnostic) bool { return !slices.Contains(misfit, d.Code) }), shelves.Err()
}
