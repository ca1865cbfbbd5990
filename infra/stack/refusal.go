package stack

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/jsii-runtime-go"
)

// refusal is an answer of API Gateway's own, in the words of package fault.
type refusal struct {
	kind    string // API Gateway's name of it
	status  int
	code    string
	message string // "" for API Gateway's own words
}

var refusals = []refusal{
	{"UNAUTHORIZED", 401, "INVALID_TOKEN", "the token is missing, not known or was revoked: send it as x-api-key or Authorization: Bearer"},
	{"ACCESS_DENIED", 403, "ACCESS_DENIED", "the token is not good for this route"},
	{"MISSING_AUTHENTICATION_TOKEN", 404, "RESOURCE_NOT_FOUND_EXCEPTION", "there is no such route"},
	{"REQUEST_TOO_LARGE", 413, "REQUEST_TOO_LARGE", "the request is larger than API Gateway takes (10 MB)"},
	{"THROTTLED", 429, "TOO_MANY_REQUESTS", "too many requests at once: wait and try again"},
	{"QUOTA_EXCEEDED", 429, "TOO_MANY_REQUESTS", "too many requests: wait and try again"},
	{"AUTHORIZER_FAILURE", 503, "SERVICE_UNAVAILABLE", "the token cannot be looked up now: try again"},
	{"AUTHORIZER_CONFIGURATION_ERROR", 503, "SERVICE_UNAVAILABLE", "the token cannot be looked up now: try again"},
	{"INTEGRATION_FAILURE", 503, "SERVICE_UNAVAILABLE", "the function behind this route did not answer: try again"},
	{"INTEGRATION_TIMEOUT", 504, "TIMEOUT", "the function behind this route took more than 29 seconds"},
	{"DEFAULT_4XX", 0, "INVALID_REQUEST", ""},
	{"DEFAULT_5XX", 0, "UNKNOWN_ERROR", ""},
}

// addGatewayResponses makes API Gateway's own answers look like the doors'.
func (s *stack) addGatewayResponses() {
	for _, r := range refusals {
		options := &awsapigateway.GatewayResponseOptions{
			Type:      awsapigateway.ResponseType_Of(&r.kind),
			Templates: &map[string]*string{"application/json": jsii.String(r.envelope())},
		}
		if r.status != 0 {
			options.StatusCode = jsii.String(fmt.Sprint(r.status))
		}
		switch r.status {
		case 401:
			options.ResponseHeaders = &map[string]*string{"WWW-Authenticate": jsii.String("'Bearer'")}
		case 429, 503:
			options.ResponseHeaders = &map[string]*string{"Retry-After": jsii.String("'1'")}
		}
		s.api.AddGatewayResponse(jsii.String("Refusal"+camel(r.kind)), options)
	}
}

// envelope is Harness's, as package httpio writes it.
func (r refusal) envelope() string {
	message := "$context.error.messageString" // quoted already
	if r.message != "" {
		quoted, _ := json.Marshal(r.message)
		message = string(quoted)
	}
	return `{"status":"ERROR","code":"` + r.code + `","message":` + message + `,"correlationId":"$context.requestId",` +
		`"detailedMessage":null,"responseMessages":[{"code":"` + r.code + `","level":"ERROR","message":` + message +
		`,"failureTypes":[]}],"metadata":null}`
}

// camel turns UPPER_CASE into UpperCase.
func camel(s string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		out.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return out.String()
}
