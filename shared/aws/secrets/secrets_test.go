package secrets

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	prefix := awstest.Name("contract") + "/"
	contract.Secrets(t, func(t *testing.T) core.Secrets {
		if strings.HasSuffix(t.Name(), "/put,_get,_replace,_delete") {
			t.Skip("LocalStack loses bytes that replace text; TestCycle does it with text")
		}
		return New(cfg, prefix, "")
	})
}

func TestCycle(t *testing.T) {
	s := New(awstest.Config(t), awstest.Name("cycle")+"/", "")
	for _, value := range []string{"one", "two", "three"} {
		if err := s.Put(t.Context(), "a", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), "a"); err != nil || string(got) != value {
			t.Errorf("got %q, %v, want %q", got, err, value)
		}
	}
	for range 2 {
		if err := s.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if _, err := s.Get(t.Context(), "a"); !fault.Is(err, fault.NotFound) {
			t.Errorf("after the deletion: %v", err)
		}
	}
}

func TestID(t *testing.T) {
	s := New(aws.Config{}, "slipway/", "")
	long := strings.Repeat("x", maxName)
	seen := map[string]string{}
	for _, name := range []string{"a", "a/b", long, long[1:], long[8:], long[9:], "=sha256/0"} {
		id, err := s.id(name)
		if err != nil || len(id) > maxName || !strings.HasPrefix(id, "slipway/") {
			t.Errorf("%.20s: %q, %v", name, id, err)
		}
		if seen[id] != "" {
			t.Errorf("%.20s and %.20s have one id", name, seen[id])
		}
		seen[id] = name
		again, _ := s.id(strings.TrimPrefix(id, "slipway/"))
		if strings.Contains(id, hashed) && again == id {
			t.Errorf("%q can be asked for by another name", id)
		}
	}
}
