package ng

import (
	"net/http"
	"strconv"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) triggerRoutes() httpio.Routes {
	const path = "/pipeline/api/triggers"
	r := resource{kind: core.EntityTrigger, parent: "targetIdentifier", read: readTrigger, show: showTrigger}
	of := func(h request.Handler) http.Handler {
		return request.Project(ofPipeline("targetIdentifier", local(h, "ignoreError")))
	}
	details, v2 := r, r
	details.show, v2.read = showTriggerDetails, readTriggerV2
	return httpio.Routes{
		"GET " + path:                   of(local(d.list(details, listing{fallback: 25}), "filter")),
		"POST " + path:                  of(d.create(r)),
		"GET " + path + "/{id}":         of(plainly(d.get(r))),
		"PUT " + path + "/{id}":         of(d.update(r)),
		"DELETE " + path + "/{id}":      of(d.remove(r)),
		"GET " + path + "/{id}/details": of(plainly(d.get(details))),
		"PUT " + path + "/{id}/status":  of(d.switchTrigger),
		"POST " + path + "/v2":          of(d.create(v2)),
		"PUT " + path + "/{id}/v2":      of(d.update(v2)),
	}
}

func readTrigger(c *request.Call) (sent, error) {
	text, err := httpio.Text(c.Request, httpio.MaxBody)
	return sent{at: c.At, text: text, amend: belongs(c.Q.Get("targetIdentifier"), "")}, err
}

// readTriggerV2 takes a trigger as text beside who is to run what it starts.
func readTriggerV2(c *request.Call) (sent, error) {
	var in struct {
		YAML     string         `json:"yaml"`
		Executor map[string]any `json:"executorInfo"`
	}
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	if len(in.Executor) > 0 {
		return sent{}, fault.New(fault.Unsupported, "not supported yet: executorInfo of a trigger")
	}
	return sent{at: c.At, text: in.YAML, amend: belongs(c.Q.Get("targetIdentifier"), "")}, nil
}

// enabled reports whether a trigger is in force: unless it says that it is not.
func enabled(facts map[string]string) bool { return facts["enabled"] != "false" }

// showTrigger is Harness's NGTriggerResponse.
func showTrigger(e core.Entity) (any, error) {
	return map[string]any{"name": e.Name, "identifier": e.Identifier, "description": orNil(e.Description), "type": e.Type,
		"accountIdentifier": e.Scope.Account, "orgIdentifier": e.Scope.Org, "projectIdentifier": e.Scope.Project, "targetIdentifier": e.Parent,
		"yaml": e.YAML, "version": e.Version, "enabled": enabled(e.Facts), "errors": map[string]any{}, "errorResponse": false, "yamlVersion": "0"}, nil
}

// showTriggerDetails is Harness's NGTriggerDetailsResponseDTO. Nothing fires yet, so
// there are no executions to tell of.
func showTriggerDetails(e core.Entity) (any, error) {
	return map[string]any{"name": e.Name, "identifier": e.Identifier, "description": orNil(e.Description), "type": e.Type, "tags": tagsOf(e.Tags),
		"executions": []int{0, 0, 0, 0, 0, 0, 0}, "yaml": e.YAML, "enabled": enabled(e.Facts), "isPipelineInputOutdated": false, "pipelineInputOutdated": false,
		"yamlVersion": "0", "triggerStatus": map[string]any{"status": "UNKNOWN", "detailMessages": []string{"not supported yet: triggers are kept and do not fire"}}}, nil
}

// switchTrigger turns a trigger on or off.
func (d *door) switchTrigger(c *request.Call) (httpio.Answer, error) {
	on, err := strconv.ParseBool(c.Q.Get("status"))
	if err != nil {
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter status is %q: expected true or false", c.Q.Get("status"))
	}
	ref := resource{kind: core.EntityTrigger, parent: "targetIdentifier"}.ref(c)
	_, err = d.set(c, ref, "enabled", strconv.FormatBool(on))
	return httpio.OK(c.Request, err == nil), err
}

// set gives a field of an entity's document another value.
func (d *door) set(c *request.Call, ref core.EntityRef, key, value string) (core.Entity, error) {
	version, err := c.IfMatch()
	if err == nil {
		err = c.Allow(govern.Edit, ref)
	}
	if err != nil {
		return core.Entity{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err != nil {
		return e, err
	}
	text, err := document.With(e.YAML, ref.Kind, key, value)
	if err != nil {
		return e, err
	}
	if version == 0 {
		version = e.Version // what is written is what was read, but for the field
	}
	saved, err := d.Catalogue.Save(c.Ctx, entity.Saving{Text: text, Mode: entity.MustReplace, By: entity.Change{By: c.Who.Actor.ID, Version: version},
		Expected: document.Expected{Kind: ref.Kind, Scope: ref.Scope, File: document.Root(ref.Kind) + ".yaml"}})
	return saved.Entity, request.Told(err)
}
