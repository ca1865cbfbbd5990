package door

import (
	"cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
)

// listLocks lists what runs hold and wait for; with key, that one lock.
func (d *door) listLocks(c *call) (httpio.Answer, error) {
	q := c.URL.Query()
	if !q.Has("key") {
		all, err := d.Views.Locks(c.ctx, c.who.Account)
		return httpio.Answer{Body: map[string]any{"locks": all}}, err
	}
	l, err := d.Views.Lock(c.ctx, c.who.Account, cmp.Or(q.Get("kind"), core.LockQueue), q.Get("key"))
	return httpio.Answer{Body: map[string]any{"locks": []view.Lock{l}}}, err
}
