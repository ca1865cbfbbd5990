package stack

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// open methods have no authorizer, and why.
var open = map[string]string{
	"GET /healthz":                             "API Gateway answers itself, and says nothing but ok",
	"ANY /slipway/v1/approve/{proxy+}":         "the link is the credential",
	"ANY /gateway/slipway/v1/approve/{proxy+}": "the link is the credential",
}

// closed methods have it. Together with the open ones they are all there are.
var closed = []string{
	"ANY /", "ANY /{proxy+}",
	"POST /slipway/v1/delegate/sync", "POST /slipway/v1/delegate/complete", "POST /slipway/v1/delegate/logs",
	"POST /gateway/slipway/v1/delegate/sync", "POST /gateway/slipway/v1/delegate/complete", "POST /gateway/slipway/v1/delegate/logs",
	"ANY /slipway/v1/runs", "ANY /slipway/v1/runs/{proxy+}", "ANY /slipway/v1/approvals/{proxy+}", "ANY /slipway/v1/delegates", "ANY /slipway/v1/locks",
	"ANY /pipeline/api/pipeline/{proxy+}", "ANY /pipeline/api/pipelines/execution/{proxy+}", "ANY /pipeline/api/approvals/{proxy+}", "ANY /ng/api/rollback/{proxy+}",
	"ANY /v1/orgs/{org}/projects/{project}/approvals/{proxy+}",
	"ANY /v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute", "ANY /v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute/{proxy+}",
	"ANY /gateway/slipway/v1/runs", "ANY /gateway/slipway/v1/runs/{proxy+}", "ANY /gateway/slipway/v1/approvals/{proxy+}", "ANY /gateway/slipway/v1/delegates",
	"ANY /gateway/slipway/v1/locks", "ANY /gateway/pipeline/api/pipeline/{proxy+}", "ANY /gateway/pipeline/api/pipelines/execution/{proxy+}",
	"ANY /gateway/pipeline/api/approvals/{proxy+}", "ANY /gateway/ng/api/rollback/{proxy+}", "ANY /gateway/v1/orgs/{org}/projects/{project}/approvals/{proxy+}",
	"ANY /gateway/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute",
	"ANY /gateway/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute/{proxy+}",
}

// path is where a resource of the API is.
func path(t template, id string) string {
	r, ok := t.Resources[id]
	if !ok || r.Type != "AWS::ApiGateway::Resource" {
		return "" // the root
	}
	return path(t, strings.Trim(r.at("ParentId"), "${}")) + "/" + r.at("PathPart")
}

func where(t template, method resource) string {
	p := path(t, strings.Trim(method.at("ResourceId"), "${}"))
	if p == "" {
		p = "/"
	}
	return method.at("HttpMethod") + " " + p
}

// called is the function that an integration's URI names.
var called = regexp.MustCompile(`/functions/\$\{(\w+)\.Arn\}/invocations`)

// source is what may invoke a function: a method or an authorizer of the one API.
var source = regexp.MustCompile(`^arn:\$\{AWS::Partition\}:execute-api:(?:\$\{AWS::Region\}|[a-z0-9-]+):\$\{AWS::AccountId\}:\$\{RestApi\w+\}/(\$\{RestApiDeploymentStage\w+\}/(\*|[A-Z]+)/.*|authorizers/\$\{\w+\})$`)

var apiRules = []rule{
	{"every method asks the authorizer or is open for a reason", func(t template) []string {
		var p problems
		seen := map[string]bool{}
		for id, m := range t.all("AWS::ApiGateway::Method") {
			at := where(t, m)
			seen[at] = true
			guarded := m.at("AuthorizationType") == "CUSTOM" && m.at("AuthorizerId") == "${"+one(t, "AWS::ApiGateway::Authorizer")+"}"
			p.when(!guarded && open[at] == "", "%s (%s) is open to everybody", at, id)
			p.when(guarded && !slices.Contains(closed, at), "%s (%s) is new: enter it in the test", at, id)
		}
		for _, at := range slices.Concat(closed, slices.Collect(maps.Keys(open))) {
			p.when(!seen[at], "%s is not there", at)
		}
		return p
	}, func(t template) {
		for _, m := range t.all("AWS::ApiGateway::Method") {
			if where(t, m) == "ANY /{proxy+}" {
				m.Properties["AuthorizationType"] = "NONE"
			}
		}
	}},
	{"the authorizer is asked each time", func(t template) []string {
		var p problems
		all := t.all("AWS::ApiGateway::Authorizer")
		for id, a := range all {
			p.when(a.at("AuthorizerResultTtlInSeconds") != "0", "%s keeps its answers", id)
			p.when(a.at("IdentitySource") != "", "%s needs %s", id, a.at("IdentitySource"))
			p.when(a.at("Type") != "REQUEST", "%s is a %s", id, a.at("Type"))
			p.when(!strings.Contains(a.at("AuthorizerUri"), "/functions/${Authorizer"), "%s asks %s", id, a.at("AuthorizerUri"))
		}
		p.when(len(all) != 1, "%d authorizers", len(all))
		return p
	}, func(t template) {
		t.Resources[one(t, "AWS::ApiGateway::Authorizer")].Properties["AuthorizerResultTtlInSeconds"] = 300
	}},
	{"methods lead where they should", func(t template) []string {
		var p problems
		for _, m := range t.all("AWS::ApiGateway::Method") {
			at, want := where(t, m), "Api"
			switch {
			case strings.HasSuffix(at, " /") || strings.HasSuffix(at, " /{proxy+}"):
				want = "Catalogue"
			case strings.Contains(at, "/delegate/"):
				want = "Delegate"
			case strings.Contains(at, "/approve/"):
				want = "Approve"
			case strings.HasSuffix(at, "/healthz"):
				p.when(m.at("Integration", "Type") != "MOCK", "%s costs a call", at)
				continue
			}
			found := called.FindStringSubmatch(m.at("Integration", "Uri"))
			p.when(found == nil || !strings.HasPrefix(found[1], want), "%s leads to %v, not to %s", at, found, want)
		}
		return p
	}, func(t template) {
		for _, m := range t.all("AWS::ApiGateway::Method") {
			if strings.Contains(where(t, m), "/approve/") {
				m.Properties["Integration"] = map[string]any{"Uri": "/functions/${Api.Arn}/invocations"}
			}
		}
	}},
	{"only this API and the rule of failed executions may call", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::Lambda::Permission") {
			if r.at("SourceArn") == "${"+one(t, "AWS::Events::Rule")+".Arn}" {
				p.when(r.at("Principal") != "events.amazonaws.com" || !strings.Contains(r.at("FunctionName"), "Advance"), "%s lets in %s", id, r.at("Principal"))
				continue
			}
			p.when(r.at("Principal") != "apigateway.amazonaws.com", "%s lets in %s", id, r.at("Principal"))
			p.when(r.at("Action") != "lambda:InvokeFunction", "%s allows %s", id, r.at("Action"))
			p.when(!source.MatchString(r.at("SourceArn")), "%s lets in %s", id, r.at("SourceArn"))
			p.when(strings.Contains(r.at("SourceArn"), "/*/*/*"), "%s lets in every stage", id)
		}
		return p
	}, func(t template) {
		for _, r := range t.all("AWS::Lambda::Permission") {
			r.Properties["Principal"] = "*"
		}
		t.Resources[one(t, "AWS::Lambda::Permission")].Properties["SourceArn"] = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${RestApi}/*/*/*"
	}},
	{"TLS 1.2", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::ApiGateway::RestApi") {
			p.when(r.at("SecurityPolicy") != tlsPolicy || r.at("EndpointAccessMode") != tlsAccess, "%s takes %s", id, r.at("SecurityPolicy"))
			p.when(fmt.Sprint(r.at("EndpointConfiguration", "Types")) != "[REGIONAL]", "%s is %s", id, r.at("EndpointConfiguration", "Types"))
		}
		for id, r := range t.all("AWS::ApiGateway::DomainName") {
			p.when(r.at("SecurityPolicy") != "TLS_1_2", "%s takes %s", id, r.at("SecurityPolicy"))
		}
		return p
	}, func(t template) {
		delete(t.Resources[one(t, "AWS::ApiGateway::RestApi")].Properties, "SecurityPolicy")
	}},
	{"links are not logged", func(t template) []string {
		var p problems
		for id, r := range t.all("AWS::ApiGateway::Stage") {
			format := r.at("AccessLogSetting", "Format")
			p.when(r.at("AccessLogSetting", "DestinationArn") == "", "%s has no access log", id)
			p.when(strings.Contains(format, "$context.path") || strings.Contains(format, "$context.requestOverride"), "%s logs paths", id)
			for i := range list(r.Properties["MethodSettings"]) {
				n := fmt.Sprint(i)
				p.when(r.at("MethodSettings", n, "LoggingLevel") != "OFF" || r.at("MethodSettings", n, "DataTraceEnabled") != "false", "%s logs what is sent", id)
				p.when(r.at("MethodSettings", n, "ThrottlingRateLimit") == "", "%s has no bound", id)
			}
			if r.at("TracingEnabled") == "true" {
				first := t.Resources["NoLinks"]
				p.when(first.at("SamplingRule", "FixedRate") != "0" || first.at("SamplingRule", "ReservoirSize") != "0", "links are traced")
			}
		}
		return p
	}, func(t template) {
		t.Resources[one(t, "AWS::ApiGateway::Stage")].Properties["AccessLogSetting"] = map[string]any{"DestinationArn": "x", "Format": "$context.path"}
	}},
}
