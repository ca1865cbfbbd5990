package httpio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

var update = flag.Bool("update", false, "rewrite golden files")

// ids is core.IDs that always makes the same.
type ids struct{}

func (ids) New() string   { return "01CORRELATION" }
func (ids) Token() string { return "token" }

func serve(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestEnvelopes(t *testing.T) {
	diags := core.Diagnostics{
		{Severity: core.SeverityWarning, Code: "similar-identifier", Message: "a and A", File: "p.yaml", Line: 2, Column: 3, Path: "/pipeline"},
		{Severity: core.SeverityUnsupported, Code: "not-supported", Message: "not supported yet: when", File: "p.yaml", Line: 5, Column: 1, Path: "/pipeline/stages/0"},
	}
	tests := map[string]httpio.Handler{
		"ok": func(r *http.Request) (httpio.Answer, error) { return httpio.OK(r, map[string]int{"n": 1}), nil },
		"notfound": func(*http.Request) (httpio.Answer, error) {
			return httpio.Answer{}, fault.New(fault.NotFound, "there is no pipeline %q", "x")
		},
		"internal": func(*http.Request) (httpio.Answer, error) {
			return httpio.Answer{}, errors.New("disk on fire at /secret")
		},
		"panic": func(*http.Request) (httpio.Answer, error) {
			var none []string
			return httpio.Answer{Body: none[len(none)]}, nil
		},
		"refused": func(*http.Request) (httpio.Answer, error) { return httpio.Answer{}, httpio.Diagnosed(diags) },
		"page": func(r *http.Request) (httpio.Answer, error) {
			return httpio.OK(r, httpio.PageOf([]string{"c"}, 3, httpio.Paging{Page: 1, Size: 2})), nil
		},
	}
	for name, h := range tests {
		t.Run(name, func(t *testing.T) {
			w := serve(t, httpio.Correlate(ids{}, h), httptest.NewRequest("GET", "/x", nil))
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			got, _ := json.MarshalIndent(map[string]any{"status": w.Code, "body": v}, "", "  ")
			golden(t, name+".json", string(got)+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKindIsTranslated(t *testing.T) {
	headers := map[fault.Kind][2]string{
		fault.Unauthenticated: {"WWW-Authenticate", "Bearer"},
		fault.Throttled:       {"Retry-After", "1"},
		fault.Unavailable:     {"Retry-After", "1"},
	}
	for k := fault.Internal; k <= fault.Canceled; k++ {
		err := fault.New(k, "said")
		w := serve(t, httpio.Handler(func(*http.Request) (httpio.Answer, error) { return httpio.Answer{}, err }), httptest.NewRequest("GET", "/", nil))
		var p httpio.Problem
		if json.Unmarshal(w.Body.Bytes(), &p) != nil || w.Code != fault.ClassOf(err).HTTP || p.Code != fault.ClassOf(err).Code {
			t.Errorf("kind %d: %d %s", k, w.Code, w.Body)
		}
		if (p.Message == "said") == (k == fault.Internal) {
			t.Errorf("kind %d: message %q", k, p.Message)
		}
		if h := headers[k]; w.Header().Get(h[0]) != h[1] {
			t.Errorf("kind %d: %s is %q", k, h[0], w.Header().Get(h[0]))
		}
	}
}

func TestJSON(t *testing.T) {
	type body struct {
		N int `json:"n"`
	}
	tests := map[string]struct {
		text   string
		strict bool
		want   string // of the error
		kind   fault.Kind
	}{
		"good":            {text: `{"n":1}`},
		"unknown field":   {text: `{"n":1,"m":2}`},
		"unknown, strict": {text: `{"n":1,"m":2}`, strict: true, want: `unknown field "m"`, kind: fault.Invalid},
		"empty":           {text: " \n", want: "is empty", kind: fault.Invalid},
		"wrong type":      {text: `{"n":"1"}`, want: `field "n" is a string: expected a number`, kind: fault.Invalid},
		"cut short":       {text: `{"n":`, want: "cannot be read", kind: fault.Invalid},
		"not JSON":        {text: `n: 1`, want: "at byte", kind: fault.Invalid},
		"two values":      {text: `{"n":1}{"n":2}`, want: "something follows", kind: fault.Invalid},
		"at the limit":    {text: `{"n":1}` + strings.Repeat(" ", 93)},
		"a byte over":     {text: `{"n":1}` + strings.Repeat(" ", 94), want: "may have 100 bytes", kind: fault.TooLarge},
	}
	for name, tc := range tests {
		for _, chunked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				r := httptest.NewRequest("POST", "/", strings.NewReader(tc.text))
				if chunked {
					r.ContentLength = -1
				}
				read := httpio.JSON
				if tc.strict {
					read = httpio.StrictJSON
				}
				var b body
				err := read(r, 100, &b)
				switch {
				case tc.want == "" && (err != nil || b.N != 1):
					t.Errorf("got %+v, %v", b, err)
				case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || fault.KindOf(err) != tc.kind):
					t.Errorf("error %v (%d), want %q", err, fault.KindOf(err), tc.want)
				}
			})
		}
	}
}

func TestOptionalJSON(t *testing.T) {
	b := map[string]int{"kept": 1}
	if err := httpio.OptionalJSON(httptest.NewRequest("POST", "/", nil), 10, &b); err != nil || b["kept"] != 1 {
		t.Error(b, err)
	}
	if err := httpio.OptionalJSON(httptest.NewRequest("POST", "/", strings.NewReader(`[]`)), 10, &b); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	tests := map[string]struct{ contentType, body, want, err string }{
		"YAML":               {"application/yaml", "a: 1\n", "a: 1\n", ""},
		"YAML called JSON":   {"application/json", "a: 1\n", "a: 1\n", ""},
		"JSON string":        {"application/json", `"a: 1\n"`, "a: 1\n", ""},
		"JSON document":      {"application/json", `{"a":1}`, `{"a":1}`, ""},
		"quoted YAML scalar": {"application/yaml", `"a"`, `"a"`, ""},
		"blank":              {"application/yaml", " \n", "", "empty"},
		"blank JSON string":  {"application/json", `" "`, "", "empty"},
		"broken JSON string": {"application/json", `"a`, "", "not JSON"},
		"not UTF-8":          {"application/yaml", "a: \xff", "", "UTF-8"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(tc.body))
			r.Header.Set("Content-Type", tc.contentType)
			got, err := httpio.Text(r, 100)
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) || err == nil && got != tc.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestMux(t *testing.T) {
	say := httpio.Handler(func(r *http.Request) (httpio.Answer, error) {
		return httpio.Answer{Status: 201, Body: r.PathValue("id") + " " + httpio.LocalPath(r)}, nil
	})
	h := httpio.Mux(ids{}, httpio.Routes{"GET /a/{id}": say, "PUT /a/{id}": say})
	tests := map[string]struct {
		method, path string
		status       int
		body         string
	}{
		"root":          {"GET", "/a/1", 201, `"1 /a/1"`},
		"gateway":       {"GET", "/gateway/a/1", 201, `"1 /a/1"`},
		"escaped":       {"GET", "/a/x%2Fy", 201, `"x/y /a/x/y"`},
		"no route":      {"GET", "/b", 404, "RESOURCE_NOT_FOUND_EXCEPTION"},
		"wrong method":  {"DELETE", "/a/1", 405, "try GET, HEAD, PUT"},
		"gateway alone": {"GET", "/gateway", 404, "RESOURCE_NOT_FOUND_EXCEPTION"},
		"lookalike":     {"GET", "/gatewaya/a/1", 404, "RESOURCE_NOT_FOUND_EXCEPTION"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := serve(t, h, httptest.NewRequest(tc.method, tc.path, nil))
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.body) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("X-Request-Id") != "01CORRELATION" {
				t.Error("the answer has no id")
			}
		})
	}
}

func TestQuery(t *testing.T) {
	r := httptest.NewRequest("GET", "/?branch=&isNew=false&store=inline&size=7&big=99&neg=-1&s=a,b&s=c&t[]=d", nil)
	q := r.URL.Query()
	if err := httpio.Unsupported(q, "branch", "isNew", "store=INLINE|X", "absent"); err != nil {
		t.Error(err)
	}
	if err := httpio.Unsupported(q, "store=REMOTE"); !fault.Is(err, fault.Unsupported) || !strings.HasPrefix(err.Error(), "not supported yet: ") {
		t.Error(err)
	}
	for name, want := range map[string]int{"size": 7, "absent": 3} {
		if n, err := httpio.Int(q, name, 3, 10); err != nil || n != want {
			t.Error(name, n, err)
		}
	}
	for _, name := range []string{"big", "neg", "store"} {
		if _, err := httpio.Int(q, name, 3, 10); !fault.Is(err, fault.Invalid) {
			t.Error(name, err)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, httpio.Values(q, "s")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"d"}, httpio.Values(q, "t")); diff != "" {
		t.Error(diff)
	}
}

func TestPaging(t *testing.T) {
	all := []int{0, 1, 2, 3, 4}
	tests := map[string]struct {
		query string
		want  []int
		last  bool
	}{
		"first":       {"?size=2", []int{0, 1}, false},
		"last":        {"?size=2&page=2", []int{4}, true},
		"behind":      {"?size=2&page=9", []int{}, true},
		"far behind":  {"?size=2&page=1048576", []int{}, true},
		"default":     {"", []int{0, 1, 2}, false},
		"zero is all": {"?size=0", []int{0, 1, 2, 3, 4}, true},
		"too many":    {"?size=4000", []int{0, 1, 2, 3, 4}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := httpio.ReadPaging(httptest.NewRequest("GET", "/"+tc.query, nil).URL.Query(), "size", 3, 100)
			if err != nil {
				t.Fatal(err)
			}
			page := httpio.PageOf(httpio.Cut(all, p), len(all), p)
			if diff := cmp.Diff(tc.want, page.Content); diff != "" || page.Last != tc.last || page.TotalElements != 5 {
				t.Errorf("%s %+v", diff, page)
			}
		})
	}
	if _, err := httpio.ReadPaging(httptest.NewRequest("GET", "/?page=x", nil).URL.Query(), "size", 3, 100); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

// A body over the limit is answered on a real connection too.
func TestTooLargeOnTheWire(t *testing.T) {
	s := httptest.NewServer(httpio.Handler(func(r *http.Request) (httpio.Answer, error) {
		_, err := httpio.Bytes(r, 10)
		return httpio.Answer{Body: fault.KindOf(err)}, nil
	}))
	defer s.Close()
	c := &http.Client{Timeout: 10 * time.Second}
	resp, err := c.Post(s.URL, "text/plain", strings.NewReader(strings.Repeat("x", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var kind fault.Kind
	if json.NewDecoder(resp.Body).Decode(&kind) != nil || kind != fault.TooLarge {
		t.Error(kind)
	}
}

// What is larger than a function can answer is refused, and what is as large is not.
func TestLargestAnswer(t *testing.T) {
	value := func(n int) string { return strings.Repeat("a", n-len("\\\"\\\"\\n")) } // in quotes, on a line
	for name, tc := range map[string]struct {
		body   any
		status int
	}{
		"text":            {value(core.MaxSent), 200},
		"text over":       {value(core.MaxSent + 1), 413},
		"lines over":      {strings.Repeat("\n", core.MaxSent/3), 413},
		"raw":             {httpio.Raw{Type: "text/plain", Data: make([]byte, core.MaxSent/6)}, 200},
		"raw over":        {httpio.Raw{Type: "text/plain", Data: make([]byte, core.MaxSent/6+1)}, 413},
		"raw binary":      {httpio.Raw{Data: bytes.Repeat([]byte{0xff}, core.MaxSent/4*3)}, 200},
		"raw binary over": {httpio.Raw{Data: bytes.Repeat([]byte{0xff}, core.MaxSent/4*3+1)}, 413},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, httpio.Handler(func(*http.Request) (httpio.Answer, error) { return httpio.Answer{Body: tc.body}, nil }), httptest.NewRequest("GET", "/", nil))
			var p httpio.Problem
			if w.Code != tc.status || tc.status == 413 && (json.Unmarshal(w.Body.Bytes(), &p) != nil || !strings.Contains(p.Message, "6 MB")) {
				t.Errorf("%d %.200s", w.Code, w.Body)
			}
		})
	}
}

// endless is a body that goes on for a gigabyte.
type endless struct{ read atomic.Int64 }

func (b *endless) Read(p []byte) (int, error) {
	if b.read.Add(int64(len(p))) > 1<<30 {
		return 0, io.EOF
	}
	return len(p), nil
}

// A body of a gigabyte is answered before it has come in.
func TestGigabyte(t *testing.T) {
	s := httptest.NewServer(httpio.Mux(ids{}, httpio.Routes{"POST /": httpio.Handler(func(r *http.Request) (httpio.Answer, error) {
		var v any
		return httpio.Answer{}, httpio.JSON(r, httpio.MaxBody, &v)
	})}))
	defer s.Close()
	for name, length := range map[string]int64{"announced": 1 << 30, "in chunks": -1} {
		t.Run(name, func(t *testing.T) {
			body := &endless{}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/", io.NopCloser(body))
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = length
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			var p httpio.Problem
			if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != 413 || p.Code != "REQUEST_TOO_LARGE" {
				t.Errorf("%d %+v %v", resp.StatusCode, p, err)
			}
			if n := body.read.Load(); n > 100<<20 { // the client may be sending still
				t.Errorf("%d MB were taken", n>>20)
			}
		})
	}
}
