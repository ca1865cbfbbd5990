// Package secret is the embedded Secrets port: values encrypted with AES-256-GCM
// under a key that lies in a file of its own, mode 0600, beside the data file.
package secret

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds, those of core.Secrets.
const (
	maxName  = 512
	maxValue = 64 << 10
)

const (
	keyBytes = 32
	format   = 1 // first byte of a sealed value: then the nonce, then the ciphertext
)

// checkRecord holds a sealed constant that shows whether the key is the right
// one. No secret can have its name.
const (
	checkRecord = "\x00check"
	checkValue  = "slipway"
)

var nameRule = regexp.MustCompile(`^[A-Za-z0-9/_+=.@-]+$`)

// Records keeps bytes durably; file.Records does.
type Records interface {
	Save(ctx context.Context, put map[string][]byte, del []string) error
	Get(key string) ([]byte, bool, error)
}

// Secrets implements core.Secrets.
type Secrets struct {
	records Records
	aead    cipher.AEAD
}

// Open reads the key from keyPath, or makes one when there are no secrets yet.
// fault.Invalid when the key is missing or not the one the secrets were sealed with.
func Open(ctx context.Context, records Records, keyPath string) (*Secrets, error) {
	check, used, err := records.Get(checkRecord)
	if err != nil {
		return nil, err
	}
	key, err := readKey(keyPath)
	if errors.Is(err, fs.ErrNotExist) {
		if used {
			return nil, fault.New(fault.Invalid, "the key of the stored secrets is missing: restore %s", keyPath)
		}
		key, err = makeKey(keyPath)
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fault.New(fault.Internal, "secrets: %w", err)
	}
	s := &Secrets{records: records}
	if s.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fault.New(fault.Internal, "secrets: %w", err)
	}
	if !used {
		put := map[string][]byte{checkRecord: s.seal(checkRecord, []byte(checkValue))}
		return s, records.Save(ctx, put, nil)
	}
	if got, err := s.open(checkRecord, check); err != nil || subtle.ConstantTimeCompare(got, []byte(checkValue)) == 0 {
		return nil, fault.New(fault.Invalid, "%s is not the key the stored secrets were sealed with: restore the right one", keyPath)
	}
	return s, nil
}

// Get returns a value.
func (s *Secrets) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(ctx, name); err != nil {
		return nil, err
	}
	sealed, found, err := s.records.Get(name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.New(fault.NotFound, "no secret %q", name)
	}
	return s.open(name, sealed)
}

// Put stores a value of 1 byte to 64 KB.
func (s *Secrets) Put(ctx context.Context, name string, value []byte) error {
	if err := checkName(ctx, name); err != nil {
		return err
	}
	if len(value) == 0 {
		return fault.New(fault.Invalid, "secret %q is empty", name)
	}
	if len(value) > maxValue {
		return fault.New(fault.TooLarge, "secret %q has %d bytes: at most %d are allowed", name, len(value), maxValue)
	}
	return s.records.Save(ctx, map[string][]byte{name: s.seal(name, value)}, nil)
}

// Delete removes a value.
func (s *Secrets) Delete(ctx context.Context, name string) error {
	if err := checkName(ctx, name); err != nil {
		return err
	}
	return s.records.Save(ctx, nil, []string{name})
}

func checkName(ctx context.Context, name string) error {
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Canceled, "secret: %w", ctx.Err())
	case !nameRule.MatchString(name):
		return fault.New(fault.Invalid, "secret %q: a name is of letters, digits and /_+=.@-", name)
	case len(name) > maxName:
		return fault.New(fault.TooLarge, "a secret's name of %d characters: at most %d are allowed", len(name), maxName)
	}
	return nil
}

// seal binds the value to its name: swapped records do not open.
func (s *Secrets) seal(name string, value []byte) []byte {
	out := make([]byte, 1+s.aead.NonceSize(), 1+s.aead.NonceSize()+len(value)+s.aead.Overhead())
	out[0] = format
	_, _ = rand.Read(out[1:]) // never fails
	return s.aead.Seal(out, out[1:], value, []byte(name))
}

func (s *Secrets) open(name string, sealed []byte) ([]byte, error) {
	n := 1 + s.aead.NonceSize()
	if len(sealed) < n || sealed[0] != format {
		return nil, fault.New(fault.Internal, "secret %q is damaged", name)
	}
	value, err := s.aead.Open(nil, sealed[1:n], sealed[n:], []byte(name))
	if err != nil {
		return nil, fault.New(fault.Internal, "secret %q is damaged or was sealed with another key", name)
	}
	return value, nil
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "reading the key of the secrets: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fault.New(fault.Invalid, "%s holds no key (64 hex digits)", path)
	}
	return key, nil
}

// makeKey writes a new key and has it on the disk before it is used. It becomes
// visible whole: a crash leaves no half of a key.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key)
	fail := func(err error) ([]byte, error) {
		return nil, fault.New(fault.Unavailable, "making a key for the secrets: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fail(err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fail(err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // not every system can
		_ = dir.Close()
	}
	return key, nil
}
