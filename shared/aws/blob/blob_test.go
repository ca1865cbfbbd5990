package blob

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	bucket := awstest.Bucket(t, cfg)
	contract.Blobs(t, func(*testing.T) core.Blobs { return New(cfg, bucket, "blobs/") })
}

func TestName(t *testing.T) {
	b := New(aws.Config{}, "b", "blobs/")
	long := strings.Repeat("x", maxKey)
	seen := map[string]string{}
	for _, key := range []string{"a", "a/b", long, long[1:], long[6:], long[7:], "=sha256/0"} {
		name, err := b.name(key)
		if err != nil || len(name) > maxKey || !strings.HasPrefix(name, "blobs/") {
			t.Errorf("%.20s: %q, %v", key, name, err)
		}
		if seen[name] != "" {
			t.Errorf("%.20s and %.20s have one name", key, seen[name])
		}
		seen[name] = key
	}
}
