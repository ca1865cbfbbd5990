package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// request is what a server saw.
type request struct {
	Line, Token, As string
	Body            any
}

// serve answers every request with a status and body, and keeps the last request.
func serve(t *testing.T, status int, body string) (*client.Client, *request) {
	t.Helper()
	last := &request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		*last = request{Line: r.Method + " " + r.RequestURI, Token: r.Header.Get("Authorization"), As: r.Header.Get("X-Slipway-As")}
		if len(text) > 0 {
			if err := json.Unmarshal(text, &last.Body); err != nil {
				t.Errorf("the body is not JSON: %s", text)
			}
		}
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL+"/", "secret", "alice")
	if err != nil {
		t.Fatal(err)
	}
	return c, last
}

func TestRoutes(t *testing.T) {
	type object = map[string]any
	tests := map[string]struct {
		call   func(context.Context, *client.Client) (any, error)
		answer string
		line   string
		body   any
		want   any
	}{
		"launch": {
			func(ctx context.Context, c *client.Client) (any, error) {
				return c.Launch(ctx, client.Launch{YAML: "pipeline: {}", File: "f.yaml", Inputs: map[string]string{"a": "1"}, Org: "o", Project: "p"})
			},
			`{"run":"R","sequence":3,"url":"u"}`, "POST /slipway/v1/runs",
			object{"yaml": "pipeline: {}", "file": "f.yaml", "inputs": object{"a": "1"}, "org": "o", "project": "p"},
			client.Launched{Run: "R", Sequence: 3, URL: "u"},
		},
		"list": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.Runs(ctx, "o", "p", 5, "x y") },
			`{"runs":[{"id":"R","status":"Success"}],"cursor":"z"}`, "GET /slipway/v1/runs?cursor=x+y&limit=5&org=o&project=p", nil,
			client.Runs{Runs: []core.Run{{ID: "R", Status: "Success"}}, Cursor: "z"},
		},
		"abort": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.Abort(ctx, "R", "why") },
			`{"run":"R","accepted":true}`, "POST /slipway/v1/runs/R/abort", object{"reason": "why"}, true,
		},
		"intervene": {
			func(ctx context.Context, c *client.Client) (any, error) {
				return c.Intervene(ctx, "R", "stages.s.steps.x", "Ignore")
			},
			`{"run":"R","node":"pipeline.stages.s.spec.execution.steps.x","action":"Ignore"}`, "POST /slipway/v1/runs/R/intervene",
			object{"node": "stages.s.steps.x", "action": "Ignore"}, "pipeline.stages.s.spec.execution.steps.x",
		},
		"logs": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.Logs(ctx, "R", "T/1", 4) },
			`{"lines":[],"next":4}`, "GET /slipway/v1/runs/R/logs/T%2F1?after=4", nil, client.Logs{Next: 4},
		},
		"decide": {
			func(ctx context.Context, c *client.Client) (any, error) {
				return nil, c.Decide(ctx, "R.0.1.abc", client.Decision{Action: client.Approve, Comments: "fine", Inputs: map[string]string{"b": "2", "a": "1"}})
			},
			`{"status":"SUCCESS"}`, "POST /pipeline/api/approvals/R.0.1.abc/harness/activity",
			object{"action": "APPROVE", "comments": "fine", "approverInputs": []any{object{"name": "a", "value": "1"}, object{"name": "b", "value": "2"}}}, nil,
		},
		"make a join token": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.MakeToken(ctx, "", "eu") },
			`{"name":"eu","created":1,"by":"admin","token":"t"}`, "POST /slipway/v1/delegate-tokens", object{"name": "eu"},
			client.Token{Name: "eu", Created: 1, By: "admin", Text: "t"},
		},
		"revoke a user's token": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.RevokeToken(ctx, "a@b", "x/y") },
			`{"name":"x","revoked":2}`, "DELETE /slipway/v1/users/a@b/tokens/x%2Fy", nil, client.Token{Name: "x", Revoked: 2},
		},
		"list a user's tokens": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.Tokens(ctx, "alice") },
			`{"tokens":[{"name":"x","user":"alice"}]}`, "GET /slipway/v1/users/alice/tokens", nil, []client.Token{{Name: "x", User: "alice"}},
		},
		"set a user": {
			func(ctx context.Context, c *client.Client) (any, error) {
				return c.SetUser(ctx, core.User{ID: "dora", Name: "Dora", Admin: true, By: "not sent"})
			},
			`{"id":"dora","by":"admin"}`, "PUT /slipway/v1/users/dora", object{"name": "Dora", "email": "", "groups": []any{}, "admin": true},
			core.User{ID: "dora", By: "admin"},
		},
		"remove a user": {
			func(ctx context.Context, c *client.Client) (any, error) { return nil, c.RemoveUser(ctx, "dora") },
			`{}`, "DELETE /slipway/v1/users/dora", nil, nil,
		},
		"set a secret": {
			func(ctx context.Context, c *client.Client) (any, error) {
				return c.SetSecret(ctx, "account.x", []byte(`"as it is"`), url.Values{"orgIdentifier": {"o"}})
			},
			`{"ref":"account.x"}`, "PUT /slipway/v1/secrets/account.x?orgIdentifier=o", "as it is", core.SecretEntry{Ref: "account.x"},
		},
		"delegates": {
			func(ctx context.Context, c *client.Client) (any, error) { return c.Delegates(ctx) },
			`{"delegates":[{"id":"D","name":"n","connected":true}]}`, "GET /slipway/v1/delegates", nil, []client.Delegate{{Delegate: core.Delegate{ID: "D", Name: "n"}, Connected: true}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, last := serve(t, 200, tc.answer)
			got, err := tc.call(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			want := request{Line: tc.line, Token: "Bearer secret", As: "alice", Body: tc.body}
			if diff := cmp.Diff(want, *last); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if _, ok := got.(client.Logs); ok {
				return // an empty list decodes as one
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		status int
		body   string
		kind   fault.Kind
		text   string
	}{
		"Harness's envelope":     {404, `{"status":"ERROR","code":"X","message":"no run R"}`, fault.NotFound, "no run R"},
		"a proxy's page":         {502, "<html>bad gateway</html>", fault.Unavailable, "502 Bad Gateway"},
		"plain text":             {500, "oh dear", fault.Internal, "oh dear"},
		"another JSON":           {403, `{"x":1}`, fault.Forbidden, "403 Forbidden"},
		"redirects stay unasked": {307, "", fault.Internal, "307"},
		"refused by size":        {413, `{"message":"too large"}`, fault.TooLarge, "too large"},
		"an answer of another":   {200, "<html>", fault.Internal, "does not answer"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, last := serve(t, tc.status, tc.body)
			_, err := c.Run(t.Context(), "R")
			if fault.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error = %v (kind %d), want kind %d with %q", err, fault.KindOf(err), tc.kind, tc.text)
			}
			if last.Line != "GET /slipway/v1/runs/R" {
				t.Errorf("the last request was %s", last.Line)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	c, _ := serve(t, 400, `{"status":"ERROR","message":"m","diagnostics":[{"severity":"error","message":"bad","file":"f.yaml","line":3,"column":5}]}`)
	_, err := c.Launch(t.Context(), client.Launch{})
	r, ok := errors.AsType[*client.Refused](err)
	if !ok || fault.KindOf(err) != fault.Invalid {
		t.Fatalf("error = %v", err)
	}
	if got := r.Error(); got != "f.yaml:3:5: error: bad" {
		t.Errorf("text = %q", got)
	}
}

func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c, err := client.New(s.URL, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Health(t.Context()); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("error = %v", err)
	}
}

func TestAddress(t *testing.T) {
	for _, bad := range []string{"", "example.com", "ftp://example.com", "http://", "::"} {
		if _, err := client.New(bad, "", ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("New(%q) = %v, want invalid", bad, err)
		}
	}
}
