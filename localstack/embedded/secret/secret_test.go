package secret_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/secret"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func openFile(t *testing.T, path string) *file.File {
	t.Helper()
	f, err := file.Open(path, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func open(t *testing.T, dir string) (*secret.Secrets, *file.Records) {
	t.Helper()
	records := openFile(t, filepath.Join(dir, "data")).Records("secrets")
	s, err := secret.Open(t.Context(), records, filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	return s, records
}

func TestContract(t *testing.T) {
	contract.Secrets(t, func(t *testing.T) core.Secrets {
		s, _ := open(t, t.TempDir())
		return s
	})
}

func TestNothingInClear(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	value := "correct-horse-battery-staple"
	if err := s.Put(t.Context(), "acct/token", []byte(value)); err != nil {
		t.Fatal(err)
	}
	data, errData := os.ReadFile(filepath.Join(dir, "data"))
	key, errKey := os.ReadFile(filepath.Join(dir, "key"))
	raw, errHex := hex.DecodeString(strings.TrimSpace(string(key)))
	if err := errors.Join(errData, errKey, errHex); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("acct/token")) {
		t.Error("the test looks in the wrong place")
	}
	for what, clear := range map[string][]byte{"value": []byte(value), "key": raw, "key in hex": bytes.TrimSpace(key)} {
		if bytes.Contains(data, clear) {
			t.Errorf("the %s is in the data file", what)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "key"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v, %v", info.Mode(), err)
	}
}

func TestSwappedRecords(t *testing.T) {
	s, records := open(t, t.TempDir())
	ctx := t.Context()
	if err := errors.Join(s.Put(ctx, "a", []byte("one")), s.Put(ctx, "b", []byte("two"))); err != nil {
		t.Fatal(err)
	}
	sealed, _, err := records.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), sealed...)
	damaged[len(damaged)-1]++
	for what, value := range map[string][]byte{"another name's": sealed, "damaged": damaged, "cut": sealed[:5], "empty": {}} {
		if err := records.Save(ctx, map[string][]byte{"b": value}, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "b"); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}

func TestReopen(t *testing.T) {
	tests := map[string]struct {
		spoil func(key string) error
		says  string // empty: it opens
	}{
		"as it was":    {func(string) error { return nil }, ""},
		"key is gone":  {os.Remove, "missing: restore"},
		"another key":  {func(key string) error { return os.WriteFile(key, []byte(strings.Repeat("0f", 32)), 0o600) }, "not the key"},
		"key is empty": {func(key string) error { return os.WriteFile(key, nil, 0o600) }, "holds no key"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := openFile(t, filepath.Join(dir, "data"))
			key := filepath.Join(dir, "key")
			s, err := secret.Open(t.Context(), f.Records("secrets"), key)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Put(t.Context(), "a", []byte("one")), f.Close(), tc.spoil(key)); err != nil {
				t.Fatal(err)
			}
			s, err = secret.Open(t.Context(), openFile(t, filepath.Join(dir, "data")).Records("secrets"), key)
			if tc.says != "" {
				if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(t.Context(), "a"); err != nil || string(got) != "one" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
