// Package apitest runs a whole platform in a temporary folder for the tests of
// doors, and talks to it as its users and delegates do.
package apitest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/govern"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// Fixture is a running platform with the users admin, alice and bob (in the group
// approvers) and carol (in none).
type Fixture struct {
	T        testing.TB
	Platform *platform.Platform
	Govern   *govern.Govern
	client   *http.Client
}

// Start starts a platform that ends with the test.
func Start(t testing.TB) *Fixture {
	t.Helper()
	return StartAs(t, platform.Config{})
}

// StartAs starts a platform as cfg says, in a folder of its own.
func StartAs(t testing.TB, cfg platform.Config) *Fixture {
	t.Helper()
	cfg.Dir, cfg.Delegate, cfg.AllowAs = t.TempDir(), true, true
	p, err := platform.Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections() // or the server waits for them
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	client := &http.Client{Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Fixture{T: t, Platform: p, Govern: govern.New(p.Ports().Store, p.Ports().Clock), client: client}
}

// Request is one call. User "" sends no credential; "delegate" the join token.
type Request struct {
	Method, Path, Body string
	User               string
	Header             map[string]string
}

// Response is an answer read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes a call.
func (f *Fixture) Do(r Request) Response {
	f.T.Helper()
	req, err := http.NewRequestWithContext(f.T.Context(), r.Method, f.Platform.URL()+r.Path, strings.NewReader(r.Body))
	if err != nil {
		f.T.Fatal(err)
	}
	switch r.User {
	case "":
	case "delegate":
		req.Header.Set("Authorization", "Bearer "+f.Platform.JoinToken())
	default:
		req.Header.Set("x-api-key", f.Platform.AdminToken())
		req.Header.Set("X-Slipway-As", r.User)
	}
	for k, v := range r.Header {
		req.Header.Set(k, v)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	return Response{resp.StatusCode, resp.Header, body}
}

// Get reads a path as admin into v.
func (f *Fixture) Get(path string, v any) {
	f.T.Helper()
	f.Do(Request{Method: "GET", Path: path, User: "admin"}).Into(f.T, http.StatusOK, v)
}

// Into demands a status and reads the body.
func (r Response) Into(t testing.TB, status int, v any) {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d: %s", r.Status, r.Body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
}

// Run starts a run of a pipeline and returns its id.
func (f *Fixture) Run(yaml string) string {
	f.T.Helper()
	body, err := json.Marshal(map[string]string{"yaml": yaml})
	if err != nil {
		f.T.Fatal(err)
	}
	var started struct{ Run string }
	f.Do(Request{Method: "POST", Path: "/slipway/v1/runs", User: "admin", Body: string(body)}).Into(f.T, http.StatusCreated, &started)
	return started.Run
}

// Await waits until a run stands so.
func (f *Fixture) Await(run, status string) {
	f.T.Helper()
	var now struct {
		Status string
		Ended  bool
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		f.Get("/slipway/v1/runs/"+run, &now)
		if now.Status == status {
			return
		}
		if now.Ended || time.Now().After(end) {
			f.T.Fatalf("run %s is %s, not %s", run, now.Status, status)
		}
	}
}

// AddToken makes a token of a user of an account that need not be the platform's.
func (f *Fixture) AddToken(token, account, user string) {
	f.T.Helper()
	if err := f.Govern.PutUser(f.T.Context(), account, core.User{ID: user, Name: user}); err != nil {
		f.T.Fatal(err)
	}
	if err := f.Govern.PutToken(f.T.Context(), token, core.Token{Kind: core.PrincipalUser, Account: account, User: user, Name: token}); err != nil {
		f.T.Fatal(err)
	}
}

// Pipelines for tests. Hello has one step; Ask waits for an approval of the group
// approvers between two stages, and asks which ring.
const (
	Hello = `pipeline:
  name: Hello
  identifier: hello
  tags: {team: blue}
  stages:
    - stage:
        name: Say
        identifier: say
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  name: Greet
                  identifier: greet
                  type: ShellScript
                  timeout: 1m
                  spec:
                    shell: Bash
                    source: {type: Inline, spec: {script: "echo hi; v=1"}}
                    outputVariables: [{name: v, type: String, value: v}]
`
	Ask = `pipeline:
  name: Ask first
  identifier: ask
  stages:
    - stage:
        name: Ask
        identifier: ask
        type: Approval
        spec:
          execution:
            steps:
              - step:
                  name: Release
                  identifier: release
                  type: HarnessApproval
                  timeout: 1d
                  spec:
                    approvalMessage: "Release <b>1.0</b>?"
                    includePipelineExecutionHistory: true
                    callbackId: cb1
                    approvers:
                      userGroups: [approvers]
                      minimumCount: 1
                      disallowPipelineExecutor: false
                    approverInputs:
                      - {name: ring, defaultValue: internal, required: true, selectOneFrom: "internal,early,everyone"}
    - stage:
        name: Wait
        identifier: wait
        type: Custom
        spec:
          execution:
            steps:
              - step: {name: A second, identifier: second, type: Wait, timeout: 1m, spec: {duration: 10s}}
`
)
