package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxGroups is how many groups one request may ask for.
const maxGroups = 100

// members lists the members of a group.
func (d *door) members(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.group(c, r, govern.View)
		if fault.Is(err, fault.NotFound) {
			err = httpio.Missing(err)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.pageOfUsers(c, userMetadata, func(u core.User) bool { return memberOf(u, e.EntityRef) })
	}
}

// groupFilter is Harness's UserGroupFilter.
type groupFilter struct {
	named
	Account string   `json:"accountIdentifier"`
	IDs     []string `json:"identifierFilter"`
}

// batchGroups shows the groups that a body names, as far as they are there.
func (d *door) batchGroups(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f groupFilter
		if err := c.Filter("EXCLUDE_INHERITED_GROUPS", &f, "databaseIdFilter", "userIdentifierFilter"); err != nil {
			return httpio.Answer{}, err
		}
		if len(f.IDs) == 0 || len(f.IDs) > maxGroups {
			return httpio.Answer{}, fault.New(fault.Invalid, "field identifierFilter names %d groups: expected 1 to %d", len(f.IDs), maxGroups)
		}
		at, err := f.home(c)
		if err == nil {
			err = ownAccount(c, f.Account)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		all, err := d.Directory.Users(c.Ctx, c.Who.Account)
		if err != nil {
			return httpio.Answer{}, err
		}
		groups := []any{}
		for _, id := range f.IDs {
			e, err := d.groupAt(c, core.EntityRef{Kind: r.kind, Scope: at, Identifier: id}, govern.View)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return httpio.Answer{}, err
			}
			in, err := body(e)
			if err != nil {
				return httpio.Answer{}, err
			}
			groups = append(groups, groupOf(e, in, all, false))
		}
		return httpio.OK(c.Request, groups), nil
	}
}
