package door

import (
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/replay"
)

// recordRoutes are about how a run came to be what it is.
func (d *door) recordRoutes() httpio.Routes {
	return httpio.Routes{
		"GET /slipway/v1/runs/{run}/record": d.ofRun(govern.View, d.runRecord),
		"GET /slipway/v1/runs/{run}/why":    d.ofRun(govern.View, d.runWhy),
	}
}

// recordPage is a piece of a run's recording.
type recordPage struct {
	*replay.Recording
	Next string `json:"next,omitempty"` // ask for it with after; none at the end
}

// runRecord returns what a run was started with and its events, in pages.
func (d *door) runRecord(c *request.Call) (httpio.Answer, error) {
	after := c.Q.Get("after")
	if after != "" && !strings.HasPrefix(after, journal.RecordStart) || strings.ContainsFunc(after, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return httpio.Answer{}, fault.New(fault.Invalid, "query parameter after is %q: expected next of a former page", after)
	}
	rec, next, err := d.Journal.Record(c.Ctx, c.Who.Account, c.PathValue("run"), after)
	return httpio.Answer{Body: recordPage{rec, next}}, err
}
