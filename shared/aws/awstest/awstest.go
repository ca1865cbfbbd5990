// Package awstest gives tests an AWS to speak to: the one at SLIPWAY_AWS_ENDPOINT,
// with tables, queues, state machines and functions that go when the test ends.
package awstest

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Region is where LocalStack has everything.
const Region = "us-east-1"

// Config returns how to reach the AWS of the tests; without one the test is skipped.
func Config(t testing.TB) aws.Config {
	t.Helper()
	endpoint := os.Getenv("SLIPWAY_AWS_ENDPOINT")
	if endpoint == "" {
		t.Skip("needs an AWS: `make test-aws` starts LocalStack and runs this test (or set SLIPWAY_AWS_ENDPOINT)")
	}
	return ConfigAt(endpoint)
}

// ConfigAt is a configuration for the endpoint with credentials that LocalStack takes.
func ConfigAt(endpoint string) aws.Config {
	return aws.Config{
		Region: Region, BaseEndpoint: &endpoint,
		// A stand-in resets what a thousand racers dial at once.
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.MaxConnsPerHost, t.MaxIdleConnsPerHost = 32, 32
		}).WithTimeout(2 * time.Minute), // the queue for those connections counts
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test", Source: "awstest"}, nil
		}),
	}
}

// Name makes a name that no other test has, in letters that every service takes.
func Name(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()) }

// Lacks skips the case of a suite that t is when it is among those that LocalStack
// cannot do, which are given with the reasons.
func Lacks(t testing.TB, cases map[string]string) {
	t.Helper()
	for name, why := range cases {
		if strings.HasSuffix(t.Name(), "/"+strings.ReplaceAll(name, " ", "_")) {
			t.Skip("LocalStack: " + why)
		}
	}
}

// cleanup runs fn at the end of the test, when its own context has ended. What is
// left behind is told, no more.
func cleanup(t testing.TB, what string, fn func(context.Context) error) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := fn(ctx); err != nil {
			t.Logf("cleaning up %s: %v", what, err)
		}
	})
}

// must ends the test on an error.
func must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// await calls cond until it is true.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !cond(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
