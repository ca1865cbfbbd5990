package call

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/smithy-go"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// budget is what a function has, less a second to answer.
const budget = 28 * time.Second

func TestBounds(t *testing.T) {
	if longest > budget {
		t.Errorf("a call may take %s, more than %s", longest, budget)
	}
	cfg := bounded(aws.Config{})
	if n := cfg.Retryer().MaxAttempts(); n != attempts {
		t.Errorf("%d attempts", n)
	}
	client := cfg.HTTPClient.(*awshttp.BuildableClient)
	if client.GetTimeout() != attemptTimeout || client.GetDialer().Timeout != connectTimeout || client.GetTransport().TLSHandshakeTimeout != connectTimeout {
		t.Errorf("timeouts %s, %s, %s", client.GetTimeout(), client.GetDialer().Timeout, client.GetTransport().TLSHandshakeTimeout)
	}
	patient := awshttp.NewBuildableClient().WithTimeout(time.Minute)
	for name, own := range map[string]aws.HTTPClient{"with a timeout": patient, "of another type": http.DefaultClient} {
		if got := bounded(aws.Config{HTTPClient: own}).HTTPClient; got != own {
			t.Errorf("a client %s was replaced", name)
		}
	}
}

func TestBackOff(t *testing.T) {
	throttled := &smithy.GenericAPIError{Code: "ThrottlingException"}
	for name, tc := range map[string]struct {
		attempt int
		err     error
		most    time.Duration
	}{
		"a failure":          {1, errors.New("no"), firstBackOff},
		"the second":         {2, errors.New("no"), 2 * firstBackOff},
		"throttled":          {1, throttled, throttledFirst},
		"the second time":    {2, throttled, maxBackOff},
		"many, not too long": {99, throttled, maxBackOff},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[time.Duration]bool{}
			for range 100 {
				d, err := retryer().RetryDelay(tc.attempt, tc.err)
				if err != nil || d < 0 || d > tc.most {
					t.Fatalf("%s, %v: at most %s", d, err, tc.most)
				}
				seen[d] = true
			}
			if len(seen) < 50 || ceiling(tc.attempt, tc.err) != tc.most {
				t.Errorf("%d different waits below %s", len(seen), ceiling(tc.attempt, tc.err))
			}
		})
	}
}

// answers is a service that gives answers in turn, the last one for ever.
func answers(t *testing.T, tries *atomic.Int32, bodies ...string) func() *sfn.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body := bodies[min(int(tries.Add(1)), len(bodies))-1]
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		switch body {
		case "":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "{}":
			_, _ = w.Write([]byte(body))
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"` + body + `"}`))
		}
	}))
	t.Cleanup(server.Close)
	return Lazy(aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}},
		func(c aws.Config) *sfn.Client { return sfn.NewFromConfig(c) })
}

func TestTries(t *testing.T) {
	for name, tc := range map[string]struct {
		bodies []string
		tries  int32
		kind   fault.Kind // 0 and a last body "{}" for success
	}{
		"throttled, then taken":  {[]string{"ThrottlingException", "{}"}, 2, 0},
		"throttled for good":     {[]string{"ThrottlingException"}, attempts, fault.Throttled},
		"a limit, then taken":    {[]string{"TooManyRequestsException", "{}"}, 2, 0},
		"no answer, then taken":  {[]string{"", "", "{}"}, 3, 0},
		"no answer for good":     {[]string{""}, attempts, fault.Unavailable},
		"a refusal is not tried": {[]string{"AccessDeniedException"}, 1, fault.Internal},
		"a known refusal":        {[]string{"TaskTimedOut"}, 1, fault.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int32
			client := answers(t, &tries, tc.bodies...)
			_, err := client().SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: aws.String("t")})
			err = Fault(t.Context(), "beating", err, Kinds{"TaskTimedOut": fault.Gone})
			if ok := tc.bodies[len(tc.bodies)-1] == "{}"; ok != (err == nil) || !ok && !fault.Is(err, tc.kind) || tries.Load() != tc.tries {
				t.Errorf("after %d tries: %v of kind %d", tries.Load(), err, fault.KindOf(err))
			}
		})
	}
}

// armed is a clock that notes what it is asked for, and fires at once or never.
type armed struct {
	core.Clock
	fires bool
	waits []time.Duration
}

func (c *armed) AfterFunc(d time.Duration, f func()) func() {
	c.waits = append(c.waits, d)
	if c.fires {
		f()
	}
	return func() {}
}

func TestPause(t *testing.T) {
	c := &armed{fires: true}
	seen := map[time.Duration]bool{}
	for range 100 {
		if err := Pause(t.Context(), c, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range c.waits {
		seen[d] = true
		if d < time.Second || d > 1500*time.Millisecond {
			t.Errorf("waits %s", d)
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d different waits", len(seen))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Pause(ctx, &armed{}, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestGivenUp: the caller's own end has a kind of its own, before and while waiting.
func TestGivenUp(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for name, tc := range map[string]struct {
		ctx  context.Context
		kind fault.Kind
	}{"canceled": {canceled, fault.Canceled}, "late": {late, fault.Timeout}} {
		var tries atomic.Int32
		_, err := answers(t, &tries, "{}")().SendTaskHeartbeat(tc.ctx, &sfn.SendTaskHeartbeatInput{TaskToken: aws.String("t")})
		if err = Fault(tc.ctx, "beating", err, nil); !fault.Is(err, tc.kind) {
			t.Errorf("%s: %v of kind %d", name, err, fault.KindOf(err))
		}
	}
}

// TestCanceledBackOff: a wait for the next try ends with the context.
func TestCanceledBackOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		cancel()
	}))
	defer server.Close()
	client := Lazy(aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}},
		func(c aws.Config) *sfn.Client { return sfn.NewFromConfig(c) })
	_, err := client().SendTaskHeartbeat(ctx, &sfn.SendTaskHeartbeatInput{TaskToken: aws.String("t")})
	if err = Fault(ctx, "beating", err, nil); !fault.Is(err, fault.Canceled) {
		t.Errorf("%v of kind %d", err, fault.KindOf(err))
	}
}

// TestNobodyThere and TestSilence: what cannot be reached may answer later.
func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	client := Lazy(aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}},
		func(c aws.Config) *sfn.Client { return sfn.NewFromConfig(c) })
	_, err := client().SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: aws.String("t")})
	if err = Fault(t.Context(), "beating", err, nil); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v of kind %d", err, fault.KindOf(err))
	}
}

func TestSilence(t *testing.T) {
	var tries atomic.Int32
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	defer server.Close()
	defer close(over)
	hasty := awshttp.NewBuildableClient().WithTimeout(20 * time.Millisecond)
	client := Lazy(aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}, HTTPClient: hasty},
		func(c aws.Config) *sfn.Client { return sfn.NewFromConfig(c) })
	_, err := client().SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: aws.String("t")})
	if err = Fault(t.Context(), "beating", err, nil); !fault.Is(err, fault.Unavailable) || tries.Load() != attempts {
		t.Errorf("after %d tries: %v of kind %d", tries.Load(), err, fault.KindOf(err))
	}
}
