// Package httpclient speaks the delegate's protocol over HTTPS: one host, dialed
// out to, one bearer token. It makes one attempt a call; the delegate retries.
package httpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// Bounds of one call.
const (
	callTimeout      = 40 * time.Second
	maxResponseBytes = 32 << 20 // a sync may carry Capacity specs
	maxErrorBytes    = 4 << 10
)

// Client calls a server. It is safe for concurrent use.
type Client struct {
	base  string
	token func() string
	http  *http.Client
}

// New returns a client for the server at base, e.g. "https://slipway.example.com".
// token is asked before every call, so that a credential can be replaced while the
// delegate runs. transport may be nil.
func New(base string, token func() string, transport http.RoundTripper) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "the server's address %q is not like https://host[:port]", base)
	}
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64 // every task may be calling
		transport = t
	}
	return &Client{
		base: strings.TrimRight(base, "/"), token: token,
		http: &http.Client{
			Transport: transport, Timeout: callTimeout,
			// A redirect would carry the token somewhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Sync calls wire.RouteSync.
func (c *Client) Sync(ctx context.Context, req wire.SyncRequest) (resp wire.SyncResponse, err error) {
	err = c.call(ctx, wire.RouteSync, req, &resp)
	return resp, err
}

// Complete calls wire.RouteComplete.
func (c *Client) Complete(ctx context.Context, req wire.CompleteRequest) (resp wire.CompleteResponse, err error) {
	err = c.call(ctx, wire.RouteComplete, req, &resp)
	return resp, err
}

// Logs calls wire.RouteLogs.
func (c *Client) Logs(ctx context.Context, req wire.LogRequest) (resp wire.LogResponse, err error) {
	err = c.call(ctx, wire.RouteLogs, req, &resp)
	return resp, err
}

func (c *Client) call(ctx context.Context, route string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fault.New(fault.Invalid, "encoding a request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+route, bytes.NewReader(body))
	if err != nil {
		return fault.New(fault.Invalid, "making a request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.token())
	resp, err := c.http.Do(req)
	if err != nil {
		return transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return statusError(route, resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	if err != nil {
		return transportError(ctx, err)
	}
	if len(text) > maxResponseBytes {
		return fault.New(fault.Internal, "the server's answer to %s is larger than %d MB", route, maxResponseBytes>>20)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fault.New(fault.Unavailable, "the server's answer to %s is not the protocol's: %w", route, err)
	}
	return nil
}

func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, "call given up: %w", context.Cause(ctx))
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is known
	}
	return fault.New(fault.Unavailable, "the server cannot be reached: %w", err)
}

// statusError is the fault for a status other than 200. Every 5xx may pass; what
// stands between delegate and server may answer in HTML, so the text is bounded.
func statusError(route string, resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 256<<10)) // so that the connection can be used again
	return fault.New(kindOf(resp.StatusCode), "%s: %s: %s", route, resp.Status, strings.TrimSpace(string(text)))
}

// kindOf lets a delegate go on trying after every 5xx: it has nowhere else to go.
func kindOf(status int) fault.Kind {
	if status == http.StatusInternalServerError {
		return fault.Unavailable
	}
	return fault.OfHTTP(status)
}
