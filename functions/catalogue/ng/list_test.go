package ng_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
)

// Lists that reach up show what may be referred to, to those who may see it.
func TestListsReachUp(t *testing.T) {
	f := apitest.Start(t)
	err := f.Govern.PutToken(t.Context(), "robot", core.Token{Kind: core.PrincipalUser, Account: "default", User: "carol", Name: "robot",
		Scope: core.Scope{Account: "default", Org: "default", Project: "default"}})
	if err != nil {
		t.Fatal(err)
	}
	const project = "orgIdentifier=default&projectIdentifier=default"
	for query, id := range map[string]string{"": "above", "?orgIdentifier=default": "middle", "?" + project: "here"} {
		body := `{"connector":{"name":"` + id + `","identifier":"` + id + `","type":"Local","spec":{"default":true}}}`
		f.Do(apitest.Request{Method: "POST", Path: "/ng/api/connectors" + query, Body: body, User: "admin"}).Into(t, 200, nil)
	}
	for name, tc := range map[string]struct {
		query, token string
		want         []string
	}{
		"what lives there": {"", "", []string{"here"}},
		"a user":           {"&includeAllConnectorsAvailableAtScope=true", "", []string{"above", "here", "middle"}},
		"the project's":    {"&includeAllConnectorsAvailableAtScope=true", "robot", []string{"here"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := apitest.Request{Method: "GET", Path: "/ng/api/connectors?sort=identifier,ASC&" + project + tc.query, User: "carol"}
			if tc.token != "" {
				r.User, r.Header = "", map[string]string{"x-api-key": tc.token}
			}
			var a struct {
				Data struct {
					Content []struct{ Connector struct{ Identifier string } }
				}
			}
			f.Do(r).Into(t, 200, &a)
			var got []string
			for _, c := range a.Data.Content {
				got = append(got, c.Connector.Identifier)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
