package entity

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// CheckScope refuses an organization or project that is not there. Those called
// "default" always are.
func (c *Catalogue) CheckScope(ctx context.Context, s core.Scope) error {
	for _, r := range document.Homes(s) {
		ok, err := c.Exists(ctx, r)
		if err != nil {
			return err
		}
		if !ok && !isDefault(r) {
			return fault.New(fault.Invalid, "there is no %s %q%s: create it first", r.Kind, r.Identifier, inside(r))
		}
	}
	return nil
}

func inside(r core.EntityRef) string {
	if r.Kind == core.EntityProject {
		return " in organization " + r.Scope.Org
	}
	return ""
}

func isDefault(r core.EntityRef) bool {
	return r == defaultOrg(r.Scope.Account) || r == defaultProject(r.Scope.Account)
}

func defaultOrg(account string) core.EntityRef {
	return core.EntityRef{Kind: core.EntityOrganization, Scope: core.Scope{Account: account}, Identifier: core.DefaultOrg}
}

func defaultProject(account string) core.EntityRef {
	return core.EntityRef{Kind: core.EntityProject, Scope: core.Scope{Account: account, Org: core.DefaultOrg}, Identifier: core.DefaultProject}
}

// settle writes down the organization and the project that are there from the start,
// when somebody first asks for them.
func (c *Catalogue) settle(ctx context.Context, r core.EntityRef) error {
	if !isDefault(r) {
		return nil
	}
	if e, err := c.head(ctx, r); err != nil || e != nil {
		return err
	}
	_, err := c.Create(ctx, core.Entity{EntityRef: r, Name: "Default", YAML: string(r.Kind) + ":\n  name: Default\n  identifier: " + r.Identifier + "\n"}, Change{By: "slipway"})
	if fault.Is(err, fault.AlreadyExists) {
		return nil
	}
	return err
}

// lives reports whether an entity lives in an organization or project.
func lives(e, home core.EntityRef) bool {
	switch home.Kind {
	case core.EntityOrganization:
		return e.Scope.Account == home.Scope.Account && e.Scope.Org == home.Identifier
	case core.EntityProject:
		return e.Scope.Account == home.Scope.Account && e.Scope.Org == home.Scope.Org && e.Scope.Project == home.Identifier
	default:
		return false
	}
}

// inside are the entities that live in an organization or project, those of an
// organization's projects excepted: they go with their project.
func (c *Catalogue) inside(ctx context.Context, r core.EntityRef) ([]core.EntityRef, error) {
	s := r.Scope
	switch r.Kind {
	case core.EntityOrganization:
		s.Org = r.Identifier
	case core.EntityProject:
		s.Project = r.Identifier
	default:
		return nil, nil
	}
	var out []core.EntityRef
	for _, kind := range append(document.Kept(), core.EntityFile) {
		rows, _, err := c.List(ctx, Query{Kind: kind, Scope: s})
		if err != nil {
			return nil, err
		}
		out = append(out, refs(kind, rows)...)
	}
	return out, nil
}
