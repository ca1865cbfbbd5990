// Package client calls the REST interface of a platform: one server, one token.
// It makes one attempt a call; errors are of package fault.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of one call.
const (
	callTimeout      = 30 * time.Second
	maxResponseBytes = 64 << 20 // a page of a log is the largest
)

// Client calls a server. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	as    string
	http  *http.Client
}

// New returns a client for the server at base, e.g. "http://127.0.0.1:7700".
// as, when not empty, is the user an admin acts as (examples on a laptop only).
func New(base, token, as string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "the server's address %q is not like https://host[:port]", base)
	}
	return &Client{base: strings.TrimRight(base, "/"), token: token, as: as, http: &http.Client{
		Timeout: callTimeout,
		// A redirect would carry the token somewhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// URL is the server's address, without a slash at the end.
func (c *Client) URL() string { return c.base }

// get reads path into out.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.call(ctx, http.MethodGet, path, nil, out)
}

// post sends in as JSON and reads the answer into out, which may be nil.
func (c *Client) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fault.New(fault.Invalid, "encoding a request: %w", err)
	}
	return c.call(ctx, http.MethodPost, path, body, out)
}

// call sends a body of JSON, or none.
func (c *Client) call(ctx context.Context, method, path string, body []byte, out any) error {
	return c.send(ctx, method, path, "application/json", body, out)
}

func (c *Client) send(ctx context.Context, method, path, content string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fault.New(fault.Invalid, "making a request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", content)
	}
	if match, _ := ctx.Value(matchHeader{}).(int64); match > 0 {
		req.Header.Set("If-Match", strconv.FormatInt(match, 10))
	}
	if key, _ := ctx.Value(keyHeader{}).(string); key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.as != "" {
		req.Header.Set("X-Slipway-As", c.as)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	switch {
	case err != nil:
		return c.transportError(ctx, err)
	case len(text) > maxResponseBytes:
		return fault.New(fault.TooLarge, "the answer to %s is larger than %d MB", path, maxResponseBytes>>20)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return statusError(resp, text)
	case out == nil:
		return nil
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = text
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fault.New(fault.Internal, "%s does not answer %s as Slipway does: %w", c.base, path, err)
	}
	return nil
}

func (c *Client) transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, "call given up: %w", context.Cause(ctx))
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is said here
	}
	return fault.New(fault.Unavailable, "%s cannot be reached: %w", c.base, err)
}
