package client

import (
	"context"
	"net/url"

	"github.com/slipway-cd/slipway/shared/explain"
)

// Why tells why a node stands as it does, named by a path or an identifier; the run
// for "".
func (c *Client) Why(ctx context.Context, run, node string) (out explain.Answer, err error) {
	q := url.Values{}
	if node != "" {
		q.Set("node", node)
	}
	return out, c.get(ctx, runs+"/"+url.PathEscape(run)+"/why", q, &out)
}
