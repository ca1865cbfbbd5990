package door_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// TestExchanges plays the examples of these routes.
func TestExchanges(t *testing.T) { apitest.PlayAll(t, "testdata", *update) }

var update = flag.Bool("update", false, "rewrite golden files")

// in is the project of most requests, as NG routes name it.
const in = "accountIdentifier=default&orgIdentifier=default&projectIdentifier=default"

const (
	ng  = "/pipeline/api"
	v1  = "/v1/orgs/default/projects/default"
	own = "/slipway/v1"
)

// do makes a call as admin.
func do(f *apitest.Fixture, method, path, body string) apitest.Response {
	f.T.Helper()
	return f.Do(apitest.Request{Method: method, Path: path, Body: body, User: "admin"})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Error(diff)
	}
}

// variable is what differs from run to run in an answer.
var variable = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"(startTs|endTs|createdAt|lastUpdatedAt|lastModifiedAt|created|updated|approvedAt|approved_at|deadline|started|ended|finished|t)":\d+`), `"$1":1`},
	{regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`), "ULID"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "URL"},
	{regexp.MustCompile(`(ULID\.[0-9.]+)\.[0-9a-f]{8}`), "$1.APPROVAL"},
	{regexp.MustCompile(`"(taskId|task)":"[0-9a-f]{24}"`), `"$1":"TASK"`},
	{regexp.MustCompile(`"[0-9a-f]{24}"`), `"NODE"`},
}

// named are nodes with what they are called beside their ids.
var named = []*regexp.Regexp{
	regexp.MustCompile(`"(?:uuid|id)":"(?P<id>[0-9a-f]{24})"[^{}]*?"(?:baseFqn|fqn)":"(?P<name>[^"]+)"`),
	regexp.MustCompile(`"nodeIdentifier":"(?P<name>[^"]+)"[^{}]*?"nodeUuid":"(?P<id>[0-9a-f]{24})"`),
}

// settled is an answer with names for ids and without times, keys sorted.
func settled(t *testing.T, r apitest.Response) string {
	t.Helper()
	text := string(r.Body)
	for _, form := range named {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			text = strings.ReplaceAll(text, m[form.SubexpIndex("id")], m[form.SubexpIndex("name")])
		}
	}
	for _, v := range variable {
		text = v.form.ReplaceAllString(text, v.with)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.MarshalIndent(map[string]any{"status": r.Status, "body": v}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestRunFromStartToEnd(t *testing.T) {
	f := apitest.Start(t)
	body, _ := json.Marshal(map[string]any{"yaml": apitest.Hello, "file": "hello.yaml"})
	r := do(f, "POST", own+"/runs", string(body))
	var started struct {
		Run, URL string
		Sequence int
		Warnings []any
	}
	r.Into(t, http.StatusCreated, &started)
	if started.Sequence != 1 || !strings.HasPrefix(started.URL, f.Platform.URL()) || started.Warnings == nil || r.Header.Get("Location") != own+"/runs/"+started.Run {
		t.Errorf("%s", r.Body)
	}
	f.Await(started.Run, "Success")

	var run struct{ Nodes []struct{ Task string } }
	f.Get(own+"/runs/"+started.Run, &run)
	var log struct {
		Lines []struct{ X string }
		Next  int
	}
	f.Get(own+"/runs/"+started.Run+"/logs/"+run.Nodes[1].Task, &log)
	if len(log.Lines) != 1 || log.Lines[0].X != "hi" || log.Next != 1 {
		t.Errorf("log %+v", log)
	}
	next := do(f, "GET", own+"/runs/"+started.Run+"/logs/"+run.Nodes[1].Task+"?after=1", "")
	if got := strings.TrimSpace(string(next.Body)); got != `{"lines":[],"next":1}` {
		t.Errorf("log behind its end: %s", got)
	}
	golden(t, "own-list.json", settled(t, do(f, "GET", own+"/runs", "")))
	golden(t, "own-run.json", settled(t, do(f, "GET", own+"/runs/"+started.Run, "")))
	golden(t, "ng-execution.json", settled(t, do(f, "GET", "/gateway"+ng+"/pipelines/execution/v2/"+started.Run+"?"+in, "")))
	golden(t, "ng-summary.json", settled(t, do(f, "POST", ng+"/pipelines/execution/summary?"+in, `{"filterType":"PipelineExecution"}`)))
	// A second abort of what has ended changes nothing.
	if got := strings.TrimSpace(string(do(f, "POST", own+"/runs/"+started.Run+"/abort", "").Body)); !strings.Contains(got, `"accepted":false`) {
		t.Error(got)
	}
	var delegates struct {
		Delegates []struct {
			Name      string
			Connected bool
		}
	}
	f.Get(own+"/delegates", &delegates)
	if len(delegates.Delegates) != 1 || delegates.Delegates[0].Name != "built-in" || !delegates.Delegates[0].Connected {
		t.Errorf("%+v", delegates)
	}
}

func TestRunsComeInPages(t *testing.T) {
	f := apitest.Start(t)
	var ids []string
	for range 3 {
		ids = append(ids, f.Run(apitest.Ask))
	}
	var got []string
	cursor := ""
	for {
		var page struct {
			Runs []struct {
				ID, Status string
				Sequence   int
			}
			Cursor string
		}
		f.Get(own+"/runs?limit=2&cursor="+cursor, &page)
		for _, r := range page.Runs {
			got = append([]string{r.ID}, got...)
		}
		if cursor = page.Cursor; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
	for _, id := range ids {
		f.Await(id, "ApprovalWaiting")
	}
	var page struct {
		Runs []struct{ Status string }
	}
	f.Get(own+"/runs", &page)
	if len(page.Runs) != 3 || page.Runs[0].Status != "ApprovalWaiting" {
		t.Errorf("%+v", page)
	}
	f.Get(own+"/runs?project=other", &page)
	if len(page.Runs) != 0 {
		t.Error("runs of another project are listed")
	}
}

func TestPipelines(t *testing.T) {
	f := apitest.Start(t)
	path := ng + "/pipelines"
	golden(t, "ng-create.json", settled(t, do(f, "POST", path+"/v2?"+in, apitest.Hello)))
	golden(t, "ng-get.json", settled(t, do(f, "GET", path+"/hello?"+in, "")))
	if tag := do(f, "GET", path+"/hello?"+in, "").Header.Get("ETag"); tag != `"1"` {
		t.Error(tag)
	}
	var text struct{ Data any }
	do(f, "POST", path+"?"+in, apitest.Ask).Into(t, 200, &text)
	if text.Data != "ask" {
		t.Error(text.Data)
	}
	if r := do(f, "POST", path+"/v2?"+in, apitest.Hello); r.Status != 409 || !strings.Contains(string(r.Body), "DUPLICATE_FIELD") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	changed := strings.Replace(apitest.Hello, "name: Hello", "name: Hello again", 1)
	put := func(version string) int {
		return f.Do(apitest.Request{Method: "PUT", Path: path + "/v2/hello?" + in, Body: changed, User: "admin", Header: map[string]string{"If-Match": version}}).Status
	}
	for _, step := range []struct {
		version string
		status  int
	}{{`2`, 409}, {`"1"`, 200}, {`1`, 409}, {`x`, 400}, {``, 200}, {`W/"2"`, 200}} {
		if got := put(step.version); got != step.status {
			t.Errorf("If-Match %s: %d, want %d", step.version, got, step.status)
		}
	}
	golden(t, "ng-list.json", settled(t, do(f, "POST", path+"/list?"+in+"&sort=name,ASC", `{"filterType":"PipelineSetup"}`)))
	lists := map[string]struct {
		query, body string
		want        []string
	}{
		"newest first":  {"", "", []string{"Hello again", "Ask first"}},
		"search":        {"&searchTerm=AGAIN", "", []string{"Hello again"}},
		"search a tag":  {"&searchTerm=blue", "", []string{"Hello again"}},
		"by identifier": {"", `{"filterType":"PipelineSetup","pipelineIdentifiers":["ask"]}`, []string{"Ask first"}},
		"by tag":        {"", `{"pipelineTags":[{"key":"team","value":"blue"}]}`, []string{"Hello again"}},
		"by other tag":  {"", `{"pipelineTags":[{"key":"team","value":"red"}]}`, nil},
		"second page":   {"&page=1&size=1&sort=name,ASC", "", []string{"Hello again"}},
		"empty fields":  {"&module=", `{"moduleProperties":{"cd":{"serviceNames":[]}},"repoName":""}`, []string{"Hello again", "Ask first"}},
	}
	for name, tc := range lists {
		var page struct {
			Data struct{ Content []struct{ Name string } }
		}
		do(f, "POST", path+"/list?"+in+tc.query, tc.body).Into(t, 200, &page)
		var got []string
		for _, p := range page.Data.Content {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Error(name, diff)
		}
	}
	if r := f.Do(apitest.Request{Method: "DELETE", Path: path + "/hello?" + in, User: "admin", Header: map[string]string{"If-Match": "1"}}); r.Status != 409 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	golden(t, "ng-delete.json", settled(t, do(f, "DELETE", path+"/hello?"+in, "")))
	golden(t, "ng-missing.json", settled(t, do(f, "GET", path+"/hello?"+in, "")))
}

func TestExecuteWithInputs(t *testing.T) {
	f := apitest.Start(t)
	open := strings.Replace(apitest.Hello, `"echo hi; v=1"`, `<+input>`, 1)
	do(f, "POST", ng+"/pipelines?"+in, open).Into(t, 200, nil)
	golden(t, "ng-no-inputs.json", settled(t, do(f, "POST", ng+"/pipeline/execute/hello?"+in, "")))

	r := do(f, "POST", ng+"/pipeline/execute/hello?"+in, inputs)
	golden(t, "ng-execute.json", settled(t, r))
	var got struct {
		Data struct{ PlanExecution struct{ UUID string } }
	}
	r.Into(t, 200, &got)
	f.Await(got.Data.PlanExecution.UUID, "Success")
	v1Body, _ := json.Marshal(map[string]string{"inputs_yaml": inputs})
	r = do(f, "POST", v1+"/pipelines/hello/execute", string(v1Body))
	golden(t, "v1-execute.json", settled(t, r))
}

func TestExecuteStages(t *testing.T) {
	f := apitest.Start(t)
	do(f, "POST", ng+"/pipelines?"+in, strings.Replace(apitest.Hello, "  stages:", "  allowStageExecutions: true\n  stages:", 1)).Into(t, 200, nil)
	stages := ng + "/pipeline/execute/hello/stages?" + in
	for name, c := range map[string]struct {
		body   string
		status int
		say    string
	}{
		"no stage":      {`{"stageIdentifiers":[]}`, 400, "stageIdentifiers is needed"},
		"unknown stage": {`{"stageIdentifiers":["nope"]}`, 400, `no stage \"nope\"`},
	} {
		if r := do(f, "POST", stages, c.body); r.Status != c.status || !strings.Contains(string(r.Body), c.say) {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	var got struct {
		Data struct{ PlanExecution struct{ UUID string } }
	}
	do(f, "POST", stages, `{"stageIdentifiers":["say"],"expressionValues":{},"runtimeInputYaml":""}`).Into(t, 200, &got)
	f.Await(got.Data.PlanExecution.UUID, "Success")
	var newer struct {
		Details struct {
			ID string `json:"execution_id"`
		} `json:"execution_details"`
	}
	do(f, "POST", v1+"/pipelines/hello/execute/stages", `{"stage_identifiers":["say"]}`).Into(t, 200, &newer)
	f.Await(newer.Details.ID, "Success")
	if r := do(f, "POST", v1+"/pipelines/hello/execute/stages", `{"stage_identifiers":[]}`); r.Status != 400 || !strings.Contains(string(r.Body), "stage_identifiers is needed") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

// inputs is the runtime input YAML for the open script of Hello.
const inputs = `pipeline:
  identifier: hello
  stages:
    - stage:
        identifier: say
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: greet
                  type: ShellScript
                  spec:
                    source: {type: Inline, spec: {script: "echo given; v=2"}}
`

func TestV1Pipelines(t *testing.T) {
	f := apitest.Start(t)
	body, _ := json.Marshal(map[string]any{"pipeline_yaml": apitest.Hello, "identifier": "hello", "name": "Hello", "git_details": map[string]string{"store_type": "INLINE", "branch_name": ""}})
	golden(t, "v1-create.json", settled(t, do(f, "POST", v1+"/pipelines", string(body))))
	golden(t, "v1-update.json", settled(t, do(f, "PUT", v1+"/pipelines/hello", string(body))))
	golden(t, "v1-get.json", settled(t, do(f, "GET", v1+"/pipelines/hello", "")))
	r := do(f, "GET", v1+"/pipelines?page=0&limit=1&tags=team:blue&sort=name&order=ASC", "")
	golden(t, "v1-list.json", settled(t, r))
	if r.Header.Get("X-Total-Elements") != "1" || r.Header.Get("X-Page-Size") != "1" {
		t.Error(r.Header)
	}
	if r := do(f, "DELETE", v1+"/pipelines/hello", ""); r.Status != 204 || len(r.Body) != 0 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	golden(t, "v1-missing.json", settled(t, do(f, "DELETE", v1+"/pipelines/hello", "")))
}

func TestApprovals(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(apitest.Ask)
	f.Await(run, "ApprovalWaiting")
	var found struct{ Approvals []struct{ ID string } }
	f.Get(own+"/approvals/"+run, &found)
	id := found.Approvals[0].ID
	f.Get(own+"/approvals/"+id, &found)
	if found.Approvals[0].ID != id {
		t.Fatalf("%+v", found)
	}
	golden(t, "own-approvals.json", settled(t, do(f, "GET", own+"/approvals/"+run, "")))
	golden(t, "v1-approvals.json", settled(t, do(f, "GET", v1+"/approvals/execution/"+run, "")))
	golden(t, "ng-waiting.json", settled(t, do(f, "GET", ng+"/pipelines/execution/"+run+"?"+in, "")))
	for query, want := range map[string]int{"approval_status=WAITING": 1, "approval_status=APPROVED": 0, "approval_type=JiraApproval": 0, "node_execution_id=x": 0} {
		var list []any
		f.Get(v1+"/approvals/execution/"+run+"?"+query, &list)
		if len(list) != want {
			t.Error(query, list)
		}
	}
	path := ng + "/approvals/" + id + "/harness/activity?accountIdentifier=default"
	refusals := map[string]struct {
		user, body string
		status     int
	}{
		"not in a group": {"carol", `{"action":"APPROVE"}`, 403},
		"bad action":     {"alice", `{"action":"MAYBE"}`, 400},
		"no action":      {"alice", `{}`, 400},
		"bad input":      {"alice", `{"action":"APPROVE","approverInputs":[{"name":"ring","value":"moon"}]}`, 400},
		"unknown input":  {"alice", `{"action":"APPROVE","approverInputs":[{"name":"x","value":"y"}]}`, 400},
		"auto":           {"alice", `{"action":"APPROVE","autoApprove":true}`, 400},
		"no body":        {"alice", ``, 400},
		"long comment":   {"alice", `{"action":"APPROVE","comments":"` + strings.Repeat("x", 17<<10) + `"}`, 413},
	}
	for name, tc := range refusals {
		if r := f.Do(apitest.Request{Method: "POST", Path: path, User: tc.user, Body: tc.body}); r.Status != tc.status {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	f.Await(run, "ApprovalWaiting")
	r := f.Do(apitest.Request{Method: "POST", Path: path, User: "alice", Body: `{"action":"APPROVE","comments":"go","approverInputs":[{"name":"ring","value":"early"}]}`})
	golden(t, "ng-approved.json", settled(t, r))
	if r := f.Do(apitest.Request{Method: "POST", Path: path, User: "bob", Body: `{"action":"REJECT"}`}); r.Status != 410 {
		t.Errorf("a second answer: %d %s", r.Status, r.Body)
	}
	if r := do(f, "GET", own+"/approvals/"+run, ""); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	// The run goes on; AbortAll ends it.
	f.Await(run, "WaitStepRunning")
	abort := ng + "/pipeline/execute/interrupt/" + run + "?" + in + "&interruptType="
	for kind, status := range map[string]int{"": 400, "Nonsense": 400} {
		if r := do(f, "PUT", abort+kind, ""); r.Status != status {
			t.Errorf("%s: %d %s", kind, r.Status, r.Body)
		}
	}
	golden(t, "ng-interrupt.json", settled(t, do(f, "PUT", abort+"AbortAll", "")))
	f.Await(run, "Aborted")
}

func TestV1Approval(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(strings.Replace(apitest.Ask, "[approvers]", "[account._account_all_users]", 1))
	f.Await(run, "ApprovalWaiting")
	path := v1 + "/approvals/execution/" + run
	if r := f.Do(apitest.Request{Method: "POST", Path: path + "?callback_id=other", User: "carol", Body: `{"action":"REJECT"}`}); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	r := f.Do(apitest.Request{Method: "POST", Path: path + "?callback_id=cb1", User: "carol", Body: `{"action":"REJECT","comments":"no","approver_inputs":[]}`})
	golden(t, "v1-rejected.json", settled(t, r))
	f.Await(run, "ApprovalRejected")
	if r := f.Do(apitest.Request{Method: "POST", Path: path, User: "carol", Body: `{"action":"REJECT"}`}); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

func TestLinksAreForOneselfOrByAdmins(t *testing.T) {
	f := apitest.Start(t)
	run := f.Run(apitest.Ask)
	f.Await(run, "ApprovalWaiting")
	tests := map[string]struct {
		user, body string
		status     int
	}{
		"an admin for another": {"admin", `{"user":"alice"}`, 200},
		"for oneself":          {"alice", `{"user":"alice"}`, 200},
		"for oneself, unnamed": {"alice", `{}`, 200},
		"for another":          {"carol", `{"user":"alice"}`, 403},
		"for nobody":           {"admin", `{"user":"nobody"}`, 404},
		"unknown field":        {"admin", `{"usr":"alice"}`, 400},
		"no body":              {"admin", ``, 400},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := f.Do(apitest.Request{Method: "POST", Path: own + "/approvals/" + run + "/link", User: tc.user, Body: tc.body})
			if r.Status != tc.status {
				t.Fatalf("%d %s", r.Status, r.Body)
			}
			if tc.status == 200 && !strings.Contains(string(r.Body), f.Platform.URL()+"/slipway/v1/approve/") {
				t.Errorf("%s", r.Body)
			}
		})
	}
}

func TestExecutionLists(t *testing.T) {
	f := apitest.Start(t)
	hello := f.Run(apitest.Hello)
	ask := f.Run(apitest.Ask)
	f.Await(hello, "Success")
	f.Await(ask, "ApprovalWaiting")
	now := time.Now().UnixMilli()
	tests := map[string]struct {
		query, body string
		want        []string
	}{
		"newest first":  {"", "", []string{ask, hello}},
		"oldest first":  {"&sort=startTs,ASC", "", []string{hello, ask}},
		"second page":   {"&page=1&size=1", "", []string{hello}},
		"status":        {"&status=ApprovalWaiting", "", []string{ask}},
		"other form":    {"&status=APPROVAL_WAITING", "", []string{ask}},
		"any wait":      {"&status=Waiting", "", []string{ask}},
		"two statuses":  {"&status=Success,ApprovalWaiting", "", []string{ask, hello}},
		"status, body":  {"", `{"filterType":"PipelineExecution","status":["Success"]}`, []string{hello}},
		"pipeline":      {"&pipelineIdentifier=ask", "", []string{ask}},
		"both":          {"&pipelineIdentifier=ask", `{"pipelineIdentifiers":["hello"]}`, nil},
		"name":          {"", `{"pipelineName":"first"}`, []string{ask}},
		"tag":           {"", `{"pipelineTags":[{"key":"team","value":""}]}`, []string{hello}},
		"search":        {"&searchTerm=hel", "", []string{hello}},
		"mine":          {"&myDeployments=true", "", []string{ask, hello}},
		"by id":         {"", fmt.Sprintf(`{"planExecutionIds":[%q]}`, hello), []string{hello}},
		"trigger":       {"", `{"triggerTypes":["WEBHOOK"]}`, nil},
		"in time":       {"", fmt.Sprintf(`{"timeRange":{"startTime":%d,"endTime":%d}}`, now-600_000, now+1000), []string{ask, hello}},
		"before time":   {"", fmt.Sprintf(`{"timeRange":{"startTime":%d}}`, now+600_000), nil},
		"other project": {"&projectIdentifier=x", "", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			where := in
			if strings.Contains(tc.query, "projectIdentifier") {
				where = "orgIdentifier=default"
			}
			var page struct {
				Data struct {
					Content []struct {
						ID string `json:"planExecutionId"`
					}
				}
			}
			do(f, "POST", ng+"/pipelines/execution/summary?"+where+tc.query, tc.body).Into(t, 200, &page)
			var got []string
			for _, r := range page.Data.Content {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	mine := f.Do(apitest.Request{Method: "POST", Path: ng + "/pipelines/execution/summary?" + in + "&myDeployments=true", User: "alice"})
	if !strings.Contains(string(mine.Body), `"totalElements":0`) {
		t.Errorf("%s", mine.Body)
	}
}
