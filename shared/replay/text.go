package replay

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Text is the recording as JSON with one event a line, for files that people compare.
func (r *Recording) Text() ([]byte, error) {
	w := &writer{}
	w.write("{\"v\": ", r.V, ", \"semantics\": ", r.Semantics, ",\n\"launch\": ", r.Launch, ",\n\"tracks\": {")
	for i, id := range slices.Sorted(maps.Keys(r.Tracks)) {
		w.next(i)
		w.write("", id, ": [")
		for k, s := range r.Tracks[id] {
			w.next(k)
			w.write("", s)
		}
		w.write("]")
	}
	w.write("},\n\"snapshots\": {")
	for i, id := range slices.Sorted(maps.Keys(r.Snapshots)) {
		w.next(i)
		w.write("", id, ": ", r.Snapshots[id])
	}
	w.write("},\n\"outputs\": {")
	for i, id := range slices.Sorted(maps.Keys(r.Outputs)) {
		w.next(i)
		w.write("", id, ": ", r.Outputs[id])
	}
	w.write("}}\n")
	return w.Bytes(), w.err
}

// writer writes text and values in turn and keeps the first error.
type writer struct {
	bytes.Buffer
	err error
}

func (w *writer) next(i int) {
	if i > 0 {
		w.WriteByte(',')
	}
	w.WriteByte('\n')
}

// write writes text, a value as JSON, text, and so on.
func (w *writer) write(parts ...any) {
	for i, p := range parts {
		if text, ok := p.(string); ok && i%2 == 0 {
			w.WriteString(text)
			continue
		}
		body, err := json.Marshal(p)
		if err != nil && w.err == nil {
			w.err = err
		}
		w.Write(body)
	}
}
