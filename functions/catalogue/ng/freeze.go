package ng

import (
	"cmp"
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

const (
	freezeOn  = "Enabled"
	freezeOff = "Disabled"
)

// freezeRoutes keep freezes. Runs do not ask them yet.
func (d *door) freezeRoutes() httpio.Routes {
	const path = "/ng/api/freeze"
	r := resource{kind: core.EntityFreeze, read: d.readFreeze(false), show: d.showFreeze}
	g := r
	g.read = d.readFreeze(true)
	return httpio.Routes{
		"POST " + path:                         request.Scoped(d.create(r)),
		"GET " + path + "/{id}":                request.Scoped(plainly(d.get(r))),
		"PUT " + path + "/{id}":                request.Scoped(d.update(r)),
		"DELETE " + path + "/{id}":             request.Scoped(d.remove(r)),
		"POST " + path + "/list":               request.Scoped(d.listFreezes(r)),
		"POST " + path + "/updateFreezeStatus": request.Scoped(d.switchFreezes),
		"POST " + path + "/delete":             request.Scoped(d.removeFreezes),
		"GET " + path + "/getGlobalFreeze":     request.Scoped(d.globalFreeze(r)),
		"POST " + path + "/manageGlobalFreeze": request.Scoped(d.upsert(g)),
	}
}

// readFreeze takes a freeze as the YAML that the body is. One in force cannot be edited,
// only turned off (BEHAVIOUR §23.3).
func (d *door) readFreeze(global bool) func(*request.Call) (sent, error) {
	return func(c *request.Call) (sent, error) {
		text, err := httpio.Text(c.Request, httpio.MaxBody)
		return sent{at: c.At, text: text, amend: func(e *core.Entity) error {
			if global != (e.Identifier == document.GlobalFreeze) {
				return fault.New(fault.Invalid, "the identifier %s is that of the global freeze, which manageGlobalFreeze keeps, and no other", document.GlobalFreeze)
			}
			old, err := d.Catalogue.Get(c.Ctx, e.EntityRef)
			if fault.Is(err, fault.NotFound) {
				return nil
			}
			if err == nil && old.Facts["status"] == freezeOn && e.Facts["status"] == freezeOn && old.YAML != e.YAML {
				err = fault.New(fault.Invalid, "freeze %s is in force: disable it before you edit it", e.Identifier)
			}
			return err
		}}, err
	}
}

// showFreeze is Harness's FreezeDetailedResponse.
func (d *door) showFreeze(e core.Entity) (any, error) {
	in, err := body(e)
	windows, _ := in["windows"].([]any)
	if windows == nil {
		windows = []any{}
	}
	return map[string]any{"accountId": e.Scope.Account, "type": e.Type, "status": cmp.Or(e.Facts["status"], freezeOff), "name": e.Name,
		"description": e.Description, "tags": tagsOf(e.Tags), "orgIdentifier": orNil(e.Scope.Org), "projectIdentifier": orNil(e.Scope.Project),
		"windows": windows, "currentOrUpcomingWindow": d.nextWindow(windows), "identifier": e.Identifier, "createdAt": e.Created, "lastUpdatedAt": e.Updated,
		"freezeScope": level(e.Scope), "yaml": e.YAML}, err
}

func (d *door) listFreezes(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var f struct {
			IDs    []string `json:"freezeIdentifiers"`
			Status string   `json:"freezeStatus"`
			Term   string   `json:"searchTerm"`
			Sort   []string `json:"sort"`
		}
		if err := c.Filter("Freeze", &f, "startTime", "endTime"); err != nil {
			return httpio.Answer{}, err
		}
		next := *c
		next.Q = map[string][]string{"page": c.Q["page"], "size": c.Q["size"], "searchTerm": {f.Term}, "sort": {strings.Join(f.Sort, ",")}}
		return d.list(r, listing{fallback: 50, passes: func(row core.EntityRow) bool {
			return (len(f.IDs) == 0 || slices.Contains(f.IDs, row.Identifier)) && (f.Status == "" || f.Status == cmp.Or(row.Facts["status"], freezeOff)) &&
				row.Identifier != document.GlobalFreeze
		}})(&next)
	}
}

// each does something to every freeze that the body lists, and says of each how it went.
func (d *door) each(c *request.Call, a govern.Action, do func(core.EntityRef) (core.Entity, error)) (httpio.Answer, error) {
	var ids []string
	if err := httpio.JSON(c.Request, httpio.MaxBody, &ids); err != nil {
		return httpio.Answer{}, err
	}
	done, failed := []any{}, []any{}
	for _, id := range ids {
		ref := core.EntityRef{Kind: core.EntityFreeze, Scope: c.At, Identifier: id}
		err := c.Allow(a, ref)
		var e core.Entity
		if err == nil {
			e, err = do(ref)
		}
		if err != nil {
			failed = append(failed, map[string]any{"id": id, "errorMessage": err.Error()})
			continue
		}
		shown, err := d.showFreeze(e)
		if err != nil {
			return httpio.Answer{}, err
		}
		done = append(done, shown)
	}
	return httpio.OK(c.Request, map[string]any{"noOfSuccess": len(done), "noOfFailed": len(failed), "successfulFreezeResponseDTOList": done,
		"freezeErrorResponseDTOList": failed}), nil
}

func (d *door) switchFreezes(c *request.Call) (httpio.Answer, error) {
	status := c.Q.Get("status")
	if status != freezeOn && status != freezeOff {
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter status is %q: expected %s or %s", status, freezeOn, freezeOff)
	}
	return d.each(c, govern.Edit, func(ref core.EntityRef) (core.Entity, error) { return d.set(c, ref, "status", status) })
}

func (d *door) removeFreezes(c *request.Call) (httpio.Answer, error) {
	return d.each(c, govern.Delete, func(ref core.EntityRef) (core.Entity, error) {
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if err == nil {
			err = d.Catalogue.Remove(c.Ctx, ref, entity.Change{By: c.Who.Actor.ID}, false)
		}
		return e, err
	})
}

// globalFreeze is the scope's, one that is not in force where there is none.
func (d *door) globalFreeze(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref := core.EntityRef{Kind: core.EntityFreeze, Scope: c.At, Identifier: document.GlobalFreeze}
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		e, err := d.Catalogue.Get(c.Ctx, ref)
		if fault.Is(err, fault.NotFound) {
			e, err = core.Entity{EntityRef: ref, Name: "Global Freeze", Type: "GLOBAL", YAML: "freeze:\n  name: Global Freeze\n  identifier: " +
				document.GlobalFreeze + "\n  status: " + freezeOff + "\n"}, nil
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		return d.answer(c, r, e)
	}
}
