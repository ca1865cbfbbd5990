package ng

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// connectorCategories answers with the types of connectors that there can be.
func connectorCategories(c *request.Call) (httpio.Answer, error) {
	return httpio.OK(c.Request, map[string]any{"catalogue": connectorCatalogue}), nil
}

// countConnectors is Harness's ConnectorStatistics. No connection is ever tested: the
// status of each is UNKNOWN.
func (d *door) countConnectors(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := c.Allow(govern.View, r.ref(c)); err != nil {
			return httpio.Answer{}, err
		}
		rows, total, err := d.Catalogue.List(c.Ctx, entity.Query{Kind: r.kind, Scope: c.At})
		if err != nil {
			return httpio.Answer{}, err
		}
		counts := map[string]int{}
		for _, row := range rows {
			counts[row.Type]++
		}
		types, statuses := []any{}, []any{}
		for _, t := range slices.Sorted(maps.Keys(counts)) {
			types = append(types, map[string]any{"type": t, "count": counts[t]})
		}
		if total > 0 {
			statuses = append(statuses, map[string]any{"status": "UNKNOWN", "count": total})
		}
		return httpio.OK(c.Request, map[string]any{"typeStats": types, "statusStats": statuses}), nil
	}
}

// maxNamed is how many connectors one request may name.
const maxNamed = 1000

// connectorsNamed reads connectors by their full names, ACCOUNT[/ORG[/PROJECT]]/ID. Those
// that are not there are left out.
func (d *door) connectorsNamed(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var names []string
		if err := httpio.JSON(c.Request, httpio.MaxBody, &names); err != nil {
			return httpio.Answer{}, err
		}
		if len(names) > maxNamed {
			return httpio.Answer{}, fault.New(fault.TooLarge, "%d connectors: one request may name %d", len(names), maxNamed)
		}
		items := []any{}
		for _, name := range names {
			ref, err := fullName(c, r.kind, name)
			if err == nil {
				err = c.Allow(govern.View, ref)
			}
			if err != nil {
				return httpio.Answer{}, err
			}
			e, err := d.Catalogue.Get(c.Ctx, ref)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return httpio.Answer{}, err
			}
			item, err := r.show(e)
			if err != nil {
				return httpio.Answer{}, err
			}
			items = append(items, item)
		}
		return httpio.OK(c.Request, items), nil
	}
}

func fullName(c *request.Call, kind core.EntityKind, name string) (core.EntityRef, error) {
	parts := strings.Split(name, "/")
	if n := len(parts); n < 2 || n > 4 || slices.Contains(parts, "") {
		return core.EntityRef{}, fault.New(fault.Invalid, "%q is no full name of a %s: it is ACCOUNT/ID, ACCOUNT/ORG/ID or ACCOUNT/ORG/PROJECT/ID", name, kind)
	}
	if parts[0] != c.At.Account {
		return core.EntityRef{}, fault.New(fault.Forbidden, "the token is of another account than %q", parts[0])
	}
	ref := core.EntityRef{Kind: kind, Scope: core.Scope{Account: parts[0]}, Identifier: parts[len(parts)-1]}
	if len(parts) > 2 {
		ref.Scope.Org = parts[1]
	}
	if len(parts) > 3 {
		ref.Scope.Project = parts[2]
	}
	return ref, nil
}

// unique answers whether an identifier is still free, named by a path's or query's
// parameter. It is not when it could not be an identifier.
func (d *door) unique(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref := r.ref(c)
		if id := c.Q.Get("identifier"); ref.Identifier == "" {
			ref.Identifier = id
		}
		if ref.Identifier == "" {
			return httpio.Answer{}, fault.New(fault.Invalid, "query parameter identifier is needed")
		}
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		if !request.Identifier.MatchString(ref.Identifier) {
			return httpio.OK(c.Request, false), nil
		}
		there, err := d.Catalogue.Exists(c.Ctx, ref)
		return httpio.OK(c.Request, !there && (r.kind != core.EntityConnector || ref.Identifier != document.BuiltInSecretManager)), err
	}
}

// testConnection answers as Harness does when a test has failed: no connection is
// tested yet, and nothing is said to work that was not tried.
func (d *door) testConnection(r resource, types ...string) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref := r.ref(c)
		if err := c.Allow(govern.Execute, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err != nil {
			return httpio.Answer{}, httpio.Missing(err)
		}
		if len(types) > 0 && !slices.Contains(types, e.Type) {
			return httpio.Answer{}, fault.New(fault.Invalid, "connector %s is of type %s: it reaches no Git repository", e.Identifier, e.Type)
		}
		return httpio.OK(c.Request, map[string]any{"status": "FAILURE", "errorSummary": untested,
			"errors":   []any{map[string]any{"reason": "Unsupported", "message": untested, "code": 0}},
			"testedAt": d.Clock.Now().UnixMilli(), "delegateId": nil, "taskId": nil}), nil
	}
}

// untested is the failure of every test.
const untested = "not supported yet: tests of connections"

// unsupported answers that a route is known and not supported yet.
func unsupported(what string) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := c.Allow(govern.View, core.EntityRef{Kind: core.EntityConnector, Scope: c.At}); err != nil {
			return httpio.Answer{}, err
		}
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: %s", what)
	}
}
