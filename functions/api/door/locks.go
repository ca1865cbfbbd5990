package door

import (
	"cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
)

// listLocks lists what runs hold and wait for; with key, that one lock.
func (d *door) listLocks(c *request.Call) (httpio.Answer, error) {
	q := c.URL.Query()
	if !q.Has("key") {
		all, err := d.Views.Locks(c.Ctx, c.Who.Account)
		return httpio.Answer{Body: map[string]any{"locks": all}}, err
	}
	l, err := d.Views.Lock(c.Ctx, c.Who.Account, cmp.Or(q.Get("kind"), core.LockQueue), q.Get("key"))
	return httpio.Answer{Body: map[string]any{"locks": []view.Lock{l}}}, err
}
