package door_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/delegate/door"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// fake is a Dispatch that says what it was asked.
type fake struct{ asked string }

func (f *fake) Sync(_ context.Context, account string, req wire.SyncRequest) (wire.SyncResponse, error) {
	f.asked = "sync " + account + " " + req.Delegate.ID
	return wire.SyncResponse{NextMS: 5}, nil
}

func (f *fake) Complete(_ context.Context, account string, req wire.CompleteRequest) (wire.CompleteResponse, error) {
	f.asked = "complete " + account + " " + req.Task.ID
	return wire.CompleteResponse{Stale: true}, nil
}

func (f *fake) Logs(_ context.Context, account string, req wire.LogRequest) (wire.LogResponse, error) {
	f.asked = "logs " + account + " " + req.Task.ID
	if req.Chunk.Seq == 0 {
		return wire.LogResponse{}, fault.New(fault.TooLarge, "a chunk has a number")
	}
	return wire.LogResponse{Cancel: true}, nil
}

// ids is core.IDs that always makes the same.
type ids struct{}

func (ids) New() string   { return "ID" }
func (ids) Token() string { return "token" }

func TestRoutes(t *testing.T) {
	tests := map[string]struct {
		kind         core.PrincipalKind
		method, path string
		body         string
		status       int
		answer       string
		asked        string
	}{
		"sync":              {"delegate", "POST", wire.RouteSync, `{"delegate":{"id":"g"}}`, 200, `{"nextMs":5}`, "sync acct g"},
		"complete":          {"delegate", "POST", wire.RouteComplete, `{"task":{"id":"t"}}`, 200, `{"stale":true}`, "complete acct t"},
		"logs":              {"delegate", "POST", wire.RouteLogs, `{"task":{"id":"t"},"chunk":{"seq":1}}`, 200, `{"cancel":true}`, "logs acct t"},
		"under gateway":     {"delegate", "POST", "/gateway" + wire.RouteSync, `{}`, 200, `{"nextMs":5}`, "sync acct "},
		"newer fields":      {"delegate", "POST", wire.RouteSync, `{"tomorrow":1}`, 200, `{"nextMs":5}`, "sync acct "},
		"refused":           {"delegate", "POST", wire.RouteLogs, `{}`, 413, `"REQUEST_TOO_LARGE"`, "logs acct "},
		"no body":           {"delegate", "POST", wire.RouteSync, ``, 400, `"INVALID_REQUEST"`, ""},
		"not JSON":          {"delegate", "POST", wire.RouteSync, `x`, 400, `"INVALID_REQUEST"`, ""},
		"at the limit":      {"delegate", "POST", wire.RouteSync, `{}` + strings.Repeat(" ", 8<<20-2), 200, `{"nextMs":5}`, "sync acct "},
		"a byte over":       {"delegate", "POST", wire.RouteSync, `{}` + strings.Repeat(" ", 8<<20-1), 413, `8388608 bytes`, ""},
		"a user":            {"user", "POST", wire.RouteSync, `{}`, 403, `"ACCESS_DENIED"`, ""},
		"nobody":            {"", "POST", wire.RouteSync, `{}`, 403, `"ACCESS_DENIED"`, ""},
		"wrong method":      {"delegate", "GET", wire.RouteSync, ``, 405, `try POST`, ""},
		"something else":    {"delegate", "POST", "/slipway/v1/delegate/enrol", `{}`, 404, `"RESOURCE_NOT_FOUND_EXCEPTION"`, ""},
		"not even a folder": {"delegate", "POST", "/slipway/v1/delegate", `{}`, 404, `no route`, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			r := httptest.NewRequest(tc.method, tc.path, strings.NewReader(tc.body))
			r = r.WithContext(core.WithPrincipal(r.Context(), core.Principal{Kind: tc.kind, Account: "acct"}))
			w := httptest.NewRecorder()
			door.New(f, ids{}).ServeHTTP(w, r)
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.answer) || f.asked != tc.asked {
				t.Errorf("%d %s, asked %q", w.Code, w.Body, f.asked)
			}
		})
	}
}
