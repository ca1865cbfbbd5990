package runner

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// MaxBodyBytes is how much of a response is read; the rest is left out and the
// log says so.
const MaxBodyBytes = 1 << 20

// maxRedirects is how often a request is sent on, as browsers do it.
const maxRedirects = 10

// HTTP sends a request and judges the answer (BEHAVIOUR §15.7): any status is
// success unless the assertion is false.
type HTTP struct {
	// AllowMetadata lets requests go to link-local addresses and to where clouds
	// give out a machine's credentials.
	AllowMetadata bool
	TLS           *tls.Config // nil for the system's trust

	once   sync.Once
	client *http.Client
}

// Type returns "Http".
func (*HTTP) Type() string { return "Http" }

type httpSpec struct {
	URL     text `json:"url"`
	Method  text `json:"method"`
	Headers []struct {
		Key   text `json:"key"`
		Value text `json:"value"`
	} `json:"headers"`
	Body        text       `json:"requestBody"`
	Assertion   text       `json:"assertion"`
	Inputs      []variable `json:"inputVariables"`
	Outputs     []variable `json:"outputVariables"`
	Certificate text       `json:"certificate"`
}

// answer is what is known of a response.
type answer struct {
	method, url string
	code        int
	body        string
}

// Run sends the request. Outputs: {"httpUrl", "httpMethod", "httpResponseBody",
// "status": string, "httpResponseCode": int, "outputVariables": {name: string or
// null}}; status is SUCCESS or FAILURE.
func (h *HTTP) Run(ctx context.Context, job *Job) wire.Outcome {
	var spec httpSpec
	if err := job.decode(&spec); err != nil {
		return Fail(Configuration, "%v", err)
	}
	req, err := request(ctx, job, spec)
	if err != nil {
		return Fail(Configuration, "%v", err)
	}
	got, err := h.send(job, req)
	switch {
	case fault.Is(err, fault.Forbidden):
		return Fail(Configuration, "%v", err)
	case err != nil:
		return Fail(Connectivity, "%v", err)
	}
	return judge(job, spec, got)
}

// request makes the request, secrets in place.
func request(ctx context.Context, job *Job, spec httpSpec) (*http.Request, error) {
	if spec.Certificate != "" {
		return nil, unsupported("client certificates of Http steps")
	}
	method := strings.ToUpper(strings.TrimSpace(string(spec.Method)))
	if method == "" {
		method = http.MethodGet
	}
	address, err := job.reveal(spec.URL)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.Invalid, "the step's url is not like https://host/path")
	}
	body, err := job.reveal(spec.Body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "the step's method or url cannot be used: %s", method)
	}
	if body == "" {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	req.Header.Set("User-Agent", "slipway-delegate")
	req.Header.Set("Idempotency-Key", job.Task.ID)
	for _, header := range spec.Headers {
		value, err := job.reveal(header.Value)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSpace(string(header.Key))
		if strings.EqualFold(name, "Host") {
			req.Host = value
		} else if name != "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// send sends the request and reads a bounded part of the answer.
func (h *HTTP) send(job *Job, req *http.Request) (answer, error) {
	job.Logf("%s %s", req.Method, req.URL.Redacted())
	resp, err := h.http().Do(req)
	if err != nil {
		if blocked, ok := errors.AsType[*blockedError](err); ok {
			return answer{}, fault.New(fault.Forbidden, "%v", blocked)
		}
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address is in the log
		}
		return answer{}, fault.New(fault.Unavailable, "%s cannot be reached: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBodyBytes+1))
	if err != nil {
		return answer{}, fault.New(fault.Unavailable, "reading the answer of %s: %w", req.URL.Host, err)
	}
	job.Logf("%s %s", resp.Proto, resp.Status)
	if len(body) > MaxBodyBytes {
		body = body[:MaxBodyBytes]
		job.Logf("the response is longer than %d KB; the rest was left out", MaxBodyBytes>>10)
	}
	return answer{
		method: req.Method, url: req.URL.String(), code: resp.StatusCode,
		body: strings.ToValidUTF8(string(body), "\uFFFD"),
	}, nil
}

// judge evaluates the assertion and the output variables.
func judge(job *Job, spec httpSpec, got answer) wire.Outcome {
	scope := newScope(spec.Inputs, got)
	out := wire.Outcome{OK: true}
	vars, secret, err := scope.outputs(job, spec.Outputs)
	if err != nil {
		out = Fail(Unknown, "%v", err)
	}
	if ok, err := scope.holds(spec.Assertion); err != nil {
		out = Fail(Unknown, "the assertion cannot be evaluated: %v", err)
	} else if !ok {
		out = Fail(Unknown, "the assertion is not true of the response, whose status is %d", got.code)
	}
	out.Secret = secret
	status := "SUCCESS"
	if !out.OK {
		status = "FAILURE"
	}
	out.Outputs = map[string]any{
		"httpUrl": got.url, "httpMethod": got.method, "httpResponseCode": got.code,
		"httpResponseBody": "", "status": status, "outputVariables": vars,
	}
	body := shorten(got.body, wire.MaxOutputBytes*7/8-jsonSize(out.Outputs))
	if len(body) < len(got.body) {
		job.Logf("httpResponseBody is cut at %d KB, for the outputs of a step are bounded", len(body)>>10)
	}
	out.Outputs["httpResponseBody"] = body
	return out
}

// shorten cuts s so that it takes at most budget bytes as JSON.
func shorten(s string, budget int) string {
	for size := jsonSize(s); size > budget && s != ""; size = jsonSize(s) {
		s = strings.ToValidUTF8(s[:max(0, int(int64(len(s))*int64(budget)/int64(size))-1)], "")
	}
	return s
}

func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return wire.MaxOutputBytes
	}
	return len(b)
}

// http returns the client, whose connections are kept for the next step.
func (h *HTTP) http() *http.Client {
	h.once.Do(func() {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = h.TLS
		var rt http.RoundTripper = t
		if !h.AllowMetadata {
			t.DialContext = guardedDialer().DialContext
			rt = hostGuard{t}
		}
		h.client = &http.Client{Transport: rt, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			return nil
		}}
	})
	return h.client
}
