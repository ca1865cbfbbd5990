package door_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// TestRefusals has what every route refuses, and how.
func TestRefusals(t *testing.T) {
	f := apitest.Start(t)
	f.AddToken("foreign", "other", "eve")
	do(f, "POST", ng+"/pipelines?"+in, apitest.Hello).Into(t, 200, nil)
	run := f.Run(apitest.Ask)
	f.Await(run, "ApprovalWaiting")
	foreign := map[string]string{"x-api-key": "foreign", "X-Slipway-As": ""}
	other := strings.ReplaceAll(in, "projectIdentifier=default", "projectIdentifier=other")
	tests := map[string]struct {
		apitest.Request
		status int
		says   string
	}{
		"no token":        {apitest.Request{Method: "GET", Path: own + "/runs"}, 401, "INVALID_TOKEN"},
		"bad token":       {apitest.Request{Method: "GET", Path: own + "/runs", Header: map[string]string{"Authorization": "Bearer x"}}, 401, "not known"},
		"join token":      {apitest.Request{Method: "GET", Path: own + "/runs", User: "delegate"}, 403, "delegates only"},
		"foreign account": {apitest.Request{Method: "GET", Path: own + "/runs/" + run, Header: foreign}, 404, "no run"},
		"foreign abort":   {apitest.Request{Method: "POST", Path: own + "/runs/" + run + "/abort", Header: foreign}, 404, "no run"},
		"foreign log":     {apitest.Request{Method: "GET", Path: own + "/runs/" + run + "/logs/x", Header: foreign}, 404, "no run"},
		"foreign asks":    {apitest.Request{Method: "GET", Path: own + "/approvals/" + run, Header: foreign}, 404, "no run"},
		"foreign named":   {apitest.Request{Method: "GET", Path: ng + "/pipelines/hello?" + in, Header: foreign}, 403, "another account"},
		"foreign header":  {apitest.Request{Method: "GET", Path: v1 + "/pipelines", User: "admin", Header: map[string]string{"Harness-Account": "other"}}, 403, "another account"},
		"foreign get":     {apitest.Request{Method: "GET", Path: v1 + "/pipelines/hello", Header: foreign}, 404, "no pipeline"},
		"foreign answer": {apitest.Request{Method: "POST", Path: ng + "/approvals/" + run + ".0.1.x/harness/activity", Header: foreign,
			Body: `{"action":"APPROVE"}`}, 404, "no run"},

		"no route":     {apitest.Request{Method: "GET", Path: "/slipway/v1/nothing", User: "admin"}, 404, "no route"},
		"wrong method": {apitest.Request{Method: "DELETE", Path: own + "/runs", User: "admin"}, 405, "try GET, HEAD, POST"},
		"no run":       {apitest.Request{Method: "GET", Path: own + "/runs/x", User: "admin"}, 404, "no run x"},
		"bad limit":    {apitest.Request{Method: "GET", Path: own + "/runs?limit=x", User: "admin"}, 400, "limit"},
		"bad cursor":   {apitest.Request{Method: "GET", Path: own + "/runs?cursor=%00cursor:x", User: "admin"}, 400, "cursor"},
		"bad project":  {apitest.Request{Method: "GET", Path: own + "/runs?project=a%2Fb", User: "admin"}, 400, "cannot be the identifier"},
		"bad after":    {apitest.Request{Method: "GET", Path: own + "/runs/" + run + "/logs/x?after=-1", User: "admin"}, 400, "after"},
		"long reason":  {apitest.Request{Method: "POST", Path: own + "/runs/" + run + "/abort", User: "admin", Body: `{"reason":"` + strings.Repeat("x", 17<<10) + `"}`}, 413, "reason"},

		"run: no body":       {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin"}, 400, "empty"},
		"run: no yaml":       {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin", Body: `{}`}, 400, "yaml"},
		"run: not JSON":      {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin", Body: `pipeline:`}, 400, "not JSON"},
		"run: unknown field": {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin", Body: `{"yml":""}`}, 400, "unknown field"},
		"run: too large":     {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin", Body: strings.Repeat(" ", 5<<20+1)}, 413, "5242880 bytes"},
		"run: refused":       {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin", Body: `{"yaml":"pipeline: {}","file":"x.yaml"}`}, 400, `"diagnostics":[{"severity":"error"`},
		"run: unsupported": {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin",
			Body: asJSON(strings.Replace(apitest.Hello, "type: Custom", "type: IACM", 1))}, 400, "not supported yet"},
		"run: bad input": {apitest.Request{Method: "POST", Path: own + "/runs", User: "admin",
			Body: strings.Replace(asJSON(apitest.Hello), `{`, `{"inputs":{"nam":"x"},`, 1)}, 400, "unknown-input"},

		"no org":           {apitest.Request{Method: "GET", Path: ng + "/pipelines/hello?projectIdentifier=default", User: "admin"}, 400, "orgIdentifier"},
		"other project":    {apitest.Request{Method: "GET", Path: ng + "/pipelines/hello?" + other, User: "admin"}, 404, "no pipeline"},
		"branch":           {apitest.Request{Method: "GET", Path: ng + "/pipelines/hello?" + in + "&branch=b", User: "admin"}, 400, "not supported yet: query parameter branch=b"},
		"remote":           {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in + "&storeType=REMOTE", User: "admin", Body: apitest.Ask}, 400, "not supported yet"},
		"create: empty":    {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin"}, 400, "empty"},
		"create: no YAML":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "a: b: c"}, 400, "yaml-syntax"},
		"create: no root":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "a: b"}, 400, "the document is no pipeline"},
		"create: no name":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "pipeline: {identifier: x}"}, 400, "no name"},
		"create: bad id":   {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "pipeline: {identifier: a-b, name: x}"}, 400, "identifier"},
		"create: id list":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "pipeline: {identifier: [a], name: x}"}, 400, "expected a string"},
		"create: org":      {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: "pipeline: {identifier: a, name: x, orgIdentifier: b}"}, 400, "in the request"},
		"create: large":    {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: strings.Repeat("#", 5<<20+1)}, 413, "5242880"},
		"create: 3 MB":     {apitest.Request{Method: "POST", Path: ng + "/pipelines/v2?" + in, User: "admin", Body: apitest.Ask + strings.Repeat("# x\n", 800_000)}, 413, "3145728"},
		"update: other id": {apitest.Request{Method: "PUT", Path: ng + "/pipelines/v2/hello?" + in, User: "admin", Body: apitest.Ask}, 400, "cannot be changed"},
		"update: none":     {apitest.Request{Method: "PUT", Path: ng + "/pipelines/v2/ask?" + in, User: "admin", Body: apitest.Ask}, 404, "no pipeline"},
		"delete: none":     {apitest.Request{Method: "DELETE", Path: ng + "/pipelines/ask?" + in, User: "admin"}, 404, "no pipeline"},
		"list: filter":     {apitest.Request{Method: "POST", Path: ng + "/pipelines/list?" + in, User: "admin", Body: `{"repoName":"x"}`}, 400, "not supported yet: filter repoName"},
		"list: type":       {apitest.Request{Method: "POST", Path: ng + "/pipelines/list?" + in, User: "admin", Body: `{"filterType":"Trigger"}`}, 400, "expected PipelineSetup"},
		"list: wrong kind": {apitest.Request{Method: "POST", Path: ng + "/pipelines/list?" + in, User: "admin", Body: `{"name":[1]}`}, 400, "filter cannot be read"},
		"list: sort":       {apitest.Request{Method: "POST", Path: ng + "/pipelines/list?" + in + "&sort=x", User: "admin"}, 400, "sort=x"},

		"execute: none":       {apitest.Request{Method: "POST", Path: ng + "/pipeline/execute/x?" + in, User: "admin"}, 404, "no pipeline"},
		"execute: bad inputs": {apitest.Request{Method: "POST", Path: ng + "/pipeline/execute/hello?" + in, User: "admin", Body: "pipeline: {nothing: 1}"}, 400, "inputs.yaml:1"},
		"execute: notes":      {apitest.Request{Method: "POST", Path: ng + "/pipeline/execute/hello?" + in + "&notesForPipelineExecution=x", User: "admin"}, 400, "not supported yet"},
		"execution: project":  {apitest.Request{Method: "GET", Path: ng + "/pipelines/execution/v2/" + run + "?" + other, User: "admin"}, 404, "in project other"},
		"interrupt: project":  {apitest.Request{Method: "PUT", Path: ng + "/pipeline/execute/interrupt/" + run + "?" + other + "&interruptType=AbortAll", User: "admin"}, 404, "in project other"},
		"interrupt: none":     {apitest.Request{Method: "PUT", Path: ng + "/pipeline/execute/interrupt/x?" + in + "&interruptType=AbortAll", User: "admin"}, 404, "no run x"},
		"executions: filter":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/execution/summary?" + in, User: "admin", Body: `{"executionModeFilter":"ROLLBACK"}`}, 400, "not supported yet"},
		"executions: module":  {apitest.Request{Method: "POST", Path: ng + "/pipelines/execution/summary?" + in + "&module=CI", User: "admin"}, 400, "module=CI"},
		"no approval":         {apitest.Request{Method: "POST", Path: ng + "/approvals/x/harness/activity", User: "admin", Body: `{"action":"APPROVE"}`}, 404, "no approval x"},

		"v1: no yaml":      {apitest.Request{Method: "POST", Path: v1 + "/pipelines", User: "admin", Body: `{"identifier":"x"}`}, 400, "pipeline_yaml"},
		"v1: two ids":      {apitest.Request{Method: "POST", Path: v1 + "/pipelines", User: "admin", Body: `{"identifier":"x","pipeline_yaml":"pipeline: {identifier: y, name: y}"}`}, 400, "in its YAML"},
		"v1: git":          {apitest.Request{Method: "POST", Path: v1 + "/pipelines", User: "admin", Body: `{"git_details":{"branch_name":"b"}}`}, 400, "git_details.branch_name"},
		"v1: other id":     {apitest.Request{Method: "PUT", Path: v1 + "/pipelines/z", User: "admin", Body: `{"pipeline_yaml":"pipeline: {identifier: y, name: y}"}`}, 400, "cannot be changed"},
		"v1: bad org":      {apitest.Request{Method: "GET", Path: "/v1/orgs/a%2Fb/projects/c/pipelines", User: "admin"}, 400, "cannot be the identifier"},
		"v1: approvals of": {apitest.Request{Method: "GET", Path: "/v1/orgs/default/projects/other/approvals/execution/" + run, User: "admin"}, 404, "in project other"},
		"v1: answer of":    {apitest.Request{Method: "POST", Path: "/v1/orgs/default/projects/other/approvals/execution/" + run, User: "admin", Body: `{"action":"APPROVE"}`}, 404, "in project other"},
	}
	for name, tc := range tests {
		for _, prefix := range []string{"", "/gateway"} {
			t.Run(name+prefix, func(t *testing.T) {
				r := tc.Request
				r.Path = prefix + r.Path
				got := f.Do(r)
				var p struct {
					Status, Code, Message string
					CorrelationID         *string
					ResponseMessages      []any
				}
				if err := json.Unmarshal(got.Body, &p); err != nil || p.Status != "ERROR" || p.Code == "" || p.Message == "" || p.CorrelationID == nil || p.ResponseMessages == nil {
					t.Errorf("not Harness's envelope: %s", got.Body)
				}
				if got.Status != tc.status || !strings.Contains(string(got.Body), tc.says) {
					t.Errorf("%d %s\nwant %d %s", got.Status, got.Body, tc.status, tc.says)
				}
			})
		}
	}
	f.Await(run, "ApprovalWaiting") // nothing of all that touched it
}

func asJSON(yaml string) string {
	b, _ := json.Marshal(map[string]string{"yaml": yaml})
	return string(b)
}
