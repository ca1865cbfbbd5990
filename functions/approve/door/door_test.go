package door_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/view"
)

// two asks two people of the group approvers.
var two = strings.Replace(apitest.Ask, "minimumCount: 1", "minimumCount: 2", 1)

// waiting starts a run and returns it with its approval.
func waiting(f *apitest.Fixture, yaml string) (string, view.Approval) {
	f.T.Helper()
	run := f.Run(yaml)
	f.Await(run, "ApprovalWaiting")
	var found struct{ Approvals []view.Approval }
	f.Get("/slipway/v1/approvals/"+run, &found)
	return run, found.Approvals[0]
}

// linkFor is the path of a link that an admin made for a user.
func linkFor(f *apitest.Fixture, approval, user string) string {
	f.T.Helper()
	var made struct{ URL string }
	f.Do(apitest.Request{Method: "POST", Path: "/slipway/v1/approvals/" + approval + "/link", User: "admin", Body: fmt.Sprintf(`{"user":%q}`, user)}).Into(f.T, 200, &made)
	path, ok := strings.CutPrefix(made.URL, f.Platform.URL())
	if !ok {
		f.T.Fatal(made.URL)
	}
	return path
}

// handmade is the path of a link that nobody would be given.
func handmade(f *apitest.Fixture, a view.Approval, change func(*govern.Link)) string {
	f.T.Helper()
	l := govern.Link{Account: "default", Approval: a.ID, User: "alice", Digest: govern.LinkDigest(a.ID, a.Node, a.Approval.Spec), Expires: time.Now().Add(time.Hour).UnixMilli()}
	change(&l)
	token, err := govern.NewLinks(f.Platform.Ports()).Make(f.T.Context(), l)
	if err != nil {
		f.T.Fatal(err)
	}
	return "/slipway/v1/approve/" + token
}

func get(f *apitest.Fixture, path string) apitest.Response {
	f.T.Helper()
	return f.Do(apitest.Request{Method: "GET", Path: path})
}

func post(f *apitest.Fixture, path string, kv ...string) apitest.Response {
	f.T.Helper()
	form := url.Values{}
	for i := 0; i < len(kv); i += 2 {
		form.Add(kv[i], kv[i+1])
	}
	return f.Do(apitest.Request{Method: "POST", Path: path, Body: form.Encode(), Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
}

// activities are the answers that were recorded.
func activities(f *apitest.Fixture, run string) []string {
	f.T.Helper()
	var now view.Run
	f.Get("/slipway/v1/runs/"+run, &now)
	var who []string
	for _, a := range now.Approvals[0].Approval.Activities {
		who = append(who, a.By.ID+" "+a.Action+" "+a.Inputs["ring"]+" "+a.Comments)
	}
	return who
}

func TestPage(t *testing.T) {
	f := apitest.Start(t)
	run, a := waiting(f, apitest.Ask)
	link := linkFor(f, a.ID, "alice")
	var page string
	for _, path := range []string{link, "/gateway" + link, link} { // looking changes nothing
		r := get(f, path)
		if r.Status != 200 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
		page = string(r.Body)
		for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8"} {
			if got := r.Header.Get(header); got != want {
				t.Errorf("%s: %q", header, got)
			}
		}
		style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)[1]
		sum := sha256.Sum256([]byte(style))
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy %s does not allow the page's style", policy)
		}
	}
	for _, part := range []string{"Ask first", run, "Release &lt;b&gt;1.0&lt;/b&gt;?", "Alice (alice)", "started by Admin (admin)", "approvers", "0 of 1",
		govern.LinkDigest(a.ID, a.Node, a.Approval.Spec), `Type <code>ask</code>`, `<option selected>internal</option>`, `<option>early</option>`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not say %s:\n%s", part, page)
		}
	}
	if regexp.MustCompile(`(?i)<script|https?://|\son\w+=`).MatchString(page) {
		t.Errorf("the page runs or fetches something:\n%s", page)
	}
	if r := f.Do(apitest.Request{Method: "HEAD", Path: link}); r.Status != 200 || len(r.Body) != 0 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	f.Await(run, "ApprovalWaiting")
	if got := activities(f, run); got != nil {
		t.Error(got)
	}
}

func TestDeciding(t *testing.T) {
	f := apitest.Start(t)
	run, a := waiting(f, apitest.Ask)
	alice, carol := linkFor(f, a.ID, "alice"), linkFor(f, a.ID, "carol")
	refusals := map[string]struct {
		link   string
		form   []string
		status int
		says   string
	}{
		"nothing typed":     {alice, []string{"action", "APPROVE"}, 400, "to confirm, type ask"},
		"wrong word":        {alice, []string{"action", "APPROVE", "confirm", "Ask"}, 400, "to confirm, type ask"},
		"no answer":         {alice, []string{"confirm", "ask"}, 400, "choose Approve or Reject"},
		"another answer":    {alice, []string{"confirm", "ask", "action", "MAYBE"}, 400, "choose Approve or Reject"},
		"bad input":         {alice, []string{"confirm", "ask", "action", "APPROVE", "input.ring", "moon"}, 400, "expected one of internal, early, everyone"},
		"empty input":       {alice, []string{"confirm", "ask", "action", "APPROVE", "input.ring", ""}, 400, "is required"},
		"long comment":      {alice, []string{"confirm", "ask", "action", "APPROVE", "comments", strings.Repeat("x", 17<<10)}, 413, "comments may have 16384 bytes"},
		"long form":         {alice, []string{"comments", strings.Repeat("x", 300<<10)}, 413, "262144 bytes"},
		"not in the groups": {carol, []string{"confirm", "ask", "action", "APPROVE", "input.ring", "early"}, 403, "in none of the user groups"},
	}
	for name, tc := range refusals {
		r := post(f, tc.link, tc.form...)
		if r.Status != tc.status || !strings.Contains(string(r.Body), tc.says) || !strings.Contains(string(r.Body), "Nothing was recorded") {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
		if r := get(f, tc.link); r.Status != 200 {
			t.Errorf("%s burnt the link: %d %s", name, r.Status, r.Body)
		}
	}
	r := post(f, alice, "confirm", "no", "action", "APPROVE", "input.ring", "early", "comments", "<i>go</i>")
	for _, kept := range []string{`<option selected>early</option>`, `&lt;i&gt;go&lt;/i&gt;`, `value="APPROVE" required checked`} {
		if !strings.Contains(string(r.Body), kept) {
			t.Errorf("the form forgot %s:\n%s", kept, r.Body)
		}
	}
	if got := activities(f, run); got != nil {
		t.Fatal("something was recorded: ", got)
	}

	r = post(f, alice, "confirm", "ask", "action", "APPROVE", "input.ring", "early", "comments", "go")
	if r.Status != 200 || !strings.Contains(string(r.Body), "Alice (alice) approved run <code>"+run) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	f.Await(run, "WaitStepRunning")
	if got := activities(f, run); len(got) != 1 || got[0] != "alice APPROVE early go" {
		t.Error(got)
	}
	for name, r := range map[string]apitest.Response{"again": post(f, alice, "confirm", "ask", "action", "REJECT"), "looked at": get(f, alice), "another's": get(f, carol)} {
		if r.Status != 410 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}

func TestRejecting(t *testing.T) {
	f := apitest.Start(t)
	run, a := waiting(f, apitest.Ask)
	if r := post(f, "/gateway"+linkFor(f, a.ID, "bob"), "confirm", "ask", "action", "REJECT", "comments", "not today"); r.Status != 200 || !strings.Contains(string(r.Body), "rejected run") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	f.Await(run, "ApprovalRejected")
}

// However many requests come with a link, and however many links a person has,
// one answer is recorded.
func TestOneAnswer(t *testing.T) {
	f := apitest.Start(t)
	run, a := waiting(f, two)
	first, second := linkFor(f, a.ID, "alice"), linkFor(f, a.ID, "alice")
	statuses := map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r := post(f, first, "confirm", "ask", "action", "APPROVE")
			mu.Lock()
			defer mu.Unlock()
			statuses[r.Status]++
		})
	}
	wg.Wait()
	if statuses[200] != 1 || statuses[409]+statuses[410] != 19 {
		t.Error(statuses)
	}
	if r := get(f, first); r.Status != 410 || !strings.Contains(string(r.Body), "was used") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := post(f, second, "confirm", "ask", "action", "REJECT"); r.Status != 409 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if got := activities(f, run); len(got) != 1 {
		t.Error(got)
	}
	if r := get(f, linkFor(f, a.ID, "bob")); !strings.Contains(string(r.Body), "1 of 2") {
		t.Errorf("%s", r.Body)
	}
}

func TestLinksThatAreNoGood(t *testing.T) {
	f := apitest.Start(t)
	run, a := waiting(f, strings.Replace(apitest.Ask, "disallowPipelineExecutor: false", "disallowPipelineExecutor: true", 1))
	good := linkFor(f, a.ID, "alice")
	tests := map[string]struct {
		link   string
		status int
		says   string
	}{
		"nonsense":       {"/slipway/v1/approve/x", 403, "not valid"},
		"cut":            {good[:len(good)-1], 403, "not valid"},
		"changed":        {strings.Replace(good, ".", ".e", 1), 403, "not valid"},
		"expired":        {handmade(f, a, func(l *govern.Link) { l.Expires = time.Now().UnixMilli() - 1 }), 410, "time has passed"},
		"ghost":          {handmade(f, a, func(l *govern.Link) { l.User = "ghost" }), 403, "user is gone"},
		"something else": {handmade(f, a, func(l *govern.Link) { l.Digest = "0" }), 409, "has changed"},
		"no approval":    {handmade(f, a, func(l *govern.Link) { l.Approval = run + ".0.1.zz" }), 404, "no approval"},
		"no run":         {handmade(f, a, func(l *govern.Link) { l.Approval = "X.0.1.zz" }), 404, "no run"},
		"other account":  {handmade(f, a, func(l *govern.Link) { l.Account = "other" }), 403, "user is gone"},
	}
	for name, tc := range tests {
		for _, r := range []apitest.Response{get(f, tc.link), post(f, tc.link, "confirm", "ask", "action", "APPROVE")} {
			if r.Status != tc.status || !strings.Contains(string(r.Body), tc.says) || r.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
	}
	if r := post(f, linkFor(f, a.ID, "admin"), "confirm", "ask", "action", "APPROVE"); r.Status != 403 || !strings.Contains(string(r.Body), "started this run") {
		t.Errorf("who started it: %d %s", r.Status, r.Body)
	}
	if r := f.Do(apitest.Request{Method: "PUT", Path: good}); r.Status != 405 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := get(f, "/slipway/v1/approve/"); r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if got := activities(f, run); got != nil {
		t.Error(got)
	}
}

// The link is no credential for anything else.
func TestLinkOpensNothingElse(t *testing.T) {
	f := apitest.Start(t)
	_, a := waiting(f, apitest.Ask)
	token := strings.TrimPrefix(linkFor(f, a.ID, "alice"), "/slipway/v1/approve/")
	body, _ := json.Marshal(map[string]string{"action": "APPROVE"})
	r := f.Do(apitest.Request{Method: "POST", Path: "/pipeline/api/approvals/" + a.ID + "/harness/activity", Body: string(body),
		Header: map[string]string{"x-api-key": token}})
	if r.Status != 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
