package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/jsii-runtime-go"
)

const (
	stage = "prod"
	// The policy refuses TLS older than 1.2, and strict access refuses names that are not
	// this API's. Written after the list of API Gateway's security policies.
	tlsPolicy, tlsAccess = "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09", "STRICT"
	// Requests a second, and at once; more is answered 429 before anything is paid for but
	// the request. A busy delegate makes four a second.
	apiRate, apiBurst = 500, 1000
)

// addRestAPI makes the API without its routes.
func (s *stack) addRestAPI() {
	s.api = awsapigateway.NewRestApi(s.Stack, jsii.String("RestApi"), &awsapigateway.RestApiProps{
		RestApiName:               jsii.String(s.Name),
		Description:               jsii.String("Slipway's interface: people, their tools, and delegates"),
		EndpointTypes:             &[]awsapigateway.EndpointType{awsapigateway.EndpointType_REGIONAL},
		CloudWatchRole:            jsii.Bool(true), // the account's, without which there are no access logs
		EndpointExportName:        nil,
		DeployOptions:             s.stageOptions(),
		DefaultMethodOptions:      &awsapigateway.MethodOptions{AuthorizationType: awsapigateway.AuthorizationType_NONE},
		DisableExecuteApiEndpoint: jsii.Bool(false),
		// Files come in as forms and go out as they are. All else is text: in base64 the
		// longest bodies would not fit into an invocation.
		BinaryMediaTypes: jsii.Strings("multipart/form-data", "application/octet-stream"),
	})
	raw := s.api.Node().DefaultChild().(awsapigateway.CfnRestApi)
	raw.SetSecurityPolicy(jsii.String(tlsPolicy))
	raw.SetEndpointAccessMode(jsii.String(tlsAccess))
	s.api.Node().TryRemoveChild(jsii.String("Endpoint")) // an output; ours says the domain, too
	s.addGatewayResponses()
}

// stageOptions: the access log names routes, not paths, since the path of an
// approval link is a credential.
func (s *stack) stageOptions() *awsapigateway.StageOptions {
	group := s.addLogGroup("AccessLog", "/aws/apigateway/"+s.Name)
	format := s.ToJsonString(map[string]string{
		"requestId": "$context.requestId", "time": "$context.requestTime", "ip": "$context.identity.sourceIp",
		"method": "$context.httpMethod", "route": "$context.resourcePath", "status": "$context.status",
		"bytes": "$context.responseLength", "ms": "$context.responseLatency", "who": "$context.authorizer.principalId",
		"error": "$context.error.responseType", "tls": "$context.tlsVersion",
	}, nil)
	return &awsapigateway.StageOptions{
		StageName:            jsii.String(stage),
		AccessLogDestination: awsapigateway.NewLogGroupLogDestination(group),
		AccessLogFormat:      awsapigateway.AccessLogFormat_Custom(format),
		LoggingLevel:         awsapigateway.MethodLoggingLevel_OFF, // it would log bodies and paths
		DataTraceEnabled:     jsii.Bool(false),
		MetricsEnabled:       jsii.Bool(false), // by method; the API's own are free
		TracingEnabled:       jsii.Bool(s.Tracing),
		ThrottlingRateLimit:  jsii.Number(apiRate),
		ThrottlingBurstLimit: jsii.Number(apiBurst),
	}
}

// url is where clients find the API, without a slash at the end. It names the API
// by its id, so that functions can be told it before there are routes.
func (s *stack) url() string {
	switch {
	case s.URL != "":
		return strings.ReplaceAll(s.URL, "{api}", *s.api.RestApiId())
	case s.Domain != "":
		return "https://" + s.Domain
	}
	return "https://" + *s.api.RestApiId() + ".execute-api." + *s.Stack.Region() + "." + *awscdk.Aws_URL_SUFFIX() + "/" + stage
}
