package lambdahttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestHandler sends a request through as API Gateway would and looks at both ends.
func TestHandler(t *testing.T) {
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p := core.PrincipalOf(r.Context())
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("a b")+" "+r.URL.Query()["m"][1]+" "+r.Header.Get("Content-Type")+" "+string(body)+" "+p.Actor.ID)
	}))
	out, err := h(context.Background(), events.APIGatewayProxyRequest{
		HTTPMethod: "POST", Path: "/x/y z", Body: "aGk=", IsBase64Encoded: true,
		Headers: map[string]string{"content-type": "text/plain"}, QueryStringParameters: map[string]string{"a b": "1 & 2", "m": "1"},
		MultiValueQueryStringParameters: map[string][]string{"m": {"1", "2"}},
		RequestContext:                  events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"principal": `{"kind":"user","account":"a","actor":{"id":"alice"}}`}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := events.APIGatewayProxyResponse{StatusCode: http.StatusTeapot, MultiValueHeaders: map[string][]string{"X-Two": {"a", "b"}},
		Body: "POST /x/y z 1 & 2 2 text/plain hi alice"}
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}
}

func TestHandlerBodies(t *testing.T) {
	tests := map[string]struct {
		body   []byte
		status int
		binary bool
	}{
		"text":                {[]byte("ü"), 200, false},
		"binary":              {[]byte{0xff, 0}, 200, true},
		"at the bound":        {bytes.Repeat([]byte("a"), core.MaxSent), 200, false},
		"over it":             {bytes.Repeat([]byte("a"), core.MaxSent+1), 413, false},
		"at the bound, of \"": {bytes.Repeat([]byte(`"`), core.MaxSent/2), 200, false},
		"over it, of \"":      {bytes.Repeat([]byte(`"`), core.MaxSent/2+1), 413, false},
		"over it, of NUL":     {make([]byte, core.MaxSent/6+1), 413, false},
		"in base64":           {bytes.Repeat([]byte{0xff}, core.MaxSent/4*3), 200, true},
		"over it, in base64":  {bytes.Repeat([]byte{0xff}, core.MaxSent/4*3+1), 413, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tc.body) }))(
				context.Background(), events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/", MultiValueHeaders: map[string][]string{"Accept": {Binary}}})
			if err != nil || out.StatusCode != tc.status || out.IsBase64Encoded != tc.binary {
				t.Errorf("%d, base64 %v, %v", out.StatusCode, out.IsBase64Encoded, err)
			}
		})
	}
}

// TestHandlerBinary: API Gateway decodes what is no text for those who accept it in the
// first place, and would hand base64 to others.
func TestHandlerBinary(t *testing.T) {
	for accept, status := range map[string]int{Binary: 200, "Application/Octet-Stream;q=1, */*": 200, "": 406, "*/*": 406, "application/json, " + Binary: 406} {
		out, err := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0xff}) }))(
			context.Background(), events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/", Headers: map[string]string{"Accept": accept}})
		if err != nil || out.StatusCode != status {
			t.Errorf("%q: %d, %v", accept, out.StatusCode, err)
		}
	}
}

// TestAuthorizer turns answers into policies: what is allowed carries the
// principal, which Handler reads back.
func TestAuthorizer(t *testing.T) {
	who := core.Principal{Kind: core.PrincipalUser, Account: "a", Actor: core.Actor{ID: "alice", Groups: []string{"g"}}}
	f := Authorizer(func(_ context.Context, token, as, path string) (core.Principal, error) {
		switch token {
		case "good":
			if as != "bob" || path != "/p" {
				t.Errorf("as %q at %q", as, path)
			}
			return who, nil
		case "other":
			return core.Principal{}, fault.New(fault.Forbidden, "no")
		case "throttled":
			return core.Principal{}, fmt.Errorf("reading: %w", fault.New(fault.Throttled, "slow down"))
		case "broken":
			return core.Principal{}, io.ErrUnexpectedEOF
		default:
			return core.Principal{}, fault.New(fault.Unauthenticated, "who?")
		}
	})
	ask := func(name, value string) (events.APIGatewayCustomAuthorizerResponse, error) {
		return f(context.Background(), events.APIGatewayCustomAuthorizerRequestTypeRequest{MethodArn: "arn", Path: "/p",
			Headers: map[string]string{name: value, "x-slipway-as": "bob"}})
	}
	for _, header := range [][2]string{{"x-api-key", "good"}, {"authorization", "bearer good"}} {
		out, err := ask(header[0], header[1])
		if err != nil || out.PolicyDocument.Statement[0].Effect != "Allow" || out.PrincipalID != "alice" {
			t.Fatalf("%v: %+v, %v", header, out, err)
		}
		if p, ok := principal(out.Context); !ok || cmp.Diff(who, p) != "" {
			t.Errorf("the principal came back as %+v", p)
		}
	}
	if out, err := ask("x-api-key", "other"); err != nil || out.PolicyDocument.Statement[0].Effect != "Deny" || out.Context != nil {
		t.Errorf("forbidden: %+v, %v", out, err)
	}
	if _, err := ask("x-api-key", ""); err == nil || err.Error() != "Unauthorized" {
		t.Errorf("unknown: %v", err)
	}
	for token, kind := range map[string]fault.Kind{"throttled": fault.Throttled, "broken": fault.Internal} {
		// 500, not 401: the token may be good
		if out, err := ask("x-api-key", token); fault.KindOf(err) != kind || err.Error() == "Unauthorized" || out.PolicyDocument.Statement != nil {
			t.Errorf("%s: %+v, %v", token, out, err)
		}
	}
}
