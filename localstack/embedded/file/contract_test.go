package file_test

import (
	"path/filepath"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

func open(t *testing.T) *file.File {
	t.Helper()
	f, err := file.Open(filepath.Join(t.TempDir(), "data"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestContract(t *testing.T) {
	contract.Store(t, func(t *testing.T) core.Store { return open(t).Store() })
}
