package ng

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) userGroupRoutes() httpio.Routes {
	const path = "/ng/api/user-groups"
	r := resource{kind: core.EntityUserGroup}
	return httpio.Routes{
		"GET " + path:                            request.Scoped(d.listGroups(r)),
		"POST " + path:                           request.Scoped(d.saveGroup(r, entity.MustCreate, false)),
		"PUT " + path:                            request.Scoped(d.saveGroup(r, entity.MustReplace, false)),
		"POST " + path + "/v2":                   request.Scoped(d.saveGroup(r, entity.MustCreate, true)),
		"PUT " + path + "/v2":                    request.Scoped(d.saveGroup(r, entity.MustReplace, true)),
		"POST " + path + "/batch":                request.Scoped(d.batchGroups(r)),
		"POST " + path + "/{id}/users":           request.Scoped(d.members(r)),
		"GET " + path + "/{id}":                  request.Scoped(orNothing(d.getGroup(r))),
		"DELETE " + path + "/{id}":               request.Scoped(d.removeGroup(r)),
		"GET " + path + "/{id}/member/{user}":    request.Scoped(d.isMember(r)),
		"PUT " + path + "/{id}/member/{user}":    request.Scoped(d.setMember(r, true)),
		"DELETE " + path + "/{id}/member/{user}": request.Scoped(d.setMember(r, false)),
	}
}

// userGroup is Harness's UserGroup. In its second version users are called by their
// addresses.
type userGroup struct {
	named
	Account string           `json:"accountIdentifier,omitempty"`
	Users   []string         `json:"users,omitempty"`
	Notify  []map[string]any `json:"notificationConfigs,omitempty"`
	signOn
}

// notified are the ways in which a group may be told.
var notified = []string{"EMAIL", "SLACK", "PAGERDUTY", "MSTEAMS"}

// signOn is the single sign-on that a group is linked to. It is kept and given back:
// there is none yet that would bring a member.
type signOn struct {
	Linked      bool   `json:"ssoLinked,omitempty"`
	ID          string `json:"linkedSsoId,omitempty"`
	Type        string `json:"linkedSsoType,omitempty"`
	DisplayName string `json:"linkedSsoDisplayName,omitempty"`
	GroupID     string `json:"ssoGroupId,omitempty"`
	GroupName   string `json:"ssoGroupName,omitempty"`
}

// signOnFields are the fields of signOn that hold text.
var signOnFields = []string{"linkedSsoId", "linkedSsoType", "linkedSsoDisplayName", "ssoGroupId", "ssoGroupName"}

// people are an account's users by what a body calls them.
func (d *door) people(c *request.Call, called []string) (ids []string, all []core.User, err error) {
	all, err = d.Directory.Users(c.Ctx, c.Who.Account)
	for _, name := range called {
		i := slices.IndexFunc(all, func(u core.User) bool { return u.ID == name || u.Email != "" && strings.EqualFold(u.Email, name) })
		if i < 0 {
			return nil, nil, fault.New(fault.Invalid, "there is no user %q", name)
		}
		if !slices.Contains(ids, all[i].ID) {
			ids = append(ids, all[i].ID)
		}
	}
	return ids, all, err
}

// saveGroup keeps a group and makes those it names its members.
func (d *door) saveGroup(r resource, mode entity.Mode, byEmail bool) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var in struct {
			userGroup
			SSO      bool `json:"isSsoLinked"`
			External bool `json:"externallyManaged"`
		}
		if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
			return httpio.Answer{}, err
		}
		if in.External {
			return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: groups that are managed from outside, externallyManaged")
		}
		for _, n := range in.Notify {
			if typ, _ := n["type"].(string); !slices.Contains(notified, typ) {
				return httpio.Answer{}, fault.New(fault.Invalid, "notificationConfigs: type is %q: expected one of %s", typ, strings.Join(notified, ", "))
			}
		}
		in.Linked = in.Linked || in.SSO
		at, err := in.home(c)
		if err == nil {
			err = ownAccount(c, in.Account)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		ids, _, err := d.people(c, in.Users)
		if err != nil {
			return httpio.Answer{}, err
		}
		if govern.IsEverybody(in.Identifier) {
			return httpio.Answer{}, alwaysThere(in.Identifier)
		}
		in.Users = ids
		text, err := yamlOf(r.kind, in.userGroup)
		if err != nil {
			return httpio.Answer{}, err
		}
		r.read = func(*request.Call) (sent, error) { return sent{at: at, text: text}, nil }
		return d.keepGroup(c, r, mode, ids, byEmail)
	}
}

// keepGroup keeps a group's document. Who is no member any more is none before it is
// kept, who becomes one is so after: cut short, nobody has too much.
func (d *door) keepGroup(c *request.Call, r resource, mode entity.Mode, members []string, byEmail bool) (httpio.Answer, error) {
	in, err := r.read(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	var group core.EntityRef
	before := in.amend
	in.amend = func(e *core.Entity) error {
		group = e.EntityRef
		if before != nil {
			if err := before(e); err != nil {
				return err
			}
		}
		if err := c.Allow(govern.Edit, e.EntityRef); err != nil {
			return err
		}
		now, err := d.Catalogue.Get(c.Ctx, e.EntityRef)
		there := !fault.Is(err, fault.NotFound)
		if there && err != nil {
			return err
		}
		version, err := c.IfMatch()
		if err != nil || there == (mode == entity.MustCreate) || version != 0 && version != now.Version { // it will be refused
			return err
		}
		return d.Directory.Dismiss(c.Ctx, c.Who.Account, e.EntityRef, members)
	}
	r.read = func(*request.Call) (sent, error) { return in, nil }
	saved, err := d.keep(c, r, mode)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.Directory.Admit(c.Ctx, c.Who.Account, group, members); err != nil {
		return httpio.Answer{}, err
	}
	return d.shownGroup(c, saved.Entity, byEmail)
}

// shownGroup is Harness's UserGroup: its members are those who are, in the order in which
// they were named.
func (d *door) shownGroup(c *request.Call, e core.Entity, byEmail bool) (httpio.Answer, error) {
	in, err := body(e)
	if err != nil {
		return httpio.Answer{}, err
	}
	all, err := d.Directory.Users(c.Ctx, c.Who.Account)
	out := groupOf(e, in, all, byEmail)
	a := httpio.OK(c.Request, out)
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a, err
}

func groupOf(e core.Entity, in map[string]any, all []core.User, byEmail bool) map[string]any {
	said, _ := in["users"].([]any)
	order := func(u core.User) int {
		if i := slices.Index(said, any(u.ID)); i >= 0 {
			return i
		}
		return len(said)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(u core.User) bool { return !memberOf(u, e.EntityRef) })
	slices.SortStableFunc(all, func(a, b core.User) int { return order(a) - order(b) })
	users := []any{}
	for _, u := range all {
		if byEmail {
			users = append(users, map[string]any{"uuid": u.ID, "name": u.Name, "email": u.Email})
		} else {
			users = append(users, u.ID)
		}
	}
	notify, _ := in["notificationConfigs"].([]any)
	if notify == nil {
		notify = []any{}
	}
	linked := in["ssoLinked"] == true
	out := map[string]any{"accountIdentifier": e.Scope.Account, "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project),
		"identifier": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags), "users": users, "notificationConfigs": notify,
		"isSsoLinked": linked, "ssoLinked": linked, "externallyManaged": false, "harnessManaged": govern.IsEverybody(e.Identifier)}
	for _, name := range signOnFields {
		if v, ok := in[name]; ok {
			out[name] = v
		}
	}
	return out
}

// memberOf reports whether a user is in a group.
func memberOf(u core.User, g core.EntityRef) bool {
	return govern.IsEverybody(g.Identifier) || slices.Contains(u.Groups, core.Membership(g))
}

// alwaysThere refuses to change a group that everybody is in.
func alwaysThere(id string) error {
	return fault.New(fault.Invalid, "user group %q is always there, and everybody is in it: it cannot be changed", id)
}

// group is a group that a request names. The one that everybody in the scope is in is
// kept nowhere.
func (d *door) group(c *request.Call, r resource, a govern.Action) (core.Entity, error) {
	return d.groupAt(c, r.ref(c), a)
}

func (d *door) groupAt(c *request.Call, ref core.EntityRef, a govern.Action) (core.Entity, error) {
	if err := c.Allow(a, ref); err != nil {
		return core.Entity{}, err
	}
	if ref.Identifier != govern.Everybody(ref.Scope) {
		return d.Catalogue.Get(c.Ctx, ref)
	}
	if a != govern.View {
		return core.Entity{}, alwaysThere(ref.Identifier)
	}
	return core.Entity{EntityRef: ref, Name: allUsers[ref.Identifier], YAML: "{}"}, d.Catalogue.CheckScope(c.Ctx, ref.Scope)
}

// allUsers is what Harness names the groups that everybody is in.
var allUsers = map[string]string{"_account_all_users": "All Account Users", "_organization_all_users": "All Organization Users", "_project_all_users": "All Project Users"}

func (d *door) getGroup(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.group(c, r, govern.View)
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.shownGroup(c, e, false)
	}
}

func (d *door) listGroups(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		all, err := d.Directory.Users(c.Ctx, c.Who.Account)
		if err != nil {
			return httpio.Answer{}, err
		}
		r.show = func(e core.Entity) (any, error) {
			in, err := body(e)
			return groupOf(e, in, all, false), err
		}
		return d.list(r, listing{page: "pageIndex", size: "pageSize", order: "name,ASC",
			refused: []string{"filterType=EXCLUDE_INHERITED_GROUPS"}})(c)
	}
}

// removeGroup deletes a group, and shows it as it was.
func (d *door) removeGroup(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.group(c, r, govern.Delete)
		if err != nil {
			return httpio.Answer{}, err
		}
		shown, err := d.shownGroup(c, e, false)
		if err != nil {
			return httpio.Answer{}, err
		}
		_, err = d.remove(r)(c)
		return shown, err
	}
}

func (d *door) isMember(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.group(c, r, govern.View)
		if err != nil {
			return httpio.Answer{}, err
		}
		u, err := d.Govern.User(c.Ctx, c.Who.Account, c.PathValue("user"))
		return httpio.OK(c.Request, memberOf(u, e.EntityRef)), err
	}
}

// setMember puts one user into a group, or takes them out.
func (d *door) setMember(r resource, in bool) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.group(c, r, govern.Edit)
		if err != nil {
			return httpio.Answer{}, err
		}
		ids, all, err := d.people(c, []string{c.PathValue("user")})
		if err != nil {
			return httpio.Answer{}, err
		}
		if in {
			err = d.Directory.Admit(c.Ctx, c.Who.Account, e.EntityRef, ids)
		} else {
			var others []string
			for _, u := range all {
				if u.ID != ids[0] {
					others = append(others, u.ID)
				}
			}
			err = d.Directory.Dismiss(c.Ctx, c.Who.Account, e.EntityRef, others)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.shownGroup(c, e, false)
	}
}
