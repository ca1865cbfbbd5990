package clock

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/slipway-cd/slipway/shared/core"
)

const tokenBytes = 32 // 256 bits, core.IDs

type ids struct {
	clock core.Clock
	mu    sync.Mutex
	last  uint64 // ms of the newest identifier
	mono  *ulid.MonotonicEntropy
	token func([]byte)
}

// NewIDs makes identifiers from the clock and the system's random source. Within
// a millisecond, and while the clock is set back, each is greater than the last.
func NewIDs(c core.Clock) core.IDs {
	return &ids{clock: c, mono: ulid.Monotonic(rand.Reader, 0), token: func(b []byte) { _, _ = rand.Read(b) }}
}

// Seeded makes the same identifiers and tokens for the same seed and clock, for
// tests. Its tokens can be guessed.
func Seeded(c core.Clock, seed uint64) core.IDs {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	source := mathrand.NewChaCha8(key)
	return &ids{clock: c, mono: ulid.Monotonic(source, 0), token: func(b []byte) { _, _ = source.Read(b) }}
}

func (g *ids) New() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, g.ms())
	id, err := ulid.New(g.last, g.mono)
	if err != nil { // all of this millisecond's numbers are used
		g.last++
		id = ulid.MustNew(g.last, g.mono)
	}
	return id.String()
}

func (g *ids) Token() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := make([]byte, tokenBytes)
	g.token(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

func (g *ids) ms() uint64 {
	now := g.clock.Now()
	if now.Before(time.UnixMilli(0)) {
		return 0
	}
	return ulid.Timestamp(now)
}
