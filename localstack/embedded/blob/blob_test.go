package blob_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/blob"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func open(t *testing.T, dir string) *blob.Blobs {
	t.Helper()
	b, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func TestContract(t *testing.T) {
	contract.Blobs(t, func(t *testing.T) core.Blobs { return open(t, filepath.Join(t.TempDir(), "blobs")) })
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "blobs")
	b := open(t, dir)
	if err := b.Put(t.Context(), "run/log", []byte("line")); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "tmp", "half")
	if err := errors.Join(os.WriteFile(half, []byte("x"), 0o600), b.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "run/log"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
	if got, err := open(t, dir).Get(t.Context(), "run/log"); err != nil || string(got) != "line" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a crash left is still there: %v", err)
	}
}

// TestConfined: a link in the folder leads nowhere outside it, and all that is
// written is for its owner alone.
func TestConfined(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	dir, outside := t.TempDir(), t.TempDir()
	b := open(t, dir)
	if err := b.Put(t.Context(), "k", []byte("v")); err != nil {
		t.Fatal(err)
	}
	var folder string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		info, errInfo := d.Info()
		if err := errors.Join(err, errInfo); err != nil {
			return err
		}
		if path != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if !d.IsDir() {
			folder = filepath.Dir(path)
		}
		return nil
	})
	if err := errors.Join(err, os.RemoveAll(folder), os.Symlink(outside, folder)); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", []byte("v")); err == nil {
		t.Error("it wrote through a link")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}
