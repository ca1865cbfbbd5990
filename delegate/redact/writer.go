package redact

import (
	"bytes"
	"io"
)

// Writer masks what is written to it and passes the rest on at once. It holds
// back only text that is so far the beginning of a secret, at most as long as the
// longest form of one: a line that begins no secret is never delayed.
//
// Matches that overlap become one mask, so no part of either is left. It is not
// safe for concurrent use.
type Writer struct {
	m    *Matcher
	out  io.Writer
	at   int32
	held []byte // input not yet passed on
	// spans are the secrets found in held, as offsets into it, ascending, apart
	// from or touching one another. The first may have begun before held did: then
	// its mask is out already (opened).
	spans  []span
	opened bool
	ready  bytes.Buffer
}

type span struct{ from, to int }

// Writer returns a writer that masks on the way to out.
func (m *Matcher) Writer(out io.Writer) *Writer { return &Writer{m: m, out: out} }

// Write masks p. It returns an error only when out does.
func (w *Writer) Write(p []byte) (int, error) {
	if w.m == nil {
		return w.out.Write(p)
	}
	base := len(w.held)
	w.held = append(w.held, p...)
	w.scan(base)
	if err := w.release(len(w.held) - int(w.m.nodes[w.at].depth)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// scan runs the automaton over held from the given offset and notes the matches.
func (w *Writer) scan(from int) {
	m, at, held := w.m, w.at, w.held
	for i := from; i < len(held); i++ {
		if at == 0 {
			if i = m.skip(held, i); i == len(held) {
				break
			}
		}
		at = m.step(at, held[i])
		if n := m.nodes[at].found; n != 0 {
			w.cover(span{i + 1 - int(n), i + 1})
		}
	}
	w.at = at
}

// cover adds a match, merging it with those it overlaps. Matches come in the
// order of their ends.
func (w *Writer) cover(s span) {
	for len(w.spans) > 0 {
		last := w.spans[len(w.spans)-1]
		if last.to <= s.from {
			break
		}
		s.from = min(s.from, last.from)
		w.spans = w.spans[:len(w.spans)-1]
	}
	w.spans = append(w.spans, s)
}

// release passes on everything before limit, where no later match can begin.
func (w *Writer) release(limit int) error {
	done := 0
	for len(w.spans) > 0 && w.spans[0].from < limit {
		s := w.spans[0]
		if !w.opened {
			w.ready.Write(w.held[done:s.from])
			w.ready.WriteString(Mask)
		}
		if s.to > limit { // a later match may make it longer
			w.opened = true
			w.spans[0].from = limit
			done = limit
			break
		}
		w.opened = false
		w.spans = w.spans[1:]
		done = s.to
	}
	if done < limit {
		w.ready.Write(w.held[done:limit])
	}
	w.drop(limit)
	if w.ready.Len() == 0 {
		return nil
	}
	_, err := w.out.Write(w.ready.Bytes())
	w.ready.Reset()
	return err
}

// drop forgets the first n bytes of held.
func (w *Writer) drop(n int) {
	w.held = w.held[:copy(w.held, w.held[n:])]
	for i := range w.spans {
		w.spans[i].from -= n
		w.spans[i].to -= n
	}
	if len(w.spans) == 0 {
		w.spans = nil
	}
}

// Close ends the text. Text still held back because it begins a secret is masked
// when it is at least MinLength long: the writer may have been cut off inside one.
// It does not close out.
func (w *Writer) Close() error { return w.end(true) }

func (w *Writer) end(cutOff bool) error {
	if w.m == nil {
		return nil
	}
	if depth := int(w.m.nodes[w.at].depth); cutOff && depth >= MinLength {
		w.cover(span{len(w.held) - depth, len(w.held)})
	}
	w.at = 0
	return w.release(len(w.held))
}
