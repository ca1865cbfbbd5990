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

func (d *door) environmentGroupRoutes() httpio.Routes {
	const path = "/ng/api/environmentGroup"
	r := resource{kind: core.EntityEnvironmentGroup, read: readEnvironmentGroup, show: showEnvironmentGroup}
	l := listing{fallback: 25, ids: []string{"envGroupIdentifiers"}}
	return httpio.Routes{
		"GET " + path + "/{id}":    request.Scoped(absent(d.get(r), map[string]any{"envGroup": nil})),
		"POST " + path + "/list":   request.Scoped(d.listEnvironmentGroups(r, l)),
		"POST " + path:             request.Scoped(d.create(r)),
		"PUT " + path + "/{id}":    request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}": request.Scoped(d.removeEnvironmentGroup(r)),
	}
}

// environmentGroupFilter is Harness's EnvironmentGroupFilterProperties.
type environmentGroupFilter struct {
	Name         string            `json:"envGroupName"`
	Description  string            `json:"description"`
	Environments []string          `json:"envIdentifiers"`
	Tags         map[string]string `json:"tags"`
}

func (f environmentGroupFilter) passes(row core.EntityRow) bool {
	has := strings.Split(row.Facts["envIdentifiers"], ",")
	missing := func(env string) bool { return !slices.Contains(has, env) }
	return contains(row.Name, f.Name) && contains(row.Description, f.Description) && tagged(row, f.Tags) && !slices.ContainsFunc(f.Environments, missing)
}

func (d *door) listEnvironmentGroups(r resource, l listing) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f environmentGroupFilter
		next, err := d.filterOf(c, "EnvironmentGroup", &f)
		if err != nil {
			return httpio.Answer{}, err
		}
		l := l
		l.passes = f.passes
		return d.list(r, l)(next)
	}
}

// environmentGroupBody is Harness's EnvironmentGroupRequest.
type environmentGroupBody struct {
	withYAML
	Color string `json:"color,omitempty"`
}

func readEnvironmentGroup(c *request.Call) (sent, error) {
	var in environmentGroupBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if strings.TrimSpace(in.YAML) == "" {
		return sent{}, fault.New(fault.Invalid, "field yaml is needed: the document of the environment group")
	}
	s, err := in.sent(c, core.EntityEnvironmentGroup, in)
	s.amend = func(e *core.Entity) error {
		in.over(e)
		setFact(e, "color", in.Color)
		return nil
	}
	return s, err
}

func (d *door) removeEnvironmentGroup(r resource) request.Handler {
	remove := d.remove(r)
	return func(c *request.Call) (httpio.Answer, error) {
		if _, err := remove(c); err != nil {
			return httpio.Answer{}, err
		}
		return httpio.OK(c.Request, map[string]any{"envGroup": map[string]any{"identifier": c.PathValue("id"), "accountId": c.At.Account,
			"orgIdentifier": orNil(c.At.Org), "projectIdentifier": orNil(c.At.Project), "deleted": true}}), nil
	}
}

// showEnvironmentGroup is Harness's EnvironmentGroupResponse.
func showEnvironmentGroup(e core.Entity) (any, error) {
	m := common(e)
	envs := strings.Split(e.Facts["envIdentifiers"], ",")
	m["envIdentifiers"] = slices.DeleteFunc(envs, func(s string) bool { return s == "" })
	m["color"] = cmp.Or(e.Facts["color"], plainColor)
	m["createdAt"], m["lastModifiedAt"] = e.Created, e.Updated
	return map[string]any{"envGroup": m}, nil
}
