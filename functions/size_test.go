//go:build slow

// Package functions holds what every function has to keep to as it is shipped.
package functions

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Bounds of a function as it is deployed, in bytes: a cold start reads all of it.
const (
	maxBinary = 16_000_000
	maxZipped = 6_000_000
)

// larger are the bounds of those that need more, with the reason.
var larger = map[string]struct {
	binary, zipped int64
	why            string
}{
	"policy": {32_000_000, 12_000_000, "OPA"},
}

// TestSize builds every function as it is deployed: linux/arm64, stripped, and
// zipped. `make size` prints the table.
func TestSize(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatal("no function was found", err)
	}
	fmt.Printf("%-12s %12s %12s\n", "function", "binary", "zipped")
	for _, main := range mains {
		name := filepath.Dir(main)
		t.Run(name, func(t *testing.T) {
			binary, zipped := size(t, name)
			fmt.Printf("%-12s %9.2f MB %9.2f MB\n", name, float64(binary)/1e6, float64(zipped)/1e6)
			most, mostZipped := int64(maxBinary), int64(maxZipped)
			if l, ok := larger[name]; ok {
				most, mostZipped = l.binary, l.zipped
			}
			if binary > most || zipped > mostZipped {
				t.Errorf("%s has %d bytes, %d zipped; it may have %d and %d. What it imports that it need not: go list -deps ./functions/%s. "+
					"html/template and text/template keep every method of every AWS client", name, binary, zipped, most, mostZipped, name)
			}
		})
	}
}

// size is how large a function's program is, and zipped as it is uploaded.
func size(t *testing.T, name string) (binary, zipped int64) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./"+name)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	f, err := os.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var counted counter
	z := zip.NewWriter(&counted)
	w, err := z.Create("bootstrap") // deflated
	if err != nil {
		t.Fatal(err)
	}
	if binary, err = io.Copy(w, f); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return binary, int64(counted)
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
