// Package lambdahttp serves an http.Handler behind API Gateway's REST proxy
// integration, and turns a principal into an authorizer's answer and back.
package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Handler returns the function that serves h. The principal is the one that the
// authorizer found; a request without one is served without.
func Handler(h http.Handler) func(context.Context, events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
	return func(ctx context.Context, in events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
		r, err := request(ctx, in)
		if err != nil {
			return events.APIGatewayProxyResponse{}, err
		}
		w := &writer{header: http.Header{}}
		h.ServeHTTP(w, r)
		return w.response(r.Header.Get("Accept")), nil
	}
}

// request is the HTTP request that API Gateway received.
func request(ctx context.Context, in events.APIGatewayProxyRequest) (*http.Request, error) {
	body := []byte(in.Body)
	if in.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(in.Body); err != nil {
			return nil, fault.New(fault.Invalid, "the body is not base64: %w", err)
		}
	}
	u := url.URL{Path: in.Path, RawQuery: query(in).Encode()}
	if p, ok := principal(in.RequestContext.Authorizer); ok {
		ctx = core.WithPrincipal(ctx, p)
	}
	r, err := http.NewRequestWithContext(ctx, in.HTTPMethod, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "making a request of API Gateway's: %w", err)
	}
	for name, values := range in.MultiValueHeaders {
		for _, v := range values {
			r.Header.Add(name, v)
		}
	}
	for name, v := range in.Headers {
		if r.Header.Get(name) == "" {
			r.Header.Set(name, v)
		}
	}
	r.Host, r.RemoteAddr, r.RequestURI = r.Header.Get("Host"), in.RequestContext.Identity.SourceIP, u.RequestURI()
	return r, nil
}

func query(in events.APIGatewayProxyRequest) url.Values {
	q := url.Values{}
	for name, v := range in.QueryStringParameters {
		q.Set(name, v)
	}
	for name, values := range in.MultiValueQueryStringParameters {
		q[name] = values
	}
	return q
}

// writer collects a response.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Binary is the type of bodies that API Gateway decodes on their way out, if whoever asks
// accepts it in the first place.
const Binary = "application/octet-stream"

// binary reports whether API Gateway would decode an answer to a request.
func binary(accept string) bool {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	return strings.EqualFold(strings.TrimSpace(first), Binary)
}

func (w *writer) response(accept string) events.APIGatewayProxyResponse {
	w.WriteHeader(http.StatusOK)
	out := events.APIGatewayProxyResponse{StatusCode: w.status, MultiValueHeaders: w.header}
	body := w.body.Bytes()
	if utf8.Valid(body) {
		out.Body = string(body)
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	if out.IsBase64Encoded && !binary(accept) {
		return events.APIGatewayProxyResponse{StatusCode: http.StatusNotAcceptable,
			Body: `{"status":"ERROR","code":"INVALID_REQUEST","message":"the answer is not text: ask for it with the header Accept: ` + Binary + `"}`}
	}
	if len(out.Body) > core.MaxSent || core.Written(body) > core.MaxSent && !out.IsBase64Encoded { // httpio has refused what it has written itself
		return events.APIGatewayProxyResponse{StatusCode: http.StatusRequestEntityTooLarge,
			Body: `{"status":"ERROR","code":"REQUEST_TOO_LARGE","message":"the answer is larger than 6 MB: ask for less at once"}`}
	}
	return out
}

// contextKey is under what an authorizer's answer carries the principal.
const contextKey = "principal"

func principal(authorizer map[string]any) (core.Principal, bool) {
	text, _ := authorizer[contextKey].(string)
	var p core.Principal
	return p, text != "" && json.Unmarshal([]byte(text), &p) == nil
}

// Authorizer returns the REQUEST authorizer's function. authorize says who a
// token belongs to, and whether it may call the path at all. Clients are told 403
// by a Deny, 401 for a token that is not known, and 500, after which they may try
// again, when it could not be looked up.
func Authorizer(authorize func(ctx context.Context, token, as, path string) (core.Principal, error)) func(context.Context, events.APIGatewayCustomAuthorizerRequestTypeRequest) (events.APIGatewayCustomAuthorizerResponse, error) {
	return func(ctx context.Context, in events.APIGatewayCustomAuthorizerRequestTypeRequest) (events.APIGatewayCustomAuthorizerResponse, error) {
		h := http.Header{}
		for name, v := range in.Headers {
			h.Set(name, v)
		}
		p, err := authorize(ctx, httpio.Token(h), h.Get("X-Slipway-As"), in.Path)
		switch {
		case fault.Is(err, fault.Forbidden):
			return policy("nobody", "Deny", in.MethodArn, nil), nil
		case fault.Is(err, fault.Unauthenticated): // API Gateway answers 401 to exactly this text
			return events.APIGatewayCustomAuthorizerResponse{}, errUnauthorized
		case err != nil: // and 500 to any other: nobody knows yet whether the token is good
			return events.APIGatewayCustomAuthorizerResponse{}, err
		}
		body, err := json.Marshal(p)
		if err != nil {
			return events.APIGatewayCustomAuthorizerResponse{}, err
		}
		return policy(p.Actor.ID, "Allow", in.MethodArn, map[string]any{contextKey: string(body)}), nil
	}
}

var errUnauthorized = fault.New(fault.Unauthenticated, "Unauthorized")

func policy(id, effect, arn string, ctx map[string]any) events.APIGatewayCustomAuthorizerResponse {
	return events.APIGatewayCustomAuthorizerResponse{
		PrincipalID: id, Context: ctx,
		PolicyDocument: events.APIGatewayCustomAuthorizerPolicy{Version: "2012-10-17", Statement: []events.IAMPolicyStatement{
			{Action: []string{"execute-api:Invoke"}, Effect: effect, Resource: []string{arn}},
		}},
	}
}
