package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/jsii-runtime-go"
)

// route leads calls of a path to a function.
type route struct {
	method, path, function string
	open                   bool // without the authorizer
}

// ofRuns are the paths of the function api: runs and what is done with them. What is
// at no path of its own is the catalogue's. A test of package functions holds them to
// what the functions serve.
var ofRuns = []string{
	"/slipway/v1/runs", "/slipway/v1/runs/{proxy+}", "/slipway/v1/approvals/{proxy+}", "/slipway/v1/delegates", "/slipway/v1/locks",
	"/pipeline/api/pipeline/{proxy+}", "/pipeline/api/pipelines/execution/{proxy+}", "/pipeline/api/approvals/{proxy+}", "/ng/api/rollback/{proxy+}",
	"/v1/orgs/{org}/projects/{project}/approvals/{proxy+}",
	"/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute", "/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute/{proxy+}",
}

// routes is the API but for its health. Harness's clients prefix paths with
// /gateway.
func routes() (list []route) {
	for _, prefix := range []string{"", "/gateway"} {
		for _, call := range []string{"sync", "complete", "logs"} {
			list = append(list, route{"POST", prefix + "/slipway/v1/delegate/" + call, "delegate", false})
		}
		// The link is the credential.
		list = append(list, route{"ANY", prefix + "/slipway/v1/approve/{proxy+}", "approve", true})
		for _, path := range ofRuns {
			list = append(list, route{"ANY", prefix + path, "api", false})
		}
	}
	return append(list, route{"ANY", "/", "catalogue", false}, route{"ANY", "/{proxy+}", "catalogue", false})
}

// addRoutes puts the authorizer before every route that is not open. It is asked
// each time: an answer that is kept would outlive a token that is revoked, and
// allows only the method it was asked about.
func (s *stack) addRoutes() {
	authorizer := awsapigateway.NewRequestAuthorizer(s.Stack, jsii.String("Tokens"), &awsapigateway.RequestAuthorizerProps{
		AuthorizerName:  jsii.String(s.named("tokens")),
		Handler:         s.functions["authorizer"],
		IdentitySources: text(),
		ResultsCacheTtl: seconds(0),
	})
	for _, r := range routes() {
		options := &awsapigateway.MethodOptions{AuthorizationType: awsapigateway.AuthorizationType_NONE}
		if !r.open {
			options = &awsapigateway.MethodOptions{AuthorizationType: awsapigateway.AuthorizationType_CUSTOM, Authorizer: authorizer}
		}
		integration := awsapigateway.NewLambdaIntegration(s.functions[r.function], &awsapigateway.LambdaIntegrationOptions{
			AllowTestInvoke:         jsii.Bool(false),
			ScopePermissionToMethod: jsii.Bool(true),
		})
		s.resource(r.path).AddMethod(jsii.String(r.method), integration, options)
	}
	s.addHealth()
}

func (s *stack) resource(path string) awsapigateway.IResource {
	if path == "/" {
		return s.api.Root()
	}
	return s.api.Root().ResourceForPath(&path)
}

// addHealth answers GET /healthz in API Gateway itself: it says that the API is
// there, and costs no function.
func (s *stack) addHealth() {
	mock := awsapigateway.NewMockIntegration(&awsapigateway.IntegrationOptions{
		RequestTemplates:    &map[string]*string{"application/json": jsii.String(`{"statusCode":200}`)},
		PassthroughBehavior: awsapigateway.PassthroughBehavior_NEVER,
		IntegrationResponses: &[]*awsapigateway.IntegrationResponse{{
			StatusCode:         jsii.String("200"),
			ResponseParameters: &map[string]*string{"method.response.header.Content-Type": jsii.String("'text/plain; charset=utf-8'")},
			ResponseTemplates:  &map[string]*string{"application/json": jsii.String("ok\n")},
		}},
	})
	s.resource("/healthz").AddMethod(jsii.String("GET"), mock, &awsapigateway.MethodOptions{
		AuthorizationType: awsapigateway.AuthorizationType_NONE,
		MethodResponses: &[]*awsapigateway.MethodResponse{{
			StatusCode:         jsii.String("200"),
			ResponseParameters: &map[string]*bool{"method.response.header.Content-Type": jsii.Bool(true)},
		}},
	})
}
