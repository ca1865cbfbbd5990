package client

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/slipway-cd/slipway/shared/view"
)

// What can be answered to an approval.
const (
	Approve = "APPROVE"
	Reject  = "REJECT"
)

// Decision is one person's answer.
type Decision struct {
	Action   string
	Comments string
	Inputs   map[string]string
}

// Approvals returns an approval by its own id, or those of a run that wait.
func (c *Client) Approvals(ctx context.Context, id string) ([]view.Approval, error) {
	var out struct {
		Approvals []view.Approval `json:"approvals"`
	}
	return out.Approvals, c.get(ctx, "/slipway/v1/approvals/"+url.PathEscape(id), nil, &out)
}

// Decide answers an approval through Harness's route for it.
func (c *Client) Decide(ctx context.Context, approval string, d Decision) error {
	type input struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	body := struct {
		Action   string  `json:"action"`
		Comments string  `json:"comments"`
		Inputs   []input `json:"approverInputs"`
	}{d.Action, d.Comments, []input{}}
	for _, name := range slices.Sorted(maps.Keys(d.Inputs)) {
		body.Inputs = append(body.Inputs, input{name, d.Inputs[name]})
	}
	return c.post(ctx, "/pipeline/api/approvals/"+url.PathEscape(approval)+"/harness/activity", body, nil)
}

// Link makes a signed link with which user can decide an approval once. raw is
// the server's whole answer.
func (c *Client) Link(ctx context.Context, approval, user string) (link string, raw json.RawMessage, err error) {
	path := "/slipway/v1/approvals/" + url.PathEscape(approval) + "/link"
	if err := c.post(ctx, path, map[string]string{"user": user}, &raw); err != nil {
		return "", nil, err
	}
	var out struct {
		URL string `json:"url"`
	}
	err = json.Unmarshal(raw, &out)
	return out.URL, raw, err
}
