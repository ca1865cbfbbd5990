package ng

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxAdded is how many users one request may add.
const maxAdded = 100

// What came of adding a user, as Harness calls it.
const (
	userAdded = "USER_ADDED_SUCCESSFULLY"
	userThere = "USER_ALREADY_ADDED"
)

// addUsers is Harness's AddUsers: users by their addresses, and the groups of the scope
// that they are to be in. Nobody is asked by mail: they are there at once.
type addUsers struct {
	Emails []string      `json:"emails"`
	Roles  []roleBinding `json:"roleBindings"`
	Groups []string      `json:"userGroups"`
}

// roleBinding is Harness's RoleBinding.
type roleBinding struct {
	Role string `json:"roleIdentifier"`
}

// accountAdmin is the one role that there is.
const accountAdmin = "_account_admin"

// admin reports whether the users are to be admins. Every other role is refused: who is
// no admin may do the same as all who are none.
func (a addUsers) admin(at core.Scope) (bool, error) {
	admin := false
	for _, r := range a.Roles {
		if r.Role != accountAdmin || at.Org != "" {
			return false, fault.New(fault.Unsupported, "not supported yet: role %q: a user is an admin, %s of the account, or may do what is not for admins; leave roleBindings out", r.Role, accountAdmin)
		}
		admin = true
	}
	return admin, nil
}

func (d *door) addUsers(c *request.Call) (httpio.Answer, error) {
	done, _, err := d.added(c)
	return httpio.OK(c.Request, map[string]any{"addUserResponseMap": done}), err
}

// invite is addUsers as older clients have it.
func (d *door) invite(c *request.Call) (httpio.Answer, error) {
	done, emails, err := d.added(c)
	results := []string{}
	for _, e := range emails {
		results = append(results, done[e])
	}
	return httpio.OK(c.Request, results), err
}

// added adds users, and says what came of each address.
func (d *door) added(c *request.Call) (done map[string]string, emails []string, err error) {
	var in addUsers
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return nil, nil, err
	}
	if len(in.Emails) == 0 || len(in.Emails) > maxAdded {
		return nil, nil, fault.New(fault.Invalid, "field emails holds %d addresses: expected 1 to %d", len(in.Emails), maxAdded)
	}
	for _, e := range in.Emails {
		if !strings.Contains(e, "@") {
			return nil, nil, fault.New(fault.Invalid, "%q is not an e-mail address", e)
		}
	}
	admin, err := in.admin(c.At)
	if err != nil {
		return nil, nil, err
	}
	groups, err := d.groups(c, in.Groups)
	if err != nil {
		return nil, nil, err
	}
	done = map[string]string{}
	for _, email := range in.Emails {
		if done[email], err = d.addUser(c, email, admin, groups); err != nil {
			return nil, nil, err
		}
	}
	return done, in.Emails, nil
}

func (d *door) addUser(c *request.Call, email string, admin bool, groups []core.EntityRef) (string, error) {
	all, err := d.Directory.Users(c.Ctx, c.Who.Account)
	if err != nil {
		return "", err
	}
	result := userThere
	i := slices.IndexFunc(all, func(u core.User) bool { return strings.EqualFold(cmp.Or(u.Email, u.ID), email) })
	u := core.User{ID: strings.ToLower(email), Name: email, Email: email}
	if i >= 0 {
		u = all[i]
	}
	if i < 0 || admin && !u.Admin {
		u.Admin = u.Admin || admin
		if u, err = d.Directory.SetUser(c.Ctx, c.Who.Account, c.Who.Actor, u); err != nil {
			return "", err
		}
	}
	if i < 0 {
		result = userAdded
	}
	return result, d.admit(c, groups, u.ID)
}

func (d *door) admit(c *request.Call, groups []core.EntityRef, user string) error {
	for _, g := range groups {
		if err := d.Directory.Admit(c.Ctx, c.Who.Account, g, []string{user}); err != nil {
			return err
		}
	}
	return nil
}

// groups are the groups that a request names. One of the account may be there by its
// members alone.
func (d *door) groups(c *request.Call, named []string) ([]core.EntityRef, error) {
	var out []core.EntityRef
	for _, name := range named {
		scope, id := c.At.Resolve(name)
		if govern.IsEverybody(id) {
			continue
		}
		ref := core.EntityRef{Kind: core.EntityUserGroup, Scope: scope, Identifier: id}
		there, err := d.Catalogue.Exists(c.Ctx, ref)
		if err == nil && !there {
			there, err = d.peopled(c, ref)
		}
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, fault.New(fault.Invalid, "there is no user group %q: create it first", name)
		}
		out = append(out, ref)
	}
	return out, nil
}

// peopled reports whether somebody is in a group.
func (d *door) peopled(c *request.Call, g core.EntityRef) (bool, error) {
	all, err := d.Directory.Users(c.Ctx, c.Who.Account)
	return slices.ContainsFunc(all, func(u core.User) bool { return slices.Contains(u.Groups, core.Membership(g)) }), err
}

// addToGroups puts a user into groups and takes them out of all others of the scope.
func (d *door) addToGroups(c *request.Call) (httpio.Answer, error) {
	var in struct {
		Add []string `json:"userGroupIdsToAdd"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	ids, all, err := d.people(c, []string{c.PathValue("id")})
	if err != nil {
		return httpio.Answer{}, err
	}
	groups, err := d.groups(c, in.Add)
	if err == nil {
		err = d.dismissed(c, all, ids[0], groups)
	}
	if err == nil {
		err = d.admit(c, groups, ids[0])
	}
	return httpio.OK(c.Request, err == nil), err
}

// dismissed takes a user out of the groups of the scope but those to stay in.
func (d *door) dismissed(c *request.Call, all []core.User, user string, stay []core.EntityRef) error {
	var others []string
	i := slices.IndexFunc(all, func(u core.User) bool { return u.ID == user })
	for _, u := range all {
		if u.ID != user {
			others = append(others, u.ID)
		}
	}
	for _, g := range all[i].Groups {
		ref := core.EntityRef{Kind: core.EntityUserGroup, Scope: c.At, Identifier: g[strings.LastIndex(g, "/")+1:]}
		if core.Membership(ref) != g || slices.Contains(stay, ref) {
			continue
		}
		if err := d.Directory.Dismiss(c.Ctx, c.Who.Account, ref, others); err != nil {
			return err
		}
	}
	return nil
}

// removeUser removes a user from the account; of an organization or project, to which
// nobody belongs alone, from its groups.
func (d *door) removeUser(c *request.Call) (httpio.Answer, error) {
	ids, all, err := d.people(c, []string{c.PathValue("id")})
	if err != nil {
		return httpio.Answer{}, fault.New(fault.NotFound, "there is no user %q", c.PathValue("id"))
	}
	if c.At.Org == "" {
		if err = d.Catalogue.RemoveKeys(c.Ctx, c.Who.Account, ids[0], c.Who.Actor.ID); err == nil {
			err = d.Directory.RemoveUser(c.Ctx, c.Who.Account, c.Who.Actor, ids[0])
		}
		return httpio.OK(c.Request, err == nil), err
	}
	err = d.dismissed(c, all, ids[0], nil)
	return httpio.OK(c.Request, err == nil), err
}

// updateUser gives a user another name: who asks, or, for admins, the one of the body.
func (d *door) updateUser(c *request.Call) (httpio.Answer, error) {
	var in struct {
		ID   string `json:"uuid"`
		Name string `json:"name"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	id := cmp.Or(in.ID, c.Who.Actor.ID)
	if id != c.Who.Actor.ID && !c.Who.Admin {
		return httpio.Answer{}, fault.New(fault.Forbidden, "%s may not change %s: that is for admins", c.Who.Actor.ID, id)
	}
	if strings.TrimSpace(in.Name) == "" {
		return httpio.Answer{}, fault.New(fault.Invalid, "field name is needed: what the user is called")
	}
	u, err := d.Directory.Rename(c.Ctx, c.Who.Account, c.Who.Actor, id, in.Name)
	return httpio.OK(c.Request, userInfo(c, u)), err
}
