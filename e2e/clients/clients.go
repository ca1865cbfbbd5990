// Package clients plays the lives of all kinds with clients that others have made of
// Harness's REST interface: what they send must be understood, and they must be able to
// read what they are answered. `make test-clients` installs and runs them.
package clients

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed *.py
var scripts embed.FS

// Python is the environment variable that names a Python which has the clients
// (tools/clients).
const Python = "SLIPWAY_CLIENT_PYTHON"

// Harness plays harness.py against a platform. The error has a line for each thing that
// is not as it should be.
func Harness(ctx context.Context, url, token, account string) (err error) {
	dir, err := os.MkdirTemp("", "slipway-clients-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, scripts); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, os.Getenv(Python), filepath.Join(dir, "harness.py"), url, token, account)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
