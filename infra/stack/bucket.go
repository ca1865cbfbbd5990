package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
)

// blobs is the prefix of all objects; package shared/aws/function knows it too.
const blobs = "blobs/"

// addBucket makes the bucket for plans and outputs that are too large for an item.
func (s *stack) addBucket() {
	rules := []*awss3.LifecycleRule{{
		Id: jsii.String("abandoned-uploads"), AbortIncompleteMultipartUploadAfter: days(1),
	}}
	if s.DataDays > 0 {
		rules = append(rules, &awss3.LifecycleRule{
			Id: jsii.String("old-blobs"), Prefix: jsii.String(blobs), Expiration: days(s.DataDays),
		})
	}
	props := &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Versioned:         jsii.Bool(false),
		LifecycleRules:    &rules,
		RemovalPolicy:     s.kept(),
	}
	if s.key != nil {
		props.Encryption, props.EncryptionKey = awss3.BucketEncryption_KMS, s.key
		props.BucketKeyEnabled = jsii.Bool(true) // one call of KMS for many objects
	}
	s.bucket = awss3.NewBucket(s.Stack, jsii.String("Bucket"), props)
}

func days(n int) awscdk.Duration { return awscdk.Duration_Days(jsii.Number(n)) }

func seconds(n int) awscdk.Duration { return awscdk.Duration_Seconds(jsii.Number(n)) }
