package client

import (
	"context"
	"net/url"

	"github.com/slipway-cd/slipway/shared/view"
)

// Locks lists what runs of the account hold and wait for.
func (c *Client) Locks(ctx context.Context) ([]view.Lock, error) {
	var out struct {
		Locks []view.Lock `json:"locks"`
	}
	err := c.get(ctx, "/slipway/v1/locks", nil, &out)
	return out.Locks, err
}

// Lock returns one lock; a free one when nobody wants it.
func (c *Client) Lock(ctx context.Context, kind, key string) (view.Lock, error) {
	var out struct {
		Locks []view.Lock `json:"locks"`
	}
	if err := c.get(ctx, "/slipway/v1/locks", url.Values{"kind": {kind}, "key": {key}}, &out); err != nil || len(out.Locks) == 0 {
		return view.Lock{}, err
	}
	return out.Locks[0], nil
}
