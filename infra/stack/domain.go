package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53targets"
	"github.com/aws/jsii-runtime-go"
)

// addDomain puts the API under a domain: with a certificate that is there, or, in
// a Route 53 zone, with one that is made, and its records.
func (s *stack) addDomain() {
	if s.Domain == "" {
		return
	}
	var zone awsroute53.IHostedZone
	var certificate awscertificatemanager.ICertificate
	if s.Zone != "" {
		zone = awsroute53.HostedZone_FromHostedZoneAttributes(s.Stack, jsii.String("Zone"),
			&awsroute53.HostedZoneAttributes{HostedZoneId: &s.Zone, ZoneName: &s.ZoneName})
		certificate = awscertificatemanager.NewCertificate(s.Stack, jsii.String("Certificate"), &awscertificatemanager.CertificateProps{
			DomainName: &s.Domain, Validation: awscertificatemanager.CertificateValidation_FromDns(zone)})
	} else {
		certificate = awscertificatemanager.Certificate_FromCertificateArn(s.Stack, jsii.String("Certificate"), &s.Certificate)
	}
	domain := s.api.AddDomainName(jsii.String("Domain"), &awsapigateway.DomainNameOptions{
		DomainName: &s.Domain, Certificate: certificate,
		EndpointType: awsapigateway.EndpointType_REGIONAL, SecurityPolicy: awsapigateway.SecurityPolicy_TLS_1_2,
	})
	if zone == nil {
		awscdk.NewCfnOutput(s.Stack, jsii.String("DomainTarget"), &awscdk.CfnOutputProps{
			Value: domain.DomainNameAliasDomainName(), Description: jsii.String("Make " + s.Domain + " a CNAME of it")})
		return
	}
	target := awsroute53.RecordTarget_FromAlias(awsroute53targets.NewApiGatewayDomain(domain))
	record := &awsroute53.ARecordProps{Zone: zone, RecordName: jsii.String(s.Domain + "."), Target: target}
	awsroute53.NewARecord(s.Stack, jsii.String("Address"), record)
	awsroute53.NewAaaaRecord(s.Stack, jsii.String("Address6"), &awsroute53.AaaaRecordProps{
		Zone: record.Zone, RecordName: record.RecordName, Target: target})
}
