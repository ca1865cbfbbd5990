package client

import (
	"context"
	"net/url"

	"github.com/slipway-cd/slipway/shared/replay"
)

// Record returns a run's recording, all pages of it.
func (c *Client) Record(ctx context.Context, run string) (*replay.Recording, error) {
	var all *replay.Recording
	q := url.Values{}
	for {
		var page struct {
			replay.Recording
			Next string `json:"next"`
		}
		if err := c.get(ctx, runs+"/"+url.PathEscape(run)+"/record", q, &page); err != nil {
			return nil, err
		}
		if all == nil {
			all = &page.Recording
		} else {
			all.Join(&page.Recording)
		}
		if page.Next == "" {
			return all, nil
		}
		q.Set("after", page.Next)
	}
}
