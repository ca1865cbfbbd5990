package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) organizationRoutes() httpio.Routes {
	const path = "/ng/api/organizations"
	r := resource{kind: core.EntityOrganization, read: readOrganization, show: showOrganization}
	return httpio.Routes{
		"GET " + path:              request.Scoped(d.list(r, listing{order: "name,ASC"})),
		"POST " + path:             request.Scoped(d.create(r)),
		"GET " + path + "/{id}":    request.Scoped(d.get(r)),
		"PUT " + path + "/{id}":    request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}": request.Scoped(d.remove(r)),
	}
}

// organizationBody is Harness's OrganizationRequest.
type organizationBody struct {
	Organization named `json:"organization"`
}

func readOrganization(c *request.Call) (sent, error) {
	var in organizationBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if err := in.Organization.called(core.EntityOrganization); err != nil && in.Organization.Identifier != "" {
		return sent{}, err
	}
	in.Organization.Org, in.Organization.Project = "", ""
	text, err := yamlOf(core.EntityOrganization, in.Organization)
	return sent{at: core.Scope{Account: c.At.Account}, text: text}, err
}

// showOrganization is Harness's OrganizationResponse.
func showOrganization(e core.Entity) (any, error) {
	return map[string]any{
		"organization": map[string]any{"identifier": e.Identifier, "name": e.Name, "description": e.Description, "tags": tagsOf(e.Tags)},
		"createdAt":    e.Created, "lastModifiedAt": e.Updated, "harnessManaged": e.Identifier == core.DefaultOrg,
	}, nil
}
