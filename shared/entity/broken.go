package entity

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// CodeBroken marks a warning about a document that does not go with what was saved.
const CodeBroken = "breaks-user"

// Bounds on what is looked at when something changes, and on what is told of each.
const (
	maxBroken  = 100
	maxReasons = 5
)

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

// warn tells of a user that does not fit any more: a warning for each reason, at its
// place in the user's document.
func warn(r core.EntityRef, why core.Diagnostics) core.Diagnostics {
	var out core.Diagnostics
	for _, d := range why[:min(len(why), maxReasons)] {
		d.Severity, d.Code, d.Message = core.SeverityWarning, CodeBroken, fmt.Sprintf("%s does not go with this any more: %s", r, d.Message)
		out = append(out, d)
	}
	if more := len(why) - maxReasons; more > 0 {
		out[maxReasons-1].Message += fmt.Sprintf(" (and %d more)", more)
	}
	return out
}

// unseen says that not all users have been looked at.
func unseen(n int, what string) core.Diagnostics {
	if n == 0 {
		return nil
	}
	return core.Diagnostics{{Severity: core.SeverityWarning, Code: CodeBroken, Message: fmt.Sprintf("%d more %s use this and have not been looked at", n, what)}}
}

func (c *Catalogue) brokenPipelines(ctx context.Context, template core.EntityRef) (core.Diagnostics, error) {
	pipelines, err := c.usersThrough(ctx, template)
	if err != nil {
		return nil, err
	}
	var out core.Diagnostics
	for _, u := range pipelines[:min(len(pipelines), maxBroken)] {
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
		if e.Draft == "" {
			out = append(out, warn(u, Breaking(diags))...)
		}
	}
	return append(out, unseen(max(0, len(pipelines)-maxBroken), "pipelines")...), nil
}

// usersThrough are the pipelines that use a template, by way of other templates too.
func (c *Catalogue) usersThrough(ctx context.Context, template core.EntityRef) ([]core.EntityRef, error) {
	var out []core.EntityRef
	seen := map[core.EntityRef]bool{template.Unlabelled(): true}
	for queue := []core.EntityRef{template}; len(queue) > 0; queue = queue[1:] {
		users, err := c.Users(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			if seen[u.Unlabelled()] {
				continue
			}
			seen[u.Unlabelled()] = true
			switch u.Kind {
			case core.EntityTemplate:
				queue = append(queue, u)
			case core.EntityPipeline:
				out = append(out, u)
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
	for _, row := range rows[:min(len(rows), maxBroken)] {
		set, err := c.Get(ctx, row.Ref(core.EntityInputSet))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		stale, err := c.Stale(ctx, set)
		if err != nil {
			return nil, err
		}
		out = append(out, warn(set.EntityRef, stale)...)
	}
	return append(out, unseen(max(0, len(rows)-maxBroken), "input sets")...), nil
}
