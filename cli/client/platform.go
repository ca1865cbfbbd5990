package client

import (
	"context"

	"github.com/slipway-cd/slipway/shared/core"
)

// Delegate is a delegate the account has seen, and whether it is there now.
type Delegate struct {
	core.Delegate
	Connected bool `json:"connected"`
}

// Delegates lists the delegates the account has seen.
func (c *Client) Delegates(ctx context.Context) ([]Delegate, error) {
	var out struct {
		Delegates []Delegate `json:"delegates"`
	}
	return out.Delegates, c.get(ctx, "/slipway/v1/delegates", nil, &out)
}

// Health returns nil when the server answers.
func (c *Client) Health(ctx context.Context) error {
	return c.call(ctx, "GET", "/healthz", nil, nil)
}

// Check returns nil when the token is one of a user's.
func (c *Client) Check(ctx context.Context) error {
	_, err := c.Runs(ctx, core.DefaultOrg, core.DefaultProject, 1, "")
	return err
}
