package contract

import (
	"encoding/base64"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// Clock tests an adapter of core.Clock. advance moves a clock that stands still;
// it is nil for one that goes.
func Clock(t *testing.T, open func(t *testing.T) (c core.Clock, advance func(time.Duration))) {
	t.Run("functions fire, not before their time", func(t *testing.T) {
		c, advance := open(t)
		begin := c.Now()
		fired := make(chan time.Time, 2)
		c.AfterFunc(20*time.Millisecond, func() { fired <- c.Now() })
		c.AfterFunc(10*time.Millisecond, func() { fired <- c.Now() })
		if advance != nil {
			advance(20 * time.Millisecond)
		}
		for _, want := range []time.Duration{10 * time.Millisecond, 20 * time.Millisecond} {
			if got := (<-fired).Sub(begin); got < want {
				t.Errorf("fired after %s, want %s", got, want)
			}
		}
	})
	t.Run("a function that was stopped does not fire", func(t *testing.T) {
		c, advance := open(t)
		fired := make(chan string, 2)
		stop := c.AfterFunc(100*time.Millisecond, func() { fired <- "stopped" })
		stop()
		for len(fired) > 0 { // this machine took so long that it was due before
			<-fired
			stop = c.AfterFunc(100*time.Millisecond, func() { fired <- "stopped" })
			stop()
		}
		stop()
		c.AfterFunc(200*time.Millisecond, func() { fired <- "other" })
		if advance != nil {
			advance(time.Second)
		}
		if got := <-fired; got != "other" {
			t.Errorf("%s fired", got)
		}
		stop() // after all is over
	})
	t.Run("no time to wait", func(t *testing.T) {
		c, _ := open(t)
		fired := make(chan bool, 2)
		c.AfterFunc(0, func() { fired <- true })
		c.AfterFunc(-time.Second, func() { fired <- true })
		<-fired
		<-fired
	})
}

var ulidRule = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// IDs tests an adapter of core.IDs.
func IDs(t *testing.T, open func(t *testing.T) core.IDs) {
	t.Run("identifiers ascend", func(t *testing.T) {
		ids := open(t)
		last := ""
		for range 10_000 {
			id := ids.New()
			if !ulidRule.MatchString(id) || id <= last {
				t.Fatalf("%q after %q", id, last)
			}
			last = id
		}
	})
	t.Run("none comes twice", func(t *testing.T) {
		ids := open(t)
		var mu sync.Mutex
		seen := map[string]bool{}
		var done sync.WaitGroup
		for range 8 {
			done.Go(func() {
				for range 1000 {
					id, token := ids.New(), ids.Token()
					mu.Lock()
					if seen[id] || seen[token] {
						t.Errorf("again: %s, %s", id, token)
					}
					seen[id], seen[token] = true, true
					mu.Unlock()
				}
			})
		}
		done.Wait()
	})
	t.Run("tokens have 256 bits and fit a URL", func(t *testing.T) {
		raw, err := base64.RawURLEncoding.DecodeString(open(t).Token())
		if err != nil || len(raw) < 32 {
			t.Errorf("%d bytes, %v", len(raw), err)
		}
	})
}
