package door_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

// known is a govern with alice, an admin, and tokens of theirs, of a delegate, of
// a user who is gone, and one that was revoked.
func known(t *testing.T) *govern.Govern {
	t.Helper()
	f, err := file.Open(filepath.Join(t.TempDir(), "db"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	g := govern.New(f.Store(), clock.NewManual(time.Unix(0, 0)))
	g.AllowAs = true
	for _, u := range []core.User{{ID: "alice", Groups: []string{"approvers"}}, {ID: "root", Admin: true}} {
		if err := g.PutUser(t.Context(), "acct", u); err != nil {
			t.Fatal(err)
		}
	}
	for token, x := range map[string]core.Token{
		"t-alice":    {Kind: core.PrincipalUser, User: "alice"},
		"t-root":     {Kind: core.PrincipalUser, User: "root"},
		"t-gone":     {Kind: core.PrincipalUser, User: "gone"},
		"t-revoked":  {Kind: core.PrincipalUser, User: "alice", Revoked: true},
		"t-delegate": {Kind: core.PrincipalDelegate, Name: "pool"},
	} {
		x.Account = "acct"
		if err := g.PutToken(t.Context(), token, x); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func TestMiddleware(t *testing.T) {
	const sync, runs = "/slipway/v1/delegate/sync", "/slipway/v1/runs"
	header := func(kv ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	tests := map[string]struct {
		path   string
		header http.Header
		status int
		who    string // the actor, when let through
	}{
		"x-api-key":              {runs, header("X-Api-Key", "t-alice"), 200, "alice"},
		"bearer":                 {runs, header("Authorization", "bearer t-alice"), 200, "alice"},
		"the key before bearer":  {runs, header("X-Api-Key", "t-alice", "Authorization", "Bearer t-root"), 200, "alice"},
		"no token":               {runs, header(), 401, ""},
		"basic":                  {runs, header("Authorization", "Basic t-alice"), 401, ""},
		"unknown":                {runs, header("X-Api-Key", "x"), 401, ""},
		"too long":               {runs, header("X-Api-Key", strings.Repeat("x", 5000)), 401, ""},
		"revoked":                {runs, header("X-Api-Key", "t-revoked"), 401, ""},
		"user is gone":           {runs, header("X-Api-Key", "t-gone"), 401, ""},
		"admin as another":       {runs, header("X-Api-Key", "t-root", "X-Slipway-As", "alice"), 200, "alice"},
		"as oneself":             {runs, header("X-Api-Key", "t-alice", "X-Slipway-As", "alice"), 200, "alice"},
		"user as another":        {runs, header("X-Api-Key", "t-alice", "X-Slipway-As", "root"), 403, ""},
		"as nobody":              {runs, header("X-Api-Key", "t-root", "X-Slipway-As", "nobody"), 403, ""},
		"delegate's own":         {sync, header("Authorization", "Bearer t-delegate"), 200, "delegate:pool"},
		"delegate's own, prefix": {"/gateway" + sync, header("X-Api-Key", "t-delegate"), 200, "delegate:pool"},
		"delegate elsewhere":     {runs, header("X-Api-Key", "t-delegate"), 403, ""},
		"delegate climbs":        {"/slipway/v1/delegate/../runs", header("X-Api-Key", "t-delegate"), 403, ""},
		"delegate, lookalike":    {"/slipway/v1/delegates", header("X-Api-Key", "t-delegate"), 403, ""},
		"user at delegate's":     {sync, header("X-Api-Key", "t-root"), 403, ""},
		"user climbs":            {"/gateway/x/..//slipway/v1/delegate/sync", header("X-Api-Key", "t-root"), 403, ""},
		"user at the list":       {"/slipway/v1/delegates", header("X-Api-Key", "t-alice"), 200, "alice"},
	}
	authorizer := door.New(known(t))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var seen *http.Request
			h := authorizer.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r }))
			r := httptest.NewRequest("GET", tc.path, nil)
			r.Header = tc.header
			r.Header.Set("x-slipway-principal", "forged")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tc.status || (seen != nil) != (tc.status == 200) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if seen == nil {
				if !strings.Contains(w.Body.String(), `"status":"ERROR"`) {
					t.Errorf("not Harness's envelope: %s", w.Body)
				}
				return
			}
			if p := core.PrincipalOf(seen.Context()); p.Actor.ID != tc.who || p.Account != "acct" {
				t.Errorf("principal %+v", p)
			}
			if len(seen.Header) != 0 {
				t.Errorf("headers got through: %v", seen.Header)
			}
		})
	}
}

func TestEverybodysGroups(t *testing.T) {
	p, err := door.New(known(t)).Authorize(t.Context(), door.Request{Token: "t-alice"})
	if err != nil || strings.Join(p.Actor.Groups, " ") != "approvers _account_all_users _organization_all_users _project_all_users" {
		t.Error(p, err)
	}
}

func TestActingNeedsPermission(t *testing.T) {
	g := known(t)
	g.AllowAs = false
	if _, err := door.New(g).Authorize(t.Context(), door.Request{Token: "t-root", As: "alice"}); !fault.Is(err, fault.Forbidden) {
		t.Error(err)
	}
}
