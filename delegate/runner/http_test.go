//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/wire"
)

// site answers /json, /status/NNN, /echo, /big, /html and /meta (a redirect to metadata).
func site(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":{"x":"1","list":[1,2],"quote":"a\"b <+pipeline>"}}`)
	})
	mux.HandleFunc("/status/404", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "none", 404) })
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.Header.Get("X-Key"), r.Header.Get("Idempotency-Key"), r.Host, body)
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("<&>", MaxBodyBytes))
	})
	mux.HandleFunc("/meta", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestHTTP(t *testing.T) {
	url := site(t)
	host := strings.TrimPrefix(url, "http://")
	tests := map[string]struct {
		spec    map[string]any
		failure string // type, empty for success
		message string
		code    int
		body    string
		vars    map[string]any
	}{
		"get":                 {spec: map[string]any{"url": url + "/json", "method": "GET"}, code: 200},
		"any status is fine":  {spec: map[string]any{"url": url + "/status/404", "method": "GET"}, code: 404, body: "none\n"},
		"assertion holds":     {spec: map[string]any{"url": url + "/status/404", "method": "GET", "assertion": "<+httpResponseCode> == 404"}, code: 404},
		"assertion in one":    {spec: map[string]any{"url": url + "/json", "assertion": `<+json.select("data.x", httpResponseBody)> == "1"`}, code: 200},
		"assertion fails":     {spec: map[string]any{"url": url + "/status/404", "assertion": "<+httpResponseCode> == 200"}, failure: Unknown, message: "assertion is not true", code: 404},
		"assertion is broken": {spec: map[string]any{"url": url + "/json", "assertion": "<+httpResponseCode> =="}, failure: Unknown, message: "assertion cannot be evaluated", code: 200},
		"no host":             {spec: map[string]any{"url": "example", "method": "GET"}, failure: Configuration, message: "https://host"},
		"refused connection":  {spec: map[string]any{"url": "http://127.0.0.1:1/"}, failure: Connectivity, message: "cannot be reached"},
		"metadata":            {spec: map[string]any{"url": "http://169.254.169.254/"}, failure: Configuration, message: "metadata"},
		"metadata, mapped":    {spec: map[string]any{"url": "http://[::ffff:169.254.169.254]/"}, failure: Configuration, message: "metadata"},
		"metadata, redirect":  {spec: map[string]any{"url": url + "/meta"}, failure: Configuration, message: "metadata"},
		"client certificate":  {spec: map[string]any{"url": url, "certificate": "x"}, failure: Configuration, message: "not supported yet"},
		"unknown secret":      {spec: map[string]any{"url": url, "requestBody": `${ngSecretManager.obtain("no")}`}, failure: Configuration, message: `"no"`},
		"request": {
			spec: map[string]any{
				"url": url + "/echo", "method": "POST", "requestBody": "hello",
				"headers": []any{map[string]any{"key": "X-Key", "value": `k-${ngSecretManager.obtain("account.\"k\"", "t")}`}},
			},
			code: 200, body: "POST k-value key-1 " + host + " hello",
		},
		"output variables": {
			spec: map[string]any{
				"url": url + "/json",
				"outputVariables": []any{
					map[string]any{"name": "x", "type": "String", "value": `<+json.select("data.x", httpResponseBody)>`},
					map[string]any{"name": "q", "type": "String", "value": `<+json.object(httpResponseBody).data.quote>`},
					map[string]any{"name": "c", "type": "String", "value": `code <+httpResponseCode>`},
					map[string]any{"name": "none", "type": "String", "value": `<+json.object(httpResponseBody).data.nothing>`},
				},
			},
			code: 200, vars: map[string]any{"x": "1", "q": `a"b <+pipeline>`, "c": "code 200", "none": nil},
		},
	}
	runner := &HTTP{}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			job, log, _ := newJob(t, tc.spec, map[string]string{`account."k"`: "value"})
			got := runner.Run(context.Background(), job)
			if tc.failure == "" != got.OK {
				t.Fatalf("outcome = %+v %+v", got, got.Failure)
			}
			if !got.OK && (got.Failure.Types[0] != tc.failure || !strings.Contains(got.Failure.Message, tc.message)) {
				t.Errorf("failure = %+v", got.Failure)
			}
			if tc.code == 0 {
				return
			}
			if got.Outputs["httpResponseCode"] != tc.code || tc.body != "" && got.Outputs["httpResponseBody"] != tc.body {
				t.Errorf("outputs = %+v", got.Outputs)
			}
			if diff := cmp.Diff(tc.vars, got.Outputs["outputVariables"]); tc.vars != nil && diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(log.String(), url) || !strings.Contains(log.String(), fmt.Sprint("HTTP/1.1 ", tc.code)) {
				t.Errorf("log = %q", log)
			}
		})
	}
}

func TestLargeBodyFitsTheOutputs(t *testing.T) {
	job, log, _ := newJob(t, map[string]any{"url": site(t) + "/big"}, nil)
	got := (&HTTP{}).Run(context.Background(), job)
	b, err := json.Marshal(got.Outputs)
	if !got.OK || err != nil || len(b) > wire.MaxOutputBytes || len(b) < wire.MaxOutputBytes/2 {
		t.Errorf("outcome OK %v, outputs of %d bytes, %v", got.OK, len(b), err)
	}
	if !strings.Contains(log.String(), "longer than 1024 KB") || !strings.Contains(log.String(), "httpResponseBody is cut") {
		t.Errorf("log = %q", log)
	}
}

func TestHTTPStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	job, _, _ := newJob(t, map[string]any{"url": srv.URL}, nil)
	if got := (&HTTP{}).Run(ctx, job); got.OK {
		t.Errorf("outcome = %+v", got)
	}
}

func TestBlocked(t *testing.T) {
	tests := map[string]bool{
		"169.254.169.254": true, "169.254.0.1": true, "fe80::1": true, "febf::1": true, "fd00:ec2::254": true,
		"::ffff:169.254.169.254": true, "64:ff9b::a9fe:a9fe": true, "100.100.100.200": true, "fe80::1%eth0": true,
		"::ffff:100.100.100.200": true,
		"127.0.0.1":              false, "10.0.0.1": false, "::1": false, "fd00::1": false, "93.184.216.34": false, "64:ff9b::a00:1": false,
	}
	for address, want := range tests {
		if got := blocked(netip.MustParseAddr(address)); got != want {
			t.Errorf("blocked(%s) = %v, want %v", address, got, want)
		}
	}
}

func TestDialerChecksWhatNamesResolveTo(t *testing.T) {
	d := guardedDialer()
	if err := d.Control("tcp", "169.254.169.254:80", nil); err == nil {
		t.Error("a resolved metadata address is dialed")
	}
	if err := d.Control("tcp6", "[fe80::1%eth0]:80", nil); err == nil {
		t.Error("a zoned link-local address is dialed")
	}
	if err := d.Control("tcp", "127.0.0.1:80", nil); err != nil {
		t.Error(err)
	}
}

// anywhere answers every request, as a proxy would.
type anywhere struct{}

func (anywhere) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200}, nil
}

func TestAddressInTheURLIsCheckedForProxies(t *testing.T) {
	tests := map[string]bool{
		"http://169.254.169.254/": false, "http://[fe80::1%25eth0]/": false, "http://Metadata.Google.Internal./": false,
		"http://example.com/": true, "http://10.0.0.1/": true,
	}
	for url, want := range tests {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (hostGuard{anywhere{}}).RoundTrip(req); (err == nil) != want {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func FuzzReveal(f *testing.F) {
	f.Add(`echo ${ngSecretManager.obtain("a")} ${x}`, "v")
	f.Fuzz(func(t *testing.T, text, value string) {
		out, err := Reveal(text, map[string]string{"a": value})
		if err != nil && out != "" {
			t.Errorf("an error and a text: %q", out)
		}
	})
}
