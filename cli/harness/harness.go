// Package harness reads the documents of an account over Harness's REST interface:
// of Harness itself, or of whatever serves the same routes.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
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
	tries       = 5 // of a call that is throttled
)

// Source is an account at a base URL.
type Source struct {
	base, key, account string
	http               *http.Client
	wait               func(ctx context.Context, try int) error
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

// pause waits before a call is tried again.
func pause(ctx context.Context, try int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second << try):
		return nil
	}
}

// call makes a request and returns the answer's data. A call that is throttled is tried
// again.
func (s *Source) call(ctx context.Context, method, path string, q url.Values, body any) (any, error) {
	for try := 0; ; try++ {
		data, err := s.once(ctx, method, path, q, body)
		if !fault.Is(err, fault.Throttled) || try == tries-1 {
			return data, err
		}
		if err := s.wait(ctx, try); err != nil {
			return nil, err
		}
	}
}

func (s *Source) once(ctx context.Context, method, path string, q url.Values, body any) (any, error) {
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
		return nil, fault.New(fault.Unavailable, "%s cannot be reached: %w", s.base, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%s: %w", path, err)
	}
	var answer struct {
		Data    any    `json:"data"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	err = json.Unmarshal(text, &answer)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return nil, fault.New(fault.Throttled, "%s asks for fewer calls", s.base)
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fault.New(fault.Unauthenticated, "%s does not take the key: %s", s.base, answer.Message)
	case resp.StatusCode == http.StatusNotFound, strings.HasSuffix(answer.Code, "_NOT_FOUND_EXCEPTION"), answer.Code == "ENTITY_NOT_FOUND":
		return nil, fault.New(fault.NotFound, "%s %s: %s", method, path, answer.Message)
	case resp.StatusCode >= 300:
		return nil, fault.New(fault.Unavailable, "%s %s: %d %s", method, path, resp.StatusCode, answer.Message)
	case err != nil:
		return nil, fault.New(fault.Unavailable, "%s %s: the answer is no JSON: %w", method, path, err)
	}
	return answer.Data, nil
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
