package door

import (
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// cloneBody says where a clone goes and how it is called: where the old one is and as it
// is called, as far as it says nothing.
type cloneBody struct {
	Org        *string `json:"org"`     // "" with project "" is the account
	Project    *string `json:"project"` // "" is the organization
	Identifier string  `json:"identifier"`
	Name       string  `json:"name"`
	Force      bool    `json:"force"`
	DryRun     bool    `json:"dryRun"`
}

// to is the scope that the body names, seen from the old one's.
func (b cloneBody) to(c *request.Call, from core.Scope) (core.Scope, error) {
	org, project := from.Org, from.Project
	if b.Org != nil {
		org, project = *b.Org, ""
	}
	if b.Project != nil {
		project = *b.Project
	}
	err := c.Within(org, project)
	return c.At, err
}

// cloneEntity keeps an entity once more.
func (d *door) cloneEntity(c *request.Call) (httpio.Answer, error) {
	r, err := d.found(c, govern.View)
	if err != nil {
		return httpio.Answer{}, err
	}
	var in cloneBody
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	to, err := in.to(c, r.Scope)
	if err != nil {
		return httpio.Answer{}, err
	}
	saved, err := d.Catalogue.Clone(c.Ctx, entity.Cloning{From: r, To: document.Home(r.Kind, to), Identifier: in.Identifier, Name: in.Name,
		Force: in.Force, DryRun: in.DryRun, By: entity.Change{By: c.Who.Actor.ID},
		Allow: func(r core.EntityRef) error { return c.Allow(govern.Edit, r) }})
	if err != nil {
		return httpio.Answer{}, request.Told(err)
	}
	x := shownEntity(saved.Entity)
	x.Action, x.Diagnostics = saved.Action, saved.Diagnostics
	return httpio.Answer{Status: http.StatusCreated, Body: x, Header: map[string]string{"ETag": request.ETag(saved.Entity)}}, nil
}
