package ng

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) userRoutes() httpio.Routes {
	const path = "/ng/api/user"
	return httpio.Routes{
		"GET " + path + "/currentUser":    request.Located(d.currentUser),
		"POST " + path + "/aggregate":     request.Scoped(d.listUsers),
		"GET " + path + "/aggregate/{id}": request.Scoped(d.getUser),
	}
}

// currentUser is Harness's UserInfo of who asks.
func (d *door) currentUser(c *request.Call) (httpio.Answer, error) {
	a := c.Who.Actor
	return httpio.OK(c.Request, map[string]any{"uuid": a.ID, "name": a.Name, "email": a.Email, "admin": c.Who.Admin, "locked": false, "disabled": false,
		"emailVerified": true, "twoFactorAuthenticationEnabled": false, "externallyManaged": false, "defaultAccountId": c.Who.Account,
		"accounts": []any{map[string]any{"uuid": c.Who.Account, "accountName": c.Who.Account}}}), nil
}

// aggregateUser is Harness's UserAggregate. There are no roles yet.
func aggregateUser(u core.User) any {
	return map[string]any{"user": map[string]any{"uuid": u.ID, "name": cmp.Or(u.Name, u.ID), "email": u.Email, "locked": false, "disabled": false,
		"externallyManaged": false, "twoFactorAuthenticationEnabled": false}, "roleAssignmentMetadata": []any{}}
}

// listUsers lists the account's users, who are those of every organization and project.
func (d *door) listUsers(c *request.Call) (httpio.Answer, error) {
	if err := c.InReach(); err != nil {
		return httpio.Answer{}, err
	}
	var f struct {
		IDs    []string `json:"identifiers"`
		Emails []string `json:"emails"`
		Term   string   `json:"searchTerm"`
	}
	if err := c.Filter("User", &f, "parentFilter", "roleIdentifiers", "resourceGroupIdentifiers"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := readPaging(c.Q, listing{page: "pageIndex", size: "pageSize"})
	if err != nil {
		return httpio.Answer{}, err
	}
	all, err := d.Directory.Users(c.Ctx, c.Who.Account)
	if err != nil {
		return httpio.Answer{}, err
	}
	term := cmp.Or(c.Q.Get("searchTerm"), f.Term)
	all = slices.DeleteFunc(all, func(u core.User) bool {
		return len(f.IDs) > 0 && !slices.Contains(f.IDs, u.ID) || len(f.Emails) > 0 && !slices.Contains(f.Emails, u.Email) ||
			!contains(strings.Join([]string{u.ID, u.Name, u.Email}, "\n"), term)
	})
	items := []any{}
	for _, u := range httpio.Cut(all, p) {
		items = append(items, aggregateUser(u))
	}
	return httpio.OK(c.Request, httpio.NGPageOf(items, len(all), p)), nil
}

func (d *door) getUser(c *request.Call) (httpio.Answer, error) {
	if err := c.InReach(); err != nil {
		return httpio.Answer{}, err
	}
	u, err := d.Govern.User(c.Ctx, c.Who.Account, c.PathValue("id"))
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "there is no user %q", c.PathValue("id"))
	}
	return httpio.OK(c.Request, aggregateUser(u)), err
}
