package door

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// runWhy tells why a node of a run stands as it does; without a node, why the run does.
func (d *door) runWhy(c *request.Call) (httpio.Answer, error) {
	r, _, err := d.Journal.Whole(c.Ctx, c.Who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	n := r.Plan.Root
	if name := c.Q.Get("node"); name != "" {
		if n, err = named(r, name); err != nil {
			return httpio.Answer{}, err
		}
	}
	story, err := d.Views.Story(c.Ctx, c.Who.Account, r.Launch.Run)
	if err != nil {
		return httpio.Answer{}, err
	}
	why, err := story.Why(n.FQN)
	return httpio.Answer{Body: why}, err
}
