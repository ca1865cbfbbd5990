package httpclient

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

func client(t *testing.T, handler http.HandlerFunc) (*Client, *httptest.Server) {
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	c, err := New(srv.URL+"/", func() string { return "tok" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, srv
}

func TestCalls(t *testing.T) {
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer tok" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v", r.Method, r.Header)
		}
		switch r.URL.Path {
		case wire.RouteSync:
			_ = json.NewEncoder(w).Encode(wire.SyncResponse{NextMS: 7})
		case wire.RouteComplete:
			_ = json.NewEncoder(w).Encode(wire.CompleteResponse{Stale: true})
		case wire.RouteLogs:
			_ = json.NewEncoder(w).Encode(wire.LogResponse{Cancel: true})
		}
	})
	ctx := context.Background()
	if r, err := c.Sync(ctx, wire.SyncRequest{}); err != nil || r.NextMS != 7 {
		t.Error(r, err)
	}
	if r, err := c.Complete(ctx, wire.CompleteRequest{}); err != nil || !r.Stale {
		t.Error(r, err)
	}
	if r, err := c.Logs(ctx, wire.LogRequest{}); err != nil || !r.Cancel {
		t.Error(r, err)
	}
}

func TestStatusIsKind(t *testing.T) {
	tests := map[int]fault.Kind{
		400: fault.Invalid, 401: fault.Unauthenticated, 403: fault.Forbidden, 404: fault.NotFound, 409: fault.Conflict,
		410: fault.Gone, 413: fault.TooLarge, 429: fault.Throttled, 500: fault.Unavailable, 502: fault.Unavailable,
		503: fault.Unavailable, 504: fault.Unavailable, 302: fault.Internal,
	}
	for status, want := range tests {
		c, _ := client(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			http.Error(w, "because", status)
		})
		_, err := c.Sync(context.Background(), wire.SyncRequest{})
		if !fault.Is(err, want) || !strings.Contains(err.Error(), "because") {
			t.Errorf("%d: %v, kind %d, want %d", status, err, fault.KindOf(err), want)
		}
	}
}

func TestTransportFailures(t *testing.T) {
	c, srv := client(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	if _, err := c.Sync(context.Background(), wire.SyncRequest{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("not JSON: %v", err)
	}
	srv.Close()
	if _, err := c.Sync(context.Background(), wire.SyncRequest{}); !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "tok") {
		t.Errorf("server away: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Sync(ctx, wire.SyncRequest{}); !fault.Is(err, fault.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

func TestConnectionIsUsedAgain(t *testing.T) {
	var opened atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == wire.RouteLogs {
			http.Error(w, strings.Repeat("busy", 10_000), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("{}"))
	}))
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	c, err := New(srv.URL, func() string { return "tok" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, _ = c.Sync(context.Background(), wire.SyncRequest{})
		_, _ = c.Logs(context.Background(), wire.LogRequest{})
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for calls one after the other", n)
	}
}

func TestAddress(t *testing.T) {
	for _, bad := range []string{"", "example.com", "ftp://x", "https://", "://"} {
		if _, err := New(bad, nil, nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("New(%q) = %v", bad, err)
		}
	}
}
