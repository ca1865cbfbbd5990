package door_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
)

type madeToken struct{ Name, User, Token, By string }

// made makes a token as admin.
func made(f *apitest.Fixture, path, name string) madeToken {
	f.T.Helper()
	var m madeToken
	do(f, "POST", own+path, `{"name":"`+name+`"}`).Into(f.T, 201, &m)
	if len(m.Token) < 43 || m.Name != name || m.By != "admin" {
		f.T.Fatalf("%+v", m)
	}
	return m
}

// with makes a call with a token.
func with(f *apitest.Fixture, token, method, path string) apitest.Response {
	f.T.Helper()
	return f.Do(apitest.Request{Method: method, Path: path, Body: "{}", Header: map[string]string{"x-api-key": token}})
}

// tokens lists names, users, makers and revokers.
func tokens(f *apitest.Fixture, path string) []string {
	f.T.Helper()
	var found struct {
		Tokens []struct {
			Name, User, By, RevokedBy string
			Created, Revoked          int64
		}
	}
	r := do(f, "GET", own+path, "")
	r.Into(f.T, 200, &found)
	if strings.Contains(string(r.Body), "digest") || strings.Contains(string(r.Body), `"token":`) {
		f.T.Errorf("the list leads to tokens: %s", r.Body)
	}
	list := []string{}
	for _, x := range found.Tokens {
		if x.Created == 0 || (x.Revoked == 0) != (x.RevokedBy == "") {
			f.T.Errorf("%+v", x)
		}
		list = append(list, strings.TrimSpace(x.Name+" "+x.User+" by "+x.By+" "+x.RevokedBy))
	}
	return list
}

func TestDelegateTokens(t *testing.T) {
	const sync = "/slipway/v1/delegate/sync"
	f := apitest.Start(t)
	if got := tokens(f, "/delegate-tokens"); len(got) != 0 {
		t.Error(got)
	}
	first := made(f, "/delegate-tokens", "eu-1")
	made(f, "/delegate-tokens", "asia")
	if r := with(f, first.Token, "POST", sync); r.Status == 401 || r.Status == 403 {
		t.Errorf("the token does not let a delegate in: %d %s", r.Status, r.Body)
	}
	if r := with(f, first.Token, "GET", own+"/runs"); r.Status != 403 {
		t.Errorf("it lets in elsewhere: %d %s", r.Status, r.Body)
	}
	if r := do(f, "POST", own+"/delegate-tokens", `{"name":"eu-1"}`); r.Status != 409 || !strings.Contains(string(r.Body), "revoke it first") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	for range 2 { // revoking twice is revoking
		do(f, "DELETE", own+"/delegate-tokens/eu-1", "").Into(t, 200, nil)
	}
	if r := with(f, first.Token, "POST", sync); r.Status != 401 {
		t.Errorf("revoked, it still lets in: %d %s", r.Status, r.Body)
	}
	if diff := cmp.Diff([]string{"asia  by admin", "eu-1  by admin admin"}, tokens(f, "/delegate-tokens")); diff != "" {
		t.Error(diff)
	}
	second := made(f, "/delegate-tokens", "eu-1") // its name is free again
	if r := with(f, second.Token, "POST", sync); r.Status == 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := with(f, first.Token, "POST", sync); r.Status != 401 {
		t.Errorf("the old one lets in again: %d %s", r.Status, r.Body)
	}
	data, err := os.ReadFile(filepath.Join(f.Platform.Dir(), "slipway.db"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), second.Token) || strings.Contains(string(data), first.Token) {
		t.Error("the store holds a token's text")
	}
}

// Of many that make a token of one name at once, one gets it.
func TestOneTokenOfAName(t *testing.T) {
	f := apitest.Start(t)
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			r := do(f, "POST", own+"/delegate-tokens", `{"name":"one"}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[r.Status]++
		})
	}
	all.Wait()
	if statuses[201] != 1 || statuses[409] != 9 {
		t.Error(statuses)
	}
}

func TestUsers(t *testing.T) {
	f := apitest.Start(t)
	set := func(id, body string, status int) core.User {
		t.Helper()
		var u core.User
		do(f, "PUT", own+"/users/"+id, body).Into(t, status, &u)
		return u
	}
	u := set("dora", `{"name":"Dora","email":"dora@example.com","groups":["ops","approvers","ops"]}`, 200)
	if u.Updated == 0 {
		t.Error("it does not say when it was written")
	}
	u.Updated = 0
	if diff := cmp.Diff(core.User{ID: "dora", Name: "Dora", Email: "dora@example.com", Groups: []string{"approvers", "ops"}, By: "admin"}, u); diff != "" {
		t.Error(diff)
	}
	token := made(f, "/users/dora/tokens", "laptop")
	if r := with(f, token.Token, "GET", own+"/runs"); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := with(f, token.Token, "GET", own+"/users"); r.Status != 403 || !strings.Contains(string(r.Body), "dora is none") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	set("dora", `{"admin":true}`, 200)
	var all struct{ Users []core.User }
	with(f, token.Token, "GET", own+"/users").Into(t, 200, &all)
	ids := []string{}
	for _, x := range all.Users {
		ids = append(ids, x.ID)
	}
	if diff := cmp.Diff([]string{"admin", "alice", "bob", "carol", "dora"}, ids); diff != "" {
		t.Error(diff)
	}
	if r := with(f, token.Token, "DELETE", own+"/users/dora"); r.Status != 409 || !strings.Contains(string(r.Body), "remove yourself") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := do(f, "PUT", own+"/users/admin", `{}`); r.Status != 409 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	set("admin", `{"name":"Ada","admin":true}`, 200)

	do(f, "DELETE", own+"/users/dora", "").Into(t, 200, nil)
	if r := with(f, token.Token, "GET", own+"/runs"); r.Status != 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	set("dora", `{}`, 200)
	if r := with(f, token.Token, "GET", own+"/runs"); r.Status != 401 {
		t.Errorf("made again, a user is entered by an old token: %d %s", r.Status, r.Body)
	}
}

func TestUserTokens(t *testing.T) {
	f := apitest.Start(t)
	laptop, ci := made(f, "/users/alice/tokens", "laptop"), made(f, "/users/alice/tokens", "ci")
	made(f, "/users/bob/tokens", "laptop")
	made(f, "/delegate-tokens", "laptop")
	do(f, "DELETE", own+"/users/alice/tokens/laptop", "").Into(t, 200, nil)
	for token, want := range map[string]int{laptop.Token: 401, ci.Token: 200} {
		if r := with(f, token, "GET", own+"/runs"); r.Status != want {
			t.Errorf("%d %s, want %d", r.Status, r.Body, want)
		}
	}
	for path, want := range map[string][]string{
		"/users/alice/tokens": {"ci alice by admin", "laptop alice by admin admin"},
		"/users/bob/tokens":   {"laptop bob by admin"},
		"/delegate-tokens":    {"laptop  by admin"},
	} {
		if diff := cmp.Diff(want, tokens(f, path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// useSecret runs a step that shows how long two secrets are.
var useSecret = strings.Replace(apitest.Hello, `script: "echo hi; v=1"}}`,
	`script: "v=${#A}-${#B}"}}
                    environmentVariables:
                      - {name: A, type: String, value: <+secrets.getValue("db")>}
                      - {name: B, type: String, value: <+secrets.getValue("account.db")>}`, 1)

func TestSecrets(t *testing.T) {
	f := apitest.Start(t)
	do(f, "PUT", own+"/secrets/db?orgIdentifier=default&projectIdentifier=default", "hunter2").Into(t, 200, nil)
	r := do(f, "PUT", own+"/secrets/account.db", "line 1\nline 2\n")
	r.Into(t, 200, nil)
	if strings.Contains(string(r.Body), "line") {
		t.Errorf("the answer has the value: %s", r.Body)
	}
	run := f.Run(useSecret)
	f.Await(run, "Success")
	if r := do(f, "GET", own+"/runs/"+run, ""); !strings.Contains(string(r.Body), `"v":"7-14"`) {
		t.Errorf("the step saw other values: %s", r.Body)
	}
	var found struct{ Secrets []core.SecretEntry }
	r = do(f, "GET", own+"/secrets", "")
	r.Into(t, 200, &found)
	if len(found.Secrets) != 2 || found.Secrets[0].Ref != "account.db" || found.Secrets[1].By != "admin" || strings.Contains(string(r.Body), "hunter2") {
		t.Errorf("%s", r.Body)
	}
	if r := do(f, "GET", own+"/secrets/db", ""); r.Status != 405 {
		t.Errorf("a value can be read: %d %s", r.Status, r.Body)
	}
	for range 2 {
		do(f, "DELETE", own+"/secrets/db", "").Into(t, 200, nil)
	}
	f.Await(f.Run(useSecret), "Failed")
	do(f, "PUT", own+"/secrets/org.most", strings.Repeat("x", 64<<10)).Into(t, 200, nil)
}

// adminRefusals is what routes for admins refuse, and how.
var adminRefusals = map[string]struct {
	method, path, body string
	status             int
	says               string
}{
	"token: no name":        {"POST", "/delegate-tokens", `{}`, 400, "field name is needed"},
	"token: bad name":       {"POST", "/delegate-tokens", `{"name":"a b"}`, 400, "letters, digits and _.-"},
	"token: long name":      {"POST", "/delegate-tokens", `{"name":"` + strings.Repeat("x", 65) + `"}`, 400, "at most 64"},
	"token: unknown field":  {"POST", "/delegate-tokens", `{"nam":"x"}`, 400, "unknown field"},
	"token: none to revoke": {"DELETE", "/delegate-tokens/x", "", 404, "no token named"},
	"token: nobody's":       {"POST", "/users/nobody/tokens", `{"name":"x"}`, 404, "slipway users list"},
	"token: none of theirs": {"DELETE", "/users/alice/tokens/x", "", 404, "no token named"},
	"user: no body":         {"PUT", "/users/x", "", 400, "empty"},
	"user: unknown field":   {"PUT", "/users/x", `{"group":"x"}`, 400, "unknown field"},
	"user: bad id":          {"PUT", "/users/a%23b", `{}`, 400, "cannot be a user's id"},
	"user: id with a slash": {"PUT", "/users/a%2Fb", `{}`, 400, "cannot be a user's id"},
	"user: long id":         {"PUT", "/users/" + strings.Repeat("x", 129), `{}`, 400, "at most 128"},
	"user: bad group":       {"PUT", "/users/x", `{"groups":["a b"]}`, 400, "group's identifier"},
	"user: many groups":     {"PUT", "/users/x", `{"groups":["g"` + strings.Repeat(`,"g"`, 100) + `]}`, 413, "may be in 100"},
	"user: bad name":        {"PUT", "/users/x", `{"name":"a\nb"}`, 400, "one line"},
	"user: bad address":     {"PUT", "/users/x", `{"email":"x"}`, 400, "not an e-mail address"},
	"user: nobody":          {"DELETE", "/users/nobody", "", 404, "no user"},
	"secret: empty":         {"PUT", "/secrets/x", "", 400, "empty"},
	"secret: too large":     {"PUT", "/secrets/x", strings.Repeat("x", 64<<10+1), 413, "65536 bytes"},
	"secret: not text":      {"PUT", "/secrets/x", "\xff\x00", 400, "base64"},
	"secret: bad reference": {"PUT", "/secrets/a.b", "x", 400, "account.x"},
	"secret: scope alone":   {"PUT", "/secrets/account.", "x", 400, "account.x"},
	"secret: an output":     {"PUT", "/secrets/output:a", "x", 400, "account.x"},
	"secret: climbs":        {"PUT", "/secrets/..%2Flink-key", "x", 400, "account.x"},
	"secret: removed so":    {"DELETE", "/secrets/1x", "", 400, "account.x"},
	"secret: of a project":  {"PUT", "/secrets/x?projectIdentifier=p", "x", 400, "there is no project \"p\""},
	"secret: of an org":     {"PUT", "/secrets/x?orgIdentifier=o", "x", 400, "there is no organization"},
}

func TestAdminRefusals(t *testing.T) {
	f := apitest.Start(t)
	for name, tc := range adminRefusals {
		for _, prefix := range []string{"", "/gateway"} {
			r := do(f, tc.method, prefix+own+tc.path, tc.body)
			var p struct{ Status, Message string }
			if err := json.Unmarshal(r.Body, &p); err != nil || p.Status != "ERROR" || r.Status != tc.status || !strings.Contains(p.Message, tc.says) {
				t.Errorf("%s: %d %s\nwant %d %s", name, r.Status, r.Body, tc.status, tc.says)
			}
			// Whoever is no admin learns nothing of it.
			if r := f.Do(apitest.Request{Method: tc.method, Path: prefix + own + tc.path, Body: tc.body, User: "alice"}); r.Status != 403 || !strings.Contains(string(r.Body), "for admins") {
				t.Errorf("%s, as alice: %d %s", name, r.Status, r.Body)
			}
		}
	}
	for _, path := range []string{"/users", "/delegate-tokens", "/users/alice/tokens", "/secrets"} {
		if r := f.Do(apitest.Request{Method: "GET", Path: own + path, User: "alice"}); r.Status != 403 {
			t.Errorf("%s, as alice: %d %s", path, r.Status, r.Body)
		}
	}
}

// An admin of one account has no say in another.
func TestAdminOfAnotherAccount(t *testing.T) {
	f := apitest.Start(t)
	f.AddToken("foreign", "other", "eve")
	if err := f.Govern.PutUser(t.Context(), "other", core.User{ID: "eve", Admin: true}); err != nil {
		t.Fatal(err)
	}
	ours := made(f, "/delegate-tokens", "pool")
	do(f, "PUT", own+"/secrets/db", "ours").Into(t, 200, nil)
	foreign := func(method, path, body string) apitest.Response {
		return f.Do(apitest.Request{Method: method, Path: own + path, Body: body, Header: map[string]string{"x-api-key": "foreign"}})
	}
	for path, want := range map[string]string{"/delegate-tokens": `{"tokens":[]}`, "/secrets": `{"secrets":[]}`} {
		if r := foreign("GET", path, ""); r.Status != 200 || strings.TrimSpace(string(r.Body)) != want {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	if r := foreign("DELETE", "/delegate-tokens/pool", ""); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := foreign("DELETE", "/users/alice", ""); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	foreign("PUT", "/secrets/db", "theirs").Into(t, 200, nil)
	if v, err := f.Platform.Ports().Secrets.Get(t.Context(), core.SecretName(core.Scope{Account: "default", Org: "default", Project: "default"}, "db")); err != nil || string(v) != "ours" {
		t.Errorf("%s %v", v, err)
	}
	if r := with(f, ours.Token, "POST", "/slipway/v1/delegate/sync"); r.Status == 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
