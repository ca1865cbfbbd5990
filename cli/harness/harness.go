// Package harness reads the documents of an account over Harness's REST interface:
// of Harness itself, or of whatever serves the same routes.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of reading.
const (
	callTimeout = time.Minute
	maxAnswer   = 64 << 20
	pageSize    = 100
	tries       = 6 // of a call that came at a bad time
	maxPause    = time.Minute
)

// Source is an account at a base URL.
type Source struct {
	base, key, account string
	http               *http.Client
	answered           bool // once
	wait               func(ctx context.Context, try int, after time.Duration) error
}

// New returns a source. account may be empty when the key says it, as Harness's do:
// "pat.ACCOUNT.…".
func New(base, key, account string) (*Source, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "the address %q is not like https://app.harness.io", base)
	}
	if parts := strings.Split(key, "."); account == "" && len(parts) > 2 && (parts[0] == "pat" || parts[0] == "sat") {
		account = parts[1]
	}
	if account == "" {
		return nil, fault.New(fault.Invalid, "the account is needed: the key does not say it")
	}
	return &Source{base: strings.TrimRight(base, "/"), key: key, account: account, wait: pause, http: &http.Client{Timeout: callTimeout,
		// A redirect would carry the key somewhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// Account is the identifier of the account that is read.
func (s *Source) Account() string { return s.account }

// busy says that a call may go well later, and when the source asks for it to be tried.
type busy struct {
	error
	after time.Duration // 0 when it does not say
}

func (b *busy) Unwrap() error { return b.error }

// pause waits before a call is tried again: as long as the source asks for, within
// reason, else ever longer.
func pause(ctx context.Context, try int, after time.Duration) error {
	if after <= 0 {
		after = time.Second << try
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(after, maxPause)):
		return nil
	}
}

// call makes a request and returns the answer's data. A call that came at a bad time is
// tried again.
func (s *Source) call(ctx context.Context, method, path string, q url.Values, body any) (any, error) {
	text, err := s.read(ctx, method, path, q, body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status  string `json:"status"`
		Data    any    `json:"data"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fault.New(fault.Invalid, "%s %s: the answer is no JSON: %w", method, path, err)
	}
	if answer.Status == "ERROR" || answer.Status == "FAILURE" {
		return nil, fault.New(fault.Invalid, "%s %s: %s", method, path, answer.Message)
	}
	return answer.Data, nil
}

// read makes a request, several times when it has to, and returns the answer's body.
func (s *Source) read(ctx context.Context, method, path string, q url.Values, body any) ([]byte, error) {
	for try := 0; ; try++ {
		text, err := s.once(ctx, method, path, q, body)
		late, again := errors.AsType[*busy](err)
		if !again || try == tries-1 {
			return text, err
		}
		if err := s.wait(ctx, try, late.after); err != nil {
			return nil, err
		}
	}
}

func (s *Source) once(ctx context.Context, method, path string, q url.Values, body any) ([]byte, error) {
	q.Set("accountIdentifier", s.account)
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path+"?"+q.Encode(), in)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	req.Header.Set("x-api-key", s.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		err = fault.New(fault.Unavailable, "%s cannot be reached: %w", s.base, err)
		if !s.answered { // it is not there at all
			return nil, err
		}
		return nil, &busy{err, 0}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, &busy{fault.New(fault.Unavailable, "%s: %w", path, err), 0}
	}
	s.answered = true
	return text, s.refused(method+" "+path, resp, text)
}

// refused is the error of an answer that is none: of one document alone, or fault.Throttled,
// fault.Unavailable and fault.Unauthenticated, after which nothing else will go well.
func (s *Source) refused(what string, resp *http.Response, text []byte) error {
	var answer struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &answer) // what stands between may answer in HTML
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	after := time.Duration(seconds) * time.Second
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusTooManyRequests:
		return &busy{fault.New(fault.Throttled, "%s asks for fewer calls", s.base), after}
	case code == http.StatusBadGateway, code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		return &busy{fault.New(fault.Unavailable, "%s: %s", what, resp.Status), after}
	case code == http.StatusUnauthorized:
		return fault.New(fault.Unauthenticated, "%s does not take the key: %s", s.base, answer.Message)
	case code == http.StatusForbidden:
		return fault.New(fault.Forbidden, "%s: the key may not: %s", what, answer.Message)
	case code == http.StatusNotFound:
		return fault.New(fault.NotFound, "%s: %s", what, answer.Message)
	default:
		return fault.New(fault.Invalid, "%s: %d %s", what, code, answer.Message)
	}
}

// all reads every page of a list.
func (s *Source) all(ctx context.Context, l list, q url.Values) ([]any, error) {
	var out []any
	for page := 0; ; page++ {
		n := strconv.Itoa(page)
		for _, name := range []string{"page", "pageIndex"} {
			q.Set(name, n)
		}
		for _, name := range []string{"size", "pageSize"} {
			q.Set(name, strconv.Itoa(pageSize))
		}
		data, err := s.call(ctx, l.method, l.path, q, l.body)
		if err != nil {
			return nil, err
		}
		content, _ := at(data, "content").([]any)
		out = append(out, content...)
		if pages, _ := at(data, "totalPages").(float64); len(content) == 0 || page+1 >= int(pages) {
			return out, nil
		}
	}
}

// at follows keys down through objects; nil when one is missing.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func text(v any, keys ...string) string {
	s, _ := at(v, keys...).(string)
	return s
}
