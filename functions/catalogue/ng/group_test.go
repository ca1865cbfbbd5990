package ng_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// A group of a project lets its members approve in that project alone.
func TestProjectGroupsApprove(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(apitest.Ask)
	f.Await(run, "ApprovalWaiting")
	var shown struct{ Approvals []struct{ ID string } }
	f.Get("/slipway/v1/runs/"+run, &shown)
	approve := func() int {
		return f.Do(apitest.Request{Method: "POST", User: "carol", Body: `{"action": "APPROVE"}`,
			Path: "/pipeline/api/approvals/" + shown.Approvals[0].ID + "/harness/activity?accountIdentifier=default"}).Status
	}
	group := func(scope string) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"identifier": "approvers", "name": "Approvers", "users": []string{"carol"}})
		if err != nil {
			t.Fatal(err)
		}
		f.Do(apitest.Request{Method: "POST", User: "admin", Path: "/ng/api/user-groups?accountIdentifier=default" + scope, Body: string(body)}).Into(t, http.StatusOK, nil)
	}
	if got := approve(); got != http.StatusForbidden {
		t.Fatal("in no group: ", got)
	}
	group("&orgIdentifier=default")
	if got := approve(); got != http.StatusForbidden {
		t.Error("of the organization, which the approval does not ask: ", got)
	}
	group("&orgIdentifier=default&projectIdentifier=default")
	if got := approve(); got != http.StatusOK {
		t.Error("of the project: ", got)
	}
}

// A group goes with its project, and nobody is in the next of its name.
func TestGroupsGoWithTheirProject(t *testing.T) {
	f := apitest.Start(t)
	do := func(method, path, body string) {
		t.Helper()
		f.Do(apitest.Request{Method: method, User: "admin", Path: path, Body: body}).Into(t, http.StatusOK, nil)
	}
	const at = "?accountIdentifier=default&orgIdentifier=default"
	do("POST", "/ng/api/projects"+at, `{"project": {"identifier": "p", "name": "P", "orgIdentifier": "default"}}`)
	do("POST", "/ng/api/user-groups"+at+"&projectIdentifier=p", `{"identifier": "g", "name": "G", "users": ["carol"]}`)
	do("DELETE", "/ng/api/projects/p"+at+"&forceDelete=true", "")
	carol, err := f.Govern.User(t.Context(), "default", "carol")
	if err != nil || len(carol.Groups) != 0 {
		t.Error(carol.Groups, err)
	}
}
