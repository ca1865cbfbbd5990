package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// placesInGit are the routes that bring services, environments, infrastructures and
// overrides in from Git, or move them there.
func placesInGit() httpio.Routes {
	routes := httpio.Routes{}
	refuse := request.Scoped(func(*request.Call) (httpio.Answer, error) {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: services, environments, infrastructures and overrides in Git")
	})
	for _, path := range []string{"/ng/api/servicesV2", "/ng/api/environmentsV2", "/ng/api/infrastructures"} {
		routes["POST "+path+"/import"] = refuse
		routes["POST "+path+"/move-config/{id}"] = refuse
		routes["PUT "+path+"/{id}/update-git-metadata"] = refuse
	}
	const overrides = "/ng/api/serviceOverrides"
	routes["POST "+overrides+"/import"] = refuse
	routes["POST "+overrides+"/move-config"] = refuse
	routes["PUT "+overrides+"/update-git-metadata"] = refuse
	return routes
}
