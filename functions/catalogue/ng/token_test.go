package ng_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

const inProject = "accountIdentifier=default&orgIdentifier=default&projectIdentifier=default"

// service makes a service account in the default project with an API key, and a token
// of it.
func service(t *testing.T, f *apitest.Fixture) (token string) {
	t.Helper()
	for _, r := range [][2]string{
		{"/ng/api/serviceaccount?" + inProject, `{"identifier": "ci", "name": "CI", "email": "ci@example.com"}`},
		{"/ng/api/apikey?" + inProject, `{"identifier": "key", "name": "Key", "apiKeyType": "SERVICE_ACCOUNT", "parentIdentifier": "ci"}`},
	} {
		f.Do(apitest.Request{Method: "POST", Path: r[0], User: "admin", Body: r[1]}).Into(t, http.StatusOK, nil)
	}
	return newToken(t, f)
}

func newToken(t *testing.T, f *apitest.Fixture) string {
	t.Helper()
	return texted(t, f.Do(apitest.Request{Method: "POST", Path: "/ng/api/token?" + inProject, User: "admin", Body: ofKey("")}))
}

func ofKey(more string) string {
	return `{"identifier": "t", "name": "T", "apiKeyType": "SERVICE_ACCOUNT", "parentIdentifier": "ci", "apiKeyIdentifier": "key"` + more + `}`
}

func texted(t *testing.T, r apitest.Response) string {
	t.Helper()
	var answer struct{ Data string }
	r.Into(t, http.StatusOK, &answer)
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Error("a token may be kept by caches")
	}
	return answer.Data
}

// status is what a token is answered.
func status(f *apitest.Fixture, token, path string) int {
	return f.Do(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"x-api-key": token}}).Status
}

const services = "/ng/api/servicesV2?" + inProject

func TestATokenSpeaksForItsScopeAlone(t *testing.T) {
	f := apitest.Start(t)
	token := service(t, f)
	for name, tc := range map[string]struct {
		path string
		want int
	}{
		"its project":               {services, http.StatusOK},
		"v1, its project":           {"/v1/orgs/default/projects/default/pipelines", http.StatusOK},
		"its organization":          {"/ng/api/servicesV2?accountIdentifier=default&orgIdentifier=default", http.StatusForbidden},
		"another project":           {"/ng/api/servicesV2?accountIdentifier=default&orgIdentifier=default&projectIdentifier=p", http.StatusForbidden},
		"v1, another project":       {"/v1/orgs/default/projects/p/pipelines", http.StatusForbidden},
		"pipelines of another":      {"/pipeline/api/inputSets?accountIdentifier=default&orgIdentifier=o&projectIdentifier=p&pipelineIdentifier=x", http.StatusForbidden},
		"Slipway's own":             {"/slipway/v1/delegates", http.StatusForbidden},
		"Slipway's own, of project": {"/slipway/v1/entities/service?org=default&project=default", http.StatusOK},
		"Slipway's own, of account": {"/slipway/v1/entities/service", http.StatusForbidden},
		"for admins":                {"/slipway/v1/users", http.StatusForbidden},
	} {
		if got := status(f, token, tc.path); got != tc.want {
			t.Errorf("%s: %d, not %d", name, got, tc.want)
		}
	}
}

func TestTokensEnd(t *testing.T) {
	const rotate = "/ng/api/token/rotate/t?" + inProject + "&apiKeyType=SERVICE_ACCOUNT&parentIdentifier=ci&apiKeyIdentifier=key"
	const query = inProject + "&apiKeyType=SERVICE_ACCOUNT&parentIdentifier=ci&apiKeyIdentifier=key"
	const far = int64(4102444800000)
	do := func(method, path, body string) func(*testing.T, *apitest.Fixture) string {
		return func(t *testing.T, f *apitest.Fixture) string {
			t.Helper()
			f.Do(apitest.Request{Method: method, Path: path, User: "admin", Body: body}).Into(t, http.StatusOK, nil)
			return ""
		}
	}
	turn := func(path string) func(*testing.T, *apitest.Fixture) string {
		return func(t *testing.T, f *apitest.Fixture) string {
			t.Helper()
			return texted(t, f.Do(apitest.Request{Method: "POST", Path: path, User: "admin"}))
		}
	}
	for name, tc := range map[string]struct {
		then func(*testing.T, *apitest.Fixture) (next string)
		want int // for the token that was there before
	}{
		"in time":                {do("PUT", "/ng/api/token/t?"+inProject, ofKey(fmt.Sprintf(`, "validTo": %d`, far))), http.StatusOK},
		"expired":                {do("PUT", "/ng/api/token/t?"+inProject, ofKey(`, "validFrom": 1, "validTo": 2`)), http.StatusUnauthorized},
		"not yet":                {do("PUT", "/ng/api/token/t?"+inProject, ofKey(fmt.Sprintf(`, "validFrom": %d, "validTo": %d`, far, far+1))), http.StatusUnauthorized},
		"ended early":            {do("PUT", "/ng/api/token/t?"+inProject, ofKey(`, "scheduledExpireTime": 1`)), http.StatusUnauthorized},
		"deleted":                {do("DELETE", "/ng/api/token/t?"+query, ""), http.StatusUnauthorized},
		"its key deleted":        {do("DELETE", "/ng/api/apikey/key?"+query, ""), http.StatusUnauthorized},
		"its account deleted":    {do("DELETE", "/ng/api/serviceaccount/ci?"+inProject, ""), http.StatusUnauthorized},
		"rotated":                {turn(rotate), http.StatusUnauthorized},
		"rotated, with grace":    {turn(rotate + fmt.Sprintf("&rotateTimestamp=%d", far)), http.StatusOK},
		"rotated, grace is over": {turn(rotate + "&rotateTimestamp=1"), http.StatusUnauthorized},
		"made again": {func(t *testing.T, f *apitest.Fixture) string {
			do("DELETE", "/ng/api/token/t?"+query, "")(t, f)
			return newToken(t, f)
		}, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			f := apitest.Start(t)
			token := service(t, f)
			if got := status(f, token, services); got != http.StatusOK {
				t.Fatal(got)
			}
			next := tc.then(t, f)
			if got := status(f, token, services); got != tc.want {
				t.Errorf("%d, not %d", got, tc.want)
			}
			if next != "" && status(f, next, services) != http.StatusOK {
				t.Error("its successor is not known")
			}
		})
	}
}

// A user who is made again is not entered by the tokens of the one before, and a token
// that lives in a project opens that alone.
func TestUsersTokensGoWithThem(t *testing.T) {
	for name, tc := range map[string]struct{ at, opens, not string }{
		"of the account": {"accountIdentifier=default", "/slipway/v1/runs", ""},
		"of a project":   {inProject, services, "/ng/api/servicesV2?accountIdentifier=default&orgIdentifier=default"},
	} {
		t.Run(name, func(t *testing.T) {
			f := apitest.Start(t)
			f.Do(apitest.Request{Method: "PUT", Path: "/slipway/v1/users/dora", User: "admin", Body: `{"name": "Dora", "admin": true}`}).Into(t, http.StatusOK, nil)
			f.Do(apitest.Request{Method: "POST", Path: "/ng/api/apikey?" + tc.at, User: "dora",
				Body: `{"identifier": "key", "name": "Key", "apiKeyType": "USER", "parentIdentifier": "dora"}`}).Into(t, http.StatusOK, nil)
			token := texted(t, f.Do(apitest.Request{Method: "POST", Path: "/ng/api/token?" + tc.at, User: "dora",
				Body: `{"identifier": "t", "name": "T", "apiKeyType": "USER", "parentIdentifier": "dora", "apiKeyIdentifier": "key"}`}))
			if got := status(f, token, tc.opens); got != http.StatusOK {
				t.Fatal(got)
			}
			if tc.not != "" && status(f, token, tc.not) != http.StatusForbidden {
				t.Error("it opens more than its project")
			}
			f.Do(apitest.Request{Method: "DELETE", Path: "/slipway/v1/users/dora", User: "admin"}).Into(t, http.StatusOK, nil)
			f.Do(apitest.Request{Method: "PUT", Path: "/slipway/v1/users/dora", User: "admin", Body: `{"name": "Dora"}`}).Into(t, http.StatusOK, nil)
			if got := status(f, token, tc.opens); got != http.StatusUnauthorized {
				t.Error(got)
			}
		})
	}
}
