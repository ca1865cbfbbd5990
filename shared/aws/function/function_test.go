package function

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/aws/function/runtimetest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestMain makes this test's own program one of the functions below, which the
// tests start as Lambda does, or for $PORT.
func TestMain(m *testing.M) {
	switch os.Getenv("FUNCTION") {
	case "http":
		HTTP(http.HandlerFunc(echo), guarded)
	case "slow":
		HTTP(http.HandlerFunc(slow), nil)
	case "open":
		HTTP(http.HandlerFunc(echo), nil)
	case "invoked":
		Invoked(failing)
	case "authorizer":
		Authorizer(admit)
	default:
		os.Exit(m.Run())
	}
}

// slow begins its answer at once, and ends it when it has read all of the request.
func slow(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex()
	_, _ = io.WriteString(w, "begun, ")
	_ = c.Flush()
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ended")
}

// echo answers who asked and with which headers.
func echo(w http.ResponseWriter, r *http.Request) {
	var names []string
	for name := range r.Header {
		if name != "User-Agent" && name != "Accept-Encoding" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	fmt.Fprintf(w, "%s as %q with %s", r.URL.Path, core.PrincipalOf(r.Context()).Actor.ID, strings.Join(names, " "))
}

// guarded stands for the authorizer: it knows one token.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "good" {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		p := core.Principal{Kind: core.PrincipalUser, Actor: core.Actor{ID: "guarded"}}
		next.ServeHTTP(w, r.WithContext(core.WithPrincipal(r.Context(), p)))
	})
}

// failing fails as it is told.
func failing(_ context.Context, in struct{ Fail string }) (map[string]string, error) {
	switch in.Fail {
	case "":
		return map[string]string{"well": "done"}, nil
	case "throttled":
		return nil, fmt.Errorf("reading: %w", fault.New(fault.Throttled, "slow down"))
	case "gone":
		return nil, fault.New(fault.Gone, "it has ended")
	default:
		return nil, errors.New("oh dear")
	}
}

// admit is what an authorizer asks.
func admit(_ context.Context, token, _, _ string) (core.Principal, error) {
	switch token {
	case "good":
		return core.Principal{Kind: core.PrincipalUser, Actor: core.Actor{ID: "alice"}}, nil
	case "other":
		return core.Principal{}, fault.New(fault.Forbidden, "no")
	case "throttled":
		return core.Principal{}, fault.New(fault.Throttled, "slow down")
	default:
		return core.Principal{}, fault.New(fault.Unauthenticated, "who?")
	}
}

// started is a function under a Lambda Runtime API.
func started(t *testing.T, which string) func(event string) runtimetest.Result {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := runtimetest.Start(t.Context(), program, io.Discard, "FUNCTION="+which)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return func(event string) runtimetest.Result {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := f.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		r, err := f.Invoke(ctx, []byte(event))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// cases of the function that fails as it is told.
var failures = map[string]struct {
	event  string
	status int // on $PORT
	name   string
	says   string
}{
	"none":              {`{}`, 200, "", `{"well":"done"}`},
	"throttled, inside": {`{"Fail":"throttled"}`, 429, "Slipway.Throttled", "reading: slow down"},
	"gone":              {`{"Fail":"gone"}`, 410, "Slipway.Gone", "it has ended"},
	"of no kind":        {`{"Fail":"?"}`, 500, "Slipway.Internal", "oh dear"},
}

// TestErrorsBearTheirName looks at errors where state machines see them.
func TestErrorsBearTheirName(t *testing.T) {
	invoke := started(t, "invoked")
	for name, tc := range failures {
		r := invoke(tc.event)
		if r.Failed != (tc.name != "") {
			t.Errorf("%s: %+v", name, r)
		}
		checkBody(t, name, r.Body, tc.name, tc.says)
	}
}

func checkBody(t *testing.T, name string, body []byte, errorType, says string) {
	t.Helper()
	if errorType == "" {
		if strings.TrimSpace(string(body)) != says {
			t.Errorf("%s: %s", name, body)
		}
		return
	}
	var e struct{ ErrorType, ErrorMessage string }
	if err := json.Unmarshal(body, &e); err != nil || e.ErrorType != errorType || e.ErrorMessage != says {
		t.Errorf("%s: %s, want %s: %s", name, body, errorType, says)
	}
}

// TestBehindTheAuthorizer serves a door to API Gateway.
func TestBehindTheAuthorizer(t *testing.T) {
	const who = `,"requestContext":{"authorizer":{"principal":"{\"kind\":\"user\",\"account\":\"a\",\"actor\":{\"id\":\"alice\"}}"}}`
	const sent = `{"httpMethod":"GET","path":"/p","multiValueHeaders":{"X-Api-Key":["%s"],"authorization":["Bearer x"],"x-slipway-as":["bob"],"X-Other":["1"]}%s}`
	tests := map[string]struct {
		function, token, principal string
		status                     int
		says                       string
	}{
		"vouched for":            {"http", "any", who, 200, `/p as "alice" with X-Other`},
		"not, with a token":      {"http", "good", "", 200, `/p as "guarded" with Authorization X-Api-Key X-Other X-Slipway-As`},
		"not, without":           {"http", "bad", "", 401, "who?\n"},
		"nobody is asked for":    {"open", "any", "", 200, `/p as "" with Authorization X-Api-Key X-Other X-Slipway-As`},
		"a principal of no kind": {"http", "bad", strings.Replace(who, `\"kind\":\"user\",`, "", 1), 401, "who?\n"},
	}
	invoke := map[string]func(string) runtimetest.Result{"http": started(t, "http"), "open": started(t, "open")}
	for name, tc := range tests {
		r := invoke[tc.function](fmt.Sprintf(sent, tc.token, tc.principal))
		var got struct {
			StatusCode int
			Body       string
		}
		if err := json.Unmarshal(r.Body, &got); err != nil || r.Failed || got.StatusCode != tc.status || got.Body != tc.says {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
}

// TestAuthorizer looks at its answers as API Gateway sees them: it takes exactly
// one message for a 401 and answers 500 to any other.
func TestAuthorizer(t *testing.T) {
	invoke := started(t, "authorizer")
	for token, want := range map[string]string{"good": `"Effect":"Allow"`, "other": `"Effect":"Deny"`, "bad": `"errorMessage":"Unauthorized"`, "throttled": `"errorMessage":"slow down"`} {
		r := invoke(fmt.Sprintf(`{"type":"REQUEST","methodArn":"arn","path":"/p","headers":{"x-api-key":%q}}`, token))
		if !strings.Contains(string(r.Body), want) || r.Failed != strings.Contains(want, "error") {
			t.Errorf("%s: %+v %s", token, r.Failed, r.Body)
		}
	}
}

// onPort starts a function for $PORT and returns its address and how it ends.
func onPort(t *testing.T, which string) (string, func() error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program) // ended below, by its own means
	cmd.Env = append(os.Environ(), "FUNCTION="+which, "PORT=0", "AWS_LAMBDA_RUNTIME_API=")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		t.Fatalf("%q %v", line, err)
	}
	end := sync.OnceValue(func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, lines)
		return cmd.Wait()
	})
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("told to end, it ended with %v", err)
		}
	})
	return address, end
}

func call(t *testing.T, url, token, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-api-key", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}

func TestOnPort(t *testing.T) {
	t.Run("door", func(t *testing.T) {
		address, _ := onPort(t, "http")
		if status, body := call(t, address+"/p", "bad", ""); status != 401 {
			t.Errorf("%d %s", status, body)
		}
		if status, body := call(t, address+"/p", "good", ""); status != 200 || !strings.HasPrefix(string(body), `/p as "guarded"`) {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("function", func(t *testing.T) {
		address, end := onPort(t, "invoked")
		for name, tc := range failures {
			status, body := call(t, address, "", tc.event)
			if status != tc.status {
				t.Errorf("%s: %d %s", name, status, body)
			}
			checkBody(t, name, body, tc.name, tc.says)
		}
		for name, event := range map[string]string{"not JSON": "x", "empty": "", "another type": `{"Fail":1}`} {
			if status, body := call(t, address, "", event); status != 400 || !strings.Contains(string(body), "Slipway.Invalid") {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
		if err := end(); err != nil {
			t.Errorf("told to end, it ended with %v", err)
		}
	})
	t.Run("authorizer", func(t *testing.T) {
		address, _ := onPort(t, "authorizer")
		for token, want := range map[string]int{"good": 200, "other": 200, "bad": 401, "throttled": 429} {
			if status, body := call(t, address, "", fmt.Sprintf(`{"headers":{"x-api-key":%q}}`, token)); status != want {
				t.Errorf("%s: %d %s", token, status, body)
			}
		}
	})
}

// TestWhatIsUnderWay is answered before a program that is told to end does.
func TestWhatIsUnderWay(t *testing.T) {
	address, end := onPort(t, "slow")
	body, rest := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req) // returns once the answer has begun
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	for { // until it takes no more
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			break
		}
		_ = c.Close()
	}
	_ = rest.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "begun, ended" {
		t.Errorf("%q %v", text, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
