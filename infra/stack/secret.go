package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

// adminTokenLength gives more than 256 bits of letters and digits.
const adminTokenLength = 48

// adminSecret is the name of the secret with the first admin's token.
func (s *stack) adminSecret() string { return s.Name + "/admin-token" }

// addAdminToken makes the first admin's token. It goes with the stack, whatever
// becomes of the data: a later stack of the name makes its own.
func (s *stack) addAdminToken() {
	props := &awssecretsmanager.SecretProps{
		SecretName:  jsii.String(s.adminSecret()),
		Description: jsii.String("Token of Slipway's first admin"),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength:     jsii.Number(adminTokenLength),
			ExcludePunctuation: jsii.Bool(true),
			IncludeSpace:       jsii.Bool(false),
		},
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	}
	if s.key != nil {
		props.EncryptionKey = s.key
	}
	awssecretsmanager.NewSecret(s.Stack, jsii.String("AdminToken"), props)
}
