package aws

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/e2e/parity"
	"github.com/slipway-cd/slipway/shared/view"
)

// journey has what a delivery is made of: an input, a secret, outputs between
// steps and stages, branches beside each other, a step group, a question, and a
// step that fails when it is told to.
const journey = `pipeline:
  name: Journey
  identifier: journey
  variables:
    - {name: who, type: String, value: <+input>}
    - {name: code, type: Number, value: <+input>.default(0)}
  stages:
    - stage:
        name: Build
        identifier: build
        type: Custom
        spec:
          execution:
            steps:
              - step: {name: Compose, identifier: compose, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo "composing for <+pipeline.variables.who>"; text="Hello, <+pipeline.variables.who>"'}}, outputVariables: [{name: text, type: String, value: text}]}}
              - parallel:
                  - stepGroup:
                      name: Left
                      identifier: left
                      steps:
                        - step: {name: One, identifier: one, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'n=1'}}, outputVariables: [{name: n, type: String, value: n}]}}
                        - step: {name: Two, identifier: two, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'n=$((<+execution.steps.left.steps.one.output.outputVariables.n> + 1))'}}, outputVariables: [{name: n, type: String, value: n}]}}
                  - step: {name: Right, identifier: right, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo "the secret is <+secrets.getValue("journey")>"'}}}}
    - stage:
        name: Ask
        identifier: ask
        type: Approval
        spec:
          execution:
            steps:
              - step: {name: Release, identifier: release, type: HarnessApproval, timeout: 1d, spec: {approvalMessage: 'Say <+pipeline.stages.build.spec.execution.steps.compose.output.outputVariables.text>?', includePipelineExecutionHistory: true, approvers: {userGroups: [approvers], minimumCount: 1, disallowPipelineExecutor: true}, approverInputs: [{name: ring, defaultValue: inner, required: true, selectOneFrom: 'inner,outer'}]}}
    - stage:
        name: Say
        identifier: say
        type: Custom
        spec:
          execution:
            steps:
              - step: {name: Print, identifier: print, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo "$TEXT, $N times, in ring $RING"'}}, environmentVariables: [{name: TEXT, type: String, value: <+pipeline.stages.build.spec.execution.steps.compose.output.outputVariables.text>}, {name: N, type: String, value: <+pipeline.stages.build.spec.execution.steps.left.steps.two.output.outputVariables.n>}, {name: RING, type: String, value: <+pipeline.stages.ask.spec.execution.steps.release.output.approverInputs.ring>}]}}
              - step: {name: Check, identifier: check, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo checking; exit <+pipeline.variables.code>'}}}}
              - step: {name: After, identifier: after, type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo after'}}}}
`

// TestJourney goes through the real doors from an empty project to a run's end,
// well and badly, on every runtime, and finds the same records on all.
func TestJourney(t *testing.T) {
	project := "journey_" + newID()
	for name, code := range map[string]int{"well": 0, "badly": 3} {
		t.Run(name, func(t *testing.T) {
			var canon []string
			for _, w := range append(worlds(t), second(t)) {
				l := w.travel(t, project+name, code)
				canon = append(canon, parity.Canon(l))
			}
			for _, other := range canon[1:] {
				if diff := cmp.Diff(strings.Split(canon[0], "\n"), strings.Split(other, "\n")); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// travel makes the journey once.
func (w *world) travel(t *testing.T, project string, code int) parity.Log {
	t.Helper()
	const secret = "s3cr3t-of-the-journey"
	w.must(t, http.StatusCreated, "PUT", "/slipway/v1/entities?org=default", "admin", "project: {name: Journey, identifier: "+project+"}")
	w.must(t, http.StatusOK, "PUT", "/slipway/v1/secrets/journey?projectIdentifier="+project, "admin", secret)
	base := "/v1/orgs/default/projects/" + project + "/pipelines"
	w.must(t, http.StatusCreated, "POST", base, "admin", fmt.Sprintf(`{"pipeline_yaml":%q,"identifier":"journey"}`, journey))
	inputs := fmt.Sprintf("pipeline:\n  identifier: journey\n  variables:\n    - {name: who, type: String, value: Ada}\n    - {name: code, type: Number, value: %d}\n", code)
	var out struct {
		Details struct {
			ID string `json:"execution_id"`
		} `json:"execution_details"`
	}
	w.must(t, http.StatusOK, "POST", base+"/journey/execute", "admin", fmt.Sprintf(`{"inputs_yaml":%q}`, inputs)).into(t, &out)
	r := w.await(t, out.Details.ID, "asks", func(r view.Run) bool { return len(r.Approvals) == 1 || r.Ended })
	w.decideByLink(t, r)
	r = w.await(t, r.ID, "ends", ended)
	w.arrived(t, r, code)
	if log := w.logs(t, r, "right"); log != "the secret is **************\n" {
		t.Errorf("%s: the log of the step with the secret: %q", w.name, log)
	}
	l := w.record(t, r.ID)
	if text := parity.Canon(l); strings.Contains(text, secret) {
		t.Errorf("%s: the secret is in the records", w.name)
	}
	return l
}

// arrived looks at how the journey ended.
func (w *world) arrived(t *testing.T, r view.Run, code int) {
	t.Helper()
	want := map[string]string{"compose": "Success", "left": "Success", "two": "Success", "right": "Success", "release": "Success",
		"print": "Success", "check": "Success", "after": "Success", "say": "Success"}
	status := "Success"
	if code != 0 {
		status = "Failed"
		want["check"], want["say"], want["after"] = "Failed", "Failed", "NotStarted"
	}
	got := map[string]string{}
	for id := range want {
		got[id] = node(r, id).Status
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Status != status {
		t.Errorf("%s: %s\n%s", w.name, diff, show(r))
	}
	if log := w.logs(t, r, "print"); log != "Hello, Ada, 2 times, in ring outer\n" {
		t.Errorf("%s: the log of the last step: %q", w.name, log)
	}
	if log := w.logs(t, r, "check"); !strings.HasPrefix(log, "checking\n") {
		t.Errorf("%s: the log of the checking step: %q", w.name, log)
	}
}

var form = regexp.MustCompile(`name="([a-z_.]*ring[a-z_.]*)"`)

// decideByLink lets alice approve on the page of an approval link. Looking at it
// decides nothing, nor does a form without the confirmation; a used link is no good.
func (w *world) decideByLink(t *testing.T, r view.Run) {
	t.Helper()
	if len(r.Approvals) != 1 {
		t.Fatalf("%s: there is nothing to approve: %s", w.name, show(r))
	}
	a := r.Approvals[0]
	var link struct{ URL string }
	w.must(t, http.StatusOK, "POST", "/slipway/v1/approvals/"+a.ID+"/link", "admin", `{"user":"alice"}`).into(t, &link)
	if !strings.HasPrefix(link.URL, w.url+"/") {
		t.Errorf("%s: the link %s does not lead to %s", w.name, link.URL, w.url)
	}
	page := w.must(t, http.StatusOK, "GET", link.URL, "", "")
	field := form.FindStringSubmatch(string(page.body))
	if !strings.Contains(string(page.body), "Say Hello, Ada?") || field == nil {
		t.Fatalf("%s: the page: %s", w.name, page.body)
	}
	if got := w.approval(t, a.ID); got != "WAITING" {
		t.Errorf("%s: after a look the approval is %s", w.name, got)
	}
	post := func(status int, confirm string) {
		t.Helper()
		body := url.Values{"action": {"APPROVE"}, "comments": {"go"}, field[1]: {"outer"}, "confirm": {confirm}}
		w.must(t, status, "POST", link.URL, "", body.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	}
	post(http.StatusBadRequest, "something")
	if got := w.approval(t, a.ID); got != "WAITING" {
		t.Errorf("%s: unconfirmed, the approval is %s", w.name, got)
	}
	post(http.StatusOK, "journey")
	if got := w.approval(t, a.ID); got != "APPROVED" {
		t.Errorf("%s: confirmed, the approval is %s", w.name, got)
	}
	if again := w.must(t, http.StatusGone, "GET", link.URL, "", ""); !slices.Contains([]int{http.StatusGone}, again.status) {
		t.Errorf("%s: a used link is answered %v", w.name, again)
	}
}

// approval is how an approval stands.
func (w *world) approval(t *testing.T, id string) string {
	t.Helper()
	all, err := w.user["admin"].Approvals(t.Context(), id)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: approval %s: %v %v", w.name, id, all, err)
	}
	return all[0].Approval.Status
}

// TestDoorsAreClosed to everybody without a token, and to each for what the
// other's is for.
func TestDoorsAreClosed(t *testing.T) {
	for _, w := range worlds(t) {
		for _, tc := range []struct {
			name, method, path, who string
			status                  int
		}{
			{"no token", "GET", "/slipway/v1/runs", "", http.StatusUnauthorized},
			{"no token below gateway", "GET", "/gateway/slipway/v1/runs", "", http.StatusUnauthorized},
			{"a user", "GET", "/slipway/v1/runs", "alice", http.StatusOK},
			{"a user below gateway", "GET", "/gateway/slipway/v1/runs", "alice", http.StatusOK},
			{"a user is no admin", "GET", "/slipway/v1/users", "alice", http.StatusForbidden},
			{"a delegate is no user", "GET", "/slipway/v1/runs", "delegate", http.StatusForbidden},
			{"a user is no delegate", "POST", "/slipway/v1/delegate/sync", "alice", http.StatusForbidden},
			{"a delegate without a token", "POST", "/slipway/v1/delegate/sync", "", http.StatusUnauthorized},
			{"a link that is none", "GET", "/slipway/v1/approve/none", "", http.StatusForbidden},
			{"a path that is none", "GET", "/nothing/here", "alice", http.StatusNotFound},
			{"health", "GET", "/healthz", "", http.StatusOK},
		} {
			t.Run(w.name+"/"+tc.name, func(t *testing.T) {
				w.must(t, tc.status, tc.method, tc.path, tc.who, "")
			})
		}
	}
}
