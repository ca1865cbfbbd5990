package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
)

// TestApart runs every example with a control plane of its own behind each door, so
// that what one knows the others have to read, as on AWS.
func TestApart(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	in := startInside(t, platform.Config{Delegate: true, Apart: true})
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if r := in.run(string(body), nil); r.Status != "Success" {
				t.Error(show(r))
			}
		})
	}
}
