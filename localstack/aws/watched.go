package aws

import (
	"bytes"
	"strings"
	"sync"
)

// watched keeps the end of what is written and closes seen at a line that is the
// one waited for.
type watched struct {
	mu   sync.Mutex
	text []byte
	line []byte
	want string
	seen chan struct{}
	once sync.Once
}

// keep is how much of a log is remembered.
const keep = 1 << 20

func newWatched(want string) *watched { return &watched{want: want, seen: make(chan struct{})} }

// Write never fails.
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if len(w.text) > 2*keep {
		w.text = append([]byte(nil), w.text[len(w.text)-keep:]...)
	}
	w.line = append(w.line, p...)
	for {
		line, rest, ok := bytes.Cut(w.line, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		if strings.TrimSpace(string(line)) == w.want {
			w.once.Do(func() { close(w.seen) })
		}
		w.line = rest
	}
}

// tail is the last lines written.
func (w *watched) tail(lines int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Split(strings.TrimRight(string(w.text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
