package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func accountRoutes() httpio.Routes {
	return httpio.Routes{"GET /ng/api/accounts/{account}": request.Account(getAccount)}
}

// getAccount answers with Harness's AccountDTO of the caller's account: clients ask for it
// to see whether their token is good.
func getAccount(c *request.Call) (httpio.Answer, error) {
	if named := c.PathValue("account"); named != c.Who.Account {
		return httpio.Answer{}, fault.New(fault.Forbidden, "the token is of another account than %q", named)
	}
	return httpio.OK(c.Request, map[string]any{"identifier": c.Who.Account, "name": c.Who.Account, "companyName": c.Who.Account,
		"defaultExperience": "NG", "nextGenEnabled": true}), nil
}
