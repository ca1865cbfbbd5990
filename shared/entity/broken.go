package entity

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// CodeBroken marks a warning about a document that does not go with what was saved.
const CodeBroken = "breaks-user"

// maxBroken bounds how many users are looked at when something changes.
const maxBroken = 100

// broken tells which others no longer go with what was saved: the pipelines that use a
// template, through other templates too, and the input sets of a pipeline. It is for
// telling only: what was saved stays.
func (c *Catalogue) broken(ctx context.Context, e core.Entity) (core.Diagnostics, error) {
	switch e.Kind {
	case core.EntityTemplate:
		return c.brokenPipelines(ctx, e.EntityRef)
	case core.EntityPipeline:
		return c.outdatedSets(ctx, e)
	default:
		return nil, nil
	}
}

func warn(r core.EntityRef, why string) core.Diagnostic {
	return core.Diagnostic{Severity: core.SeverityWarning, Code: CodeBroken, Message: fmt.Sprintf("%s does not go with this any more: %s", r, why)}
}

func (c *Catalogue) brokenPipelines(ctx context.Context, template core.EntityRef) (core.Diagnostics, error) {
	var out core.Diagnostics
	seen := map[core.EntityRef]bool{template.Unlabelled(): true}
	queue := []core.EntityRef{template}
	for looked := 0; len(queue) > 0 && looked < maxBroken; looked++ {
		users, err := c.Users(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		queue = queue[1:]
		for _, u := range users {
			if seen[u.Unlabelled()] {
				continue
			}
			seen[u.Unlabelled()] = true
			switch u.Kind {
			case core.EntityTemplate:
				queue = append(queue, u)
			case core.EntityPipeline:
				e, err := c.Get(ctx, u)
				if fault.Is(err, fault.NotFound) {
					continue
				}
				if err != nil {
					return nil, err
				}
				diags, err := c.Compiled(ctx, e)
				if err != nil {
					return nil, err
				}
				if wrong := Breaking(diags); len(wrong) > 0 && e.Draft == "" {
					out = append(out, warn(u, wrong[0].String()))
				}
			default: // others use no templates
			}
		}
	}
	return out, nil
}

// Breaking is what of a compilation's diagnostics keeps a pipeline from running. A
// difference in inputs is a warning to whoever only looks, and an error at run time.
func Breaking(diags core.Diagnostics) core.Diagnostics {
	return slices.DeleteFunc(slices.Clone(diags), func(d core.Diagnostic) bool {
		return d.Severity != core.SeverityError && d.Code != compile.CodeOutOfSync && d.Code != compile.CodeTemplate && d.Code != compile.CodeNotFound
	})
}

func (c *Catalogue) outdatedSets(ctx context.Context, p core.Entity) (core.Diagnostics, error) {
	rows, _, err := c.List(ctx, Query{Kind: core.EntityInputSet, Scope: p.Scope, Parent: p.Identifier})
	if err != nil {
		return nil, err
	}
	var out core.Diagnostics
	shelves := c.Shelves(ctx, p.Scope.Account)
	for _, row := range rows {
		set, err := c.Get(ctx, row.Ref(core.EntityInputSet))
		if err != nil {
			return nil, err
		}
		docs := yamldoc.Each(fileName(set.EntityRef), []byte(set.YAML))
		if len(docs) == 0 || docs[0].Root == nil {
			continue
		}
		diags := compile.LookInputs(compile.Parsed(fileName(set.EntityRef), []byte(set.YAML), docs[0]), shelves.Find)
		if len(diags) > 0 {
			out = append(out, warn(set.EntityRef, diags[0].String()))
		}
	}
	return out, shelves.Err()
}
