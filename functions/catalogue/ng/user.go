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
		"GET " + path + "/currentUser":             request.Located(d.currentUser),
		"POST " + path + "/aggregate":              request.Scoped(d.listUsers(aggregateUser)),
		"GET " + path + "/aggregate/{id}":          request.Scoped(d.getUser),
		"POST " + path + "/batch":                  request.Scoped(d.listUsers(userMetadata)),
		"POST " + path + "/users":                  request.Scoped(byAdmin(d.addUsers)),
		"POST /ng/api/invites":                     request.Scoped(byAdmin(d.invite)),
		"PUT " + path:                              request.Scoped(d.updateUser),
		"PUT " + path + "/add-user-to-groups/{id}": request.Scoped(byAdmin(d.addToGroups)),
		"DELETE " + path + "/{id}":                 request.Scoped(byAdmin(d.removeUser)),
	}
}

// currentUser is Harness's UserInfo of who asks.
func (d *door) currentUser(c *request.Call) (httpio.Answer, error) {
	a := c.Who.Actor
	return httpio.OK(c.Request, userInfo(c, core.User{ID: a.ID, Name: a.Name, Email: a.Email, Admin: c.Who.Admin})), nil
}

func userInfo(c *request.Call, u core.User) any {
	return map[string]any{"uuid": u.ID, "name": u.Name, "email": u.Email, "admin": u.Admin, "locked": false, "disabled": false,
		"emailVerified": true, "twoFactorAuthenticationEnabled": false, "externallyManaged": false, "defaultAccountId": c.Who.Account,
		"accounts": []any{map[string]any{"uuid": c.Who.Account, "accountName": c.Who.Account}}}
}

// aggregateUser is Harness's UserAggregate. There are no roles yet.
func aggregateUser(u core.User) any {
	return map[string]any{"user": userMetadata(u), "roleAssignmentMetadata": []any{}}
}

// userMetadata is Harness's UserMetadata.
func userMetadata(u core.User) any {
	return map[string]any{"uuid": u.ID, "name": cmp.Or(u.Name, u.ID), "email": u.Email, "locked": false, "disabled": false,
		"externallyManaged": false, "twoFactorAuthenticationEnabled": false}
}

// listUsers lists the account's users, who are those of every organization and project. A
// search for somebody's address finds nobody else: Harness's clients take the first or the
// last of what they find.
func (d *door) listUsers(show func(core.User) any) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := c.InReach(); err != nil {
			return httpio.Answer{}, err
		}
		return d.pageOfUsers(c, show, func(core.User) bool { return true })
	}
}

func (d *door) pageOfUsers(c *request.Call, show func(core.User) any, wanted func(core.User) bool) (httpio.Answer, error) {
	var f userFilter
	if err := c.Filter("User", &f, "parentFilter", "roleIdentifiers", "resourceGroupIdentifiers"); err != nil {
		return httpio.Answer{}, err
	}
	p, err := readPaging(c.Q, listing{page: "pageIndex", size: "pageSize"})
	if err == nil {
		err = httpio.Unsupported(c.Q, "pageToken", "sortOrders")
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	all, err := d.Directory.Users(c.Ctx, c.Who.Account)
	if err != nil {
		return httpio.Answer{}, err
	}
	f.Term = cmp.Or(c.Q.Get("searchTerm"), f.Term)
	exact := slices.ContainsFunc(all, f.addressed)
	all = slices.DeleteFunc(all, func(u core.User) bool { return !wanted(u) || !f.passes(u) || exact && !f.addressed(u) })
	items := []any{}
	for _, u := range httpio.Cut(all, p) {
		items = append(items, show(u))
	}
	return httpio.OK(c.Request, httpio.NGPageOf(items, len(all), p)), nil
}

// userFilter is Harness's UserFilter.
type userFilter struct {
	IDs    []string `json:"identifiers"`
	Emails []string `json:"emails"`
	Term   string   `json:"searchTerm"`
}

func (f userFilter) passes(u core.User) bool {
	return (len(f.IDs) == 0 || slices.Contains(f.IDs, u.ID)) && (len(f.Emails) == 0 || slices.Contains(f.Emails, u.Email)) &&
		slices.ContainsFunc([]string{u.ID, u.Name, u.Email}, f.found)
}

// found reports whether the search term is in a text; an address, or what it begins with,
// is where that begins.
func (f userFilter) found(text string) bool {
	if strings.Index(f.Term, "@") > 0 {
		return strings.HasPrefix(strings.ToLower(text), strings.ToLower(f.Term))
	}
	return contains(text, f.Term)
}

// addressed reports whether the search is for a user's address.
func (f userFilter) addressed(u core.User) bool {
	return f.Term != "" && strings.EqualFold(f.Term, u.Email)
}

func (d *door) getUser(c *request.Call) (httpio.Answer, error) {
	if err := c.InReach(); err != nil {
		return httpio.Answer{}, err
	}
	u, err := d.Govern.User(c.Ctx, c.Who.Account, c.PathValue("id"))
	if fault.Is(err, fault.NotFound) {
		err = httpio.Missing(fault.New(fault.NotFound, "there is no user %q", c.PathValue("id")))
	}
	return httpio.OK(c.Request, aggregateUser(u)), err
}
