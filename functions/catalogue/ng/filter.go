package ng

import (
	"cmp"
	"maps"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Facts of a filter: who may see it, and whose it is.
const (
	visibility  = "filterVisibility"
	everyOne    = "EveryOne"
	onlyCreator = "OnlyCreator"
	creator     = "creator"
)

// filterRoutes are saved filters, which three of Harness's services have.
func (d *door) filterRoutes() httpio.Routes {
	routes := httpio.Routes{}
	r := resource{kind: core.EntityFilter, parent: "type", read: d.readFilter, show: showFilter}
	list := func(c *request.Call) (httpio.Answer, error) {
		l := listing{page: "pageIndex", size: "pageSize", order: "name,ASC", fallback: 100}
		l.passes = func(row core.EntityRow) bool { return visible(c, row.Facts) }
		return d.list(r, l)(c)
	}
	for _, path := range []string{"/ng/api/filters", "/pipeline/api/filters", "/template/api/filters"} {
		routes["GET "+path] = request.Scoped(typed(list))
		routes["POST "+path] = request.Scoped(d.create(r))
		routes["PUT "+path] = request.Scoped(d.update(r))
		routes["GET "+path+"/{id}"] = request.Scoped(typed(d.getFilter(r)))
		routes["DELETE "+path+"/{id}"] = request.Scoped(typed(d.removeFilter(r)))
	}
	return routes
}

// typed holds requests to saying what the filter is for.
func typed(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if c.Q.Get("type") == "" {
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter type is needed: what the filter is for, such as Connector")
		}
		return h(c)
	}
}

// visible reports whether whoever asks may see a filter.
func visible(c *request.Call, facts map[string]string) bool {
	return facts[visibility] != onlyCreator || facts[creator] == c.Who.Actor.ID
}

// filter is Harness's Filter.
type filter struct {
	named
	Visibility string         `json:"filterVisibility,omitempty"`
	Properties map[string]any `json:"filterProperties"`
}

func (d *door) readFilter(c *request.Call) (sent, error) {
	var in filter
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return sent{}, err
	}
	at, err := in.home(c)
	if err != nil {
		return sent{}, err
	}
	if in.Visibility = cmp.Or(in.Visibility, everyOne); in.Visibility != everyOne && in.Visibility != onlyCreator {
		return sent{}, fault.New(fault.Invalid, "filterVisibility is %q: expected %s or %s", in.Visibility, everyOne, onlyCreator)
	}
	typ, _ := in.Properties["filterType"].(string)
	old, err := d.Catalogue.Get(c.Ctx, core.EntityRef{Kind: core.EntityFilter, Scope: at, Parent: typ, Identifier: in.Identifier})
	switch {
	case err == nil && !visible(c, old.Facts):
		return sent{}, fault.New(fault.Forbidden, "filter %s is another's", in.Identifier)
	case err != nil && !fault.Is(err, fault.NotFound):
		return sent{}, err
	}
	text, err := yamlOf(core.EntityFilter, in)
	return sent{at: at, text: text, amend: func(e *core.Entity) error {
		e.Facts = maps.Clone(e.Facts)
		e.Facts[creator] = cmp.Or(old.Facts[creator], c.Who.Actor.ID)
		return nil
	}}, err
}

// getFilter answers with nothing for a filter that is not there: so Harness's Terraform
// provider learns that it is gone.
func (d *door) getFilter(r resource) request.Handler {
	return orNothing(func(c *request.Call) (httpio.Answer, error) {
		ref := r.ref(c)
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err == nil && !visible(c, e.Facts) {
			err = fault.New(fault.NotFound, "there is no %s", ref)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.answer(c, r, e)
	})
}

// orNothing answers without data where something is not there.
func orNothing(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		a, err := h(c)
		if fault.Is(err, fault.NotFound) {
			return httpio.OK(c.Request, nil), nil
		}
		return a, err
	}
}

func (d *door) removeFilter(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.Catalogue.Get(c.Ctx, r.ref(c))
		if err == nil && !visible(c, e.Facts) {
			err = fault.New(fault.Forbidden, "filter %s is another's", e.Identifier)
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return httpio.Answer{}, err
		}
		return d.remove(r)(c)
	}
}

// showFilter is Harness's Filter.
func showFilter(e core.Entity) (any, error) {
	in, err := body(e)
	return map[string]any{"identifier": e.Identifier, "name": e.Name, "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project),
		"filterProperties": in["filterProperties"], visibility: cmp.Or(e.Facts[visibility], everyOne)}, err
}
