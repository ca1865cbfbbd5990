package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/fault"
)

// box seals secret outputs with AES-256-GCM. The key is derived from the
// delegate's secret with HKDF-SHA-256 and lives in memory only; without a secret
// it is random, and what was sealed dies with the process.
type box struct{ aead cipher.AEAD }

func newBox(secret string) (box, error) {
	seed := []byte(secret)
	if secret == "" {
		seed = make([]byte, 32)
		_, _ = rand.Read(seed) // never fails
	}
	key, err := hkdf.Key(sha256.New, seed, nil, "slipway delegate journal v1", 32)
	if err != nil {
		return box{}, fault.New(fault.Internal, "deriving the journal's key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return box{}, fault.New(fault.Internal, "making the journal's cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return box{}, fault.New(fault.Internal, "making the journal's cipher: %w", err)
	}
	return box{aead}, nil
}

func (b box) seal(secret map[string]string) ([]byte, error) {
	text, err := json.Marshal(secret)
	if err != nil {
		return nil, fault.New(fault.Internal, "encoding secret outputs: %w", err)
	}
	return b.aead.Seal(nil, nil, text, nil), nil
}

func (b box) open(sealed []byte) (map[string]string, error) {
	text, err := b.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, fault.New(fault.Forbidden, "the recorded secret outputs cannot be decrypted with the delegate's present secret")
	}
	var out map[string]string
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fault.New(fault.Internal, "decoding secret outputs: %w", err)
	}
	return out, nil
}
