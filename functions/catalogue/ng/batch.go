package ng

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxBatch is how many services one request may create.
const maxBatch = 100

// createServices creates several services, one after the other. It stops at the first
// that cannot be; those before it stay.
func (d *door) createServices(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var bodies []json.RawMessage
		if err := httpio.JSON(c.Request, httpio.MaxBody, &bodies); err != nil {
			return httpio.Answer{}, err
		}
		if len(bodies) > maxBatch {
			return httpio.Answer{}, fault.New(fault.TooLarge, "%d services: one request may create %d", len(bodies), maxBatch)
		}
		items := []any{}
		for i, one := range bodies {
			saved, err := d.keep(part(c, one), r, entity.MustCreate)
			if err != nil {
				return httpio.Answer{}, fmt.Errorf("service %d of %d: %w", i+1, len(bodies), err)
			}
			item, err := r.show(saved.Entity)
			if err != nil {
				return httpio.Answer{}, err
			}
			items = append(items, item)
		}
		return httpio.OK(c.Request, httpio.NGPageOf(items, len(items), httpio.Paging{Size: max(1, len(items))})), nil
	}
}

// part is a call with a part of its body as its body.
func part(c *request.Call, body []byte) *request.Call {
	one, r := *c, c.Clone(c.Ctx)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	one.Request = r
	one.At = core.Scope{Account: c.At.Account, Org: c.At.Org, Project: c.At.Project}
	return &one
}
