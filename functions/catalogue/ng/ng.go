// Package ng is the REST interface to what people keep, on the paths and in the bodies
// of Harness's NG services: one file per kind says how its bodies are read and shown,
// resource.go does with them what is the same for all.
package ng

import (
	"maps"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Config is what the routes are handed to. All of it is required.
type Config struct {
	Catalogue *entity.Catalogue
	Govern    *govern.Govern
	Directory *govern.Directory
	IDs       core.IDs
	Clock     core.Clock
}

// door serves the routes.
type door struct {
	Config
}

// Routes are the routes of all kinds. They take the principal from the context and
// serve users only.
func Routes(cfg Config) httpio.Routes {
	d := &door{cfg}
	all := httpio.Routes{}
	for _, routes := range []httpio.Routes{d.organizationRoutes(), d.projectRoutes(), d.serviceRoutes(),
		d.environmentRoutes(), d.environmentGroupRoutes(), d.infrastructureRoutes(),
		d.pipelineRoutes(), d.templateRoutes(), d.inputSetRoutes(), d.triggerRoutes(), d.gitRoutes(),
		d.connectorRoutes(), d.secretRoutes(), d.overridesRoutes(), d.legacyOverridesRoutes(), d.variableRoutes(), d.fileRoutes(), d.v1EntityRoutes(), d.v1InfrastructureRoutes(), d.v1FlatRoutes(), placesInGit(), accountRoutes()} {
		maps.Copy(all, routes)
	}
	for _, routes := range d.peopleRoutes() {
		maps.Copy(all, routes)
	}
	return all
}

// peopleRoutes are the routes of who there is and of what speaks for them.
func (d *door) peopleRoutes() []httpio.Routes {
	return []httpio.Routes{d.serviceAccountRoutes(), d.apiKeyRoutes(), d.tokenRoutes(), d.filterRoutes(), d.delegateTokenRoutes(),
		d.userRoutes(), d.userGroupRoutes(), d.freezeRoutes()}
}
