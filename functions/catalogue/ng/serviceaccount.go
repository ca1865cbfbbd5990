package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) serviceAccountRoutes() httpio.Routes {
	const path = "/ng/api/serviceaccount"
	r := resource{kind: core.EntityServiceAccount, read: readServiceAccount, show: showServiceAccount}
	a := r
	a.show = d.aggregateServiceAccount
	pages := listing{page: "pageIndex", size: "pageSize", order: "name,ASC",
		refused: []string{"filterType=EXCLUDE_INHERITED_SERVICE_ACCOUNTS"}}
	return httpio.Routes{
		"GET " + path:                     request.Scoped(d.all(r)),
		"POST " + path:                    request.Scoped(d.create(r)),
		"PUT " + path + "/{id}":           request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}":        request.Scoped(d.remove(r)),
		"GET " + path + "/aggregate":      request.Scoped(d.list(a, pages)),
		"GET " + path + "/manageable":     request.Scoped(d.list(r, pages)),
		"GET " + path + "/aggregate/{id}": request.Scoped(d.get(a)),
	}
}

// all answers with every entity of a list, in no pages.
func (d *door) all(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		next := *c
		next.Q = map[string][]string{"size": {"1000"}}
		for k, v := range c.Q {
			next.Q[k] = v
		}
		rows, total, _, err := d.rows(&next, r, listing{order: "name,ASC"})
		if err == nil && total > len(rows) {
			err = fault.New(fault.TooLarge, "there are %d: this route lists %d; use the one with pages", total, len(rows))
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(&next, r, rows)
		return httpio.OK(c.Request, items), err
	}
}

// serviceAccount is Harness's ServiceAccount.
type serviceAccount struct {
	named
	Email   string `json:"email"`
	Account string `json:"accountIdentifier,omitempty"`
}

func readServiceAccount(c *request.Call) (sent, error) {
	var in serviceAccount
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if err := ownAccount(c, in.Account); err != nil {
		return sent{}, err
	}
	at, err := in.home(c)
	if err != nil {
		return sent{}, err
	}
	text, err := yamlOf(core.EntityServiceAccount, in)
	return sent{at: at, text: text}, err
}

// ownAccount refuses a body for another account.
func ownAccount(c *request.Call, account string) error {
	if account != "" && account != c.Who.Account {
		return fault.New(fault.Forbidden, "the token is of another account than %q", account)
	}
	return nil
}

// showServiceAccount is Harness's ServiceAccount.
func showServiceAccount(e core.Entity) (any, error) {
	return map[string]any{"identifier": e.Identifier, "name": e.Name, "email": e.Facts["email"], "description": e.Description, "tags": tagsOf(e.Tags),
		"accountIdentifier": e.Scope.Account, "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project)}, nil
}

// aggregateServiceAccount is Harness's ServiceAccountAggregate. There are no roles yet.
func (d *door) aggregateServiceAccount(e core.Entity) (any, error) {
	sa, err := showServiceAccount(e)
	return map[string]any{"serviceAccount": sa, "createdAt": e.Created, "lastModifiedAt": e.Updated, "roleAssignmentsMetadataDTO": []any{}}, err
}
