package schedule

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

var epoch = time.UnixMilli(1_790_000_000_123) // 2026-09-21T14:13:20.123Z

func TestExpression(t *testing.T) {
	for name, tc := range map[string]struct {
		in   time.Duration
		want string
	}{
		"a whole second stays": {time.Hour - 123*time.Millisecond, "at(2026-09-21T15:13:20)"},
		"a part is rounded up": {time.Hour, "at(2026-09-21T15:13:21)"},
		"a nanosecond is":      {time.Hour - 123*time.Millisecond + 1, "at(2026-09-21T15:13:21)"},
		"the past is soon":     {-time.Hour, "at(2026-09-21T14:13:26)"},
		"now is soon":          {0, "at(2026-09-21T14:13:26)"},
		"never":                {-epoch.Sub(time.Time{}), "at(2026-09-21T14:13:26)"},
	} {
		at := epoch.Add(tc.in).In(time.FixedZone("far", 9*3600))
		if got := *expression(at, epoch, lead); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestInput(t *testing.T) {
	for given, want := range map[string]string{
		``:                                  `null`,
		`{"a":"<b>"}`:                       `{"a":"<b>"}`,
		`["<aws.scheduler.execution-id>é"]`: `["\u003caws.scheduler.execution-id>é"]`,
	} {
		if got := string(input(json.RawMessage(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// statuses are Scheduler's, by code.
var statuses = map[string]int{notFound: 404, exists: 409, "ThrottlingException": 429, invalid: 400, "Other": 400, "ServiceQuotaExceededException": 402}

// request is what a test's Scheduler was sent; the body leaves the token out.
type request struct {
	Method, Path string
	Body         map[string]any
}

// fake is a Scheduler that answers with error codes in turn, "" for success.
type fake struct {
	*Schedule
	requests []request
	tokens   []string
}

func newFake(t *testing.T, settings Settings, codes ...string) *fake {
	t.Helper()
	f := &fake{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := request{Method: r.Method, Path: r.URL.Path}
		_ = json.Unmarshal(body, &got.Body)
		token, _ := got.Body["ClientToken"].(string)
		delete(got.Body, "ClientToken")
		f.requests, f.tokens = append(f.requests, got), append(f.tokens, token)
		code := codes[min(len(f.requests), len(codes))-1]
		w.Header().Set("Content-Type", "application/json")
		if code != "" {
			w.Header().Set("X-Amzn-Errortype", code)
			w.WriteHeader(statuses[code])
		}
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)
	cfg := aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}}
	f.Schedule = New(cfg, settings, clock.NewManual(epoch))
	return f
}

func timer(in time.Duration) core.Timer {
	return core.Timer{Name: "t", At: epoch.Add(in), Function: "advance", Payload: json.RawMessage(`{"a":1}`)}
}

// TestSchedule is all that is sent, once.
func TestSchedule(t *testing.T) {
	f := newFake(t, Settings{Group: "g", Functions: "arn:f:", Role: "arn:role", DeadLetters: "arn:queue", KMSKey: "arn:key"}, "")
	if err := f.Set(t.Context(), timer(time.Hour)); err != nil {
		t.Fatal(err)
	}
	want := []request{{"POST", "/schedules/t", map[string]any{
		"ActionAfterCompletion": "DELETE", "FlexibleTimeWindow": map[string]any{"Mode": "OFF"}, "GroupName": "g", "KmsKeyArn": "arn:key",
		"ScheduleExpression": "at(2026-09-21T15:13:21)", "ScheduleExpressionTimezone": "UTC",
		"Target": map[string]any{
			"Arn": "arn:f:advance", "RoleArn": "arn:role", "Input": `{"a":1}`, "DeadLetterConfig": map[string]any{"Arn": "arn:queue"},
			"RetryPolicy": map[string]any{"MaximumEventAgeInSeconds": 86400.0, "MaximumRetryAttempts": 185.0},
		},
	}}}
	if diff := cmp.Diff(want, f.requests); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := f.Set(t.Context(), timer(time.Hour)); err != nil || f.tokens[0] == "" || f.tokens[0] == f.tokens[1] {
		t.Errorf("%v, tokens %q: each Set has its own", err, f.tokens)
	}
}

func TestSetAmongOthers(t *testing.T) {
	const create, change = "POST", "PUT"
	for name, tc := range map[string]struct {
		codes, calls []string
		in           time.Duration
		kind         fault.Kind // meant when ok is false
		ok           bool
	}{
		"there is none":                 {[]string{""}, []string{create}, time.Hour, 0, true},
		"there is one":                  {[]string{exists, ""}, []string{create, change}, time.Hour, 0, true},
		"it fires in between":           {[]string{exists, notFound, ""}, []string{create, change, create}, time.Hour, 0, true},
		"and is set again":              {[]string{exists, notFound, exists, ""}, []string{create, change, create, change}, time.Hour, 0, true},
		"and goes again":                {[]string{exists, notFound, exists, notFound}, []string{create, change, create, change}, time.Hour, fault.Unavailable, false},
		"another change is under way":   {[]string{exists, exists}, []string{create, change}, time.Hour, fault.Unavailable, false},
		"there is no group":             {[]string{notFound}, []string{create}, time.Hour, fault.Internal, false},
		"it is past for Scheduler":      {[]string{invalid, ""}, []string{create, create}, 0, 0, true},
		"and still is":                  {[]string{invalid, invalid}, []string{create, create}, 0, fault.Internal, false},
		"invalid for another reason":    {[]string{invalid}, []string{create}, time.Hour, fault.Internal, false},
		"a change that is past":         {[]string{exists, invalid, exists, ""}, []string{create, change, create, change}, 0, 0, true},
		"throttled":                     {[]string{"ThrottlingException"}, []string{create, create, create}, time.Hour, fault.Throttled, false},
		"throttled once":                {[]string{"ThrottlingException", ""}, []string{create, create}, time.Hour, 0, true},
		"a quota is reached":            {[]string{"ServiceQuotaExceededException"}, []string{create}, time.Hour, fault.Throttled, false},
		"what we do not know is no try": {[]string{"Other"}, []string{create}, time.Hour, fault.Internal, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, Settings{Group: "g"}, tc.codes...)
			err := f.Set(t.Context(), timer(tc.in))
			if tc.ok != (err == nil) || !tc.ok && !fault.Is(err, tc.kind) {
				t.Errorf("%v of kind %d", err, fault.KindOf(err))
			}
			var calls []string
			for _, r := range f.requests {
				calls = append(calls, r.Method)
			}
			if diff := cmp.Diff(tc.calls, calls); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestChange: a change says everything that a creation does.
func TestChange(t *testing.T) {
	f := newFake(t, Settings{Group: "g", Functions: "arn:f:", Role: "arn:role", DeadLetters: "arn:queue", KMSKey: "arn:key"}, exists, "")
	if err := f.Set(t.Context(), timer(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.requests[0].Body, f.requests[1].Body); diff != "" {
		t.Errorf("(-created +changed)\n%s", diff)
	}
}

func TestCancel(t *testing.T) {
	for name, tc := range map[string]struct {
		code string
		kind fault.Kind
		ok   bool
	}{"there": {"", 0, true}, "gone": {notFound, 0, true}, "being changed": {exists, fault.Unavailable, false}, "throttled": {"ThrottlingException", fault.Throttled, false}} {
		f := newFake(t, Settings{Group: "g"}, tc.code)
		if err := f.Cancel(t.Context(), "t"); tc.ok != (err == nil) || !tc.ok && !fault.Is(err, tc.kind) {
			t.Errorf("%s: %v of kind %d", name, err, fault.KindOf(err))
		}
	}
	f := newFake(t, Settings{}, "Other")
	if err := f.Cancel(t.Context(), "a/b"); err != nil || len(f.requests) > 0 {
		t.Errorf("a name that nothing has: %v", err)
	}
}

// TestRefusals: these never leave.
func TestRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*core.Timer)
		kind  fault.Kind
	}{
		"a function with a colon":  {func(t *core.Timer) { t.Function = "advance:7" }, fault.Invalid},
		"a payload over the bound": {func(t *core.Timer) { t.Payload = text(maxPayload + 1) }, fault.TooLarge},
		"an escape over the bound": {func(t *core.Timer) {
			t.Payload = json.RawMessage(strings.Replace(string(text(maxPayload)), "xxxxxxxxxxxxxxx", "<aws.scheduler.", 1))
		}, fault.TooLarge},
	} {
		f := newFake(t, Settings{}, "")
		bad := timer(0)
		tc.spoil(&bad)
		if err := f.Set(t.Context(), bad); !fault.Is(err, tc.kind) || len(f.requests) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := newFake(t, Settings{}, "")
	full := timer(0)
	full.Payload = text(maxPayload)
	if err := f.Set(t.Context(), full); err != nil {
		t.Errorf("a payload at the bound: %v", err)
	}
}

// text is a JSON string of n bytes.
func text(n int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`)
}
