package awstest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Bucket makes a bucket and returns its name. What tests leave in it stays, and
// it with that.
func Bucket(t testing.TB, cfg aws.Config) string {
	t.Helper()
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	name := aws.String(Name("slipway"))
	_, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: name})
	must(t, "making a bucket", err)
	cleanup(t, "a bucket", func(ctx context.Context) error {
		_, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
		return err
	})
	return *name
}
