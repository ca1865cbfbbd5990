package client

import (
	"context"
	"net/url"

	"github.com/slipway-cd/slipway/shared/meter"
)

// Cost returns what a run has used and what that costs.
func (c *Client) Cost(ctx context.Context, run string) (out meter.Cost, err error) {
	return out, c.get(ctx, runs+"/"+url.PathEscape(run)+"/cost", nil, &out)
}
