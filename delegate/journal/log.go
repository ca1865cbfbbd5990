package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// record is one line of a task's log file: a line of output or a note.
type record struct {
	wire.LogLine
	note
}

// note says that the oldest N lines that were in no chunk yet are chunk Chunk, or
// that the server has all chunks up to Acked.
type note struct {
	Chunk int `json:"chunk,omitempty"`
	N     int `json:"n,omitempty"`
	Acked int `json:"acked,omitempty"`
}

// Log appends to a task's log file. Records are handed to the system at once and
// not forced to the disk: they survive this process, not a loss of power.
type Log struct {
	f *os.File
}

// OpenLog opens the task's log file for appending.
func (e *Entry) OpenLog() (*Log, error) {
	f, err := os.OpenFile(e.path("log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fault.New(fault.Internal, "opening a task's log: %w", err)
	}
	return &Log{f: f}, nil
}

// Lines appends lines.
func (l *Log) Lines(lines ...wire.LogLine) error {
	var b []byte
	for _, line := range lines {
		j, err := json.Marshal(line)
		if err != nil {
			return fault.New(fault.Internal, "encoding a log line: %w", err)
		}
		b = append(append(b, j...), '\n')
	}
	return l.write(b)
}

// Chunk notes that the oldest n lines not yet in a chunk are chunk seq: if it is
// ever sent again it has the same lines.
func (l *Log) Chunk(seq, n int) error { return l.note(note{Chunk: seq, N: n}) }

// Acked notes that the server has the chunks up to seq.
func (l *Log) Acked(seq int) error { return l.note(note{Acked: seq}) }

func (l *Log) note(n note) error {
	b, err := json.Marshal(n)
	if err != nil {
		return fault.New(fault.Internal, "encoding a log record: %w", err)
	}
	return l.write(append(b, '\n'))
}

func (l *Log) write(b []byte) error {
	if _, err := l.f.Write(b); err != nil {
		return fault.New(fault.Internal, "writing a task's log: %w", err)
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }

// Logged is what a task's log file says.
type Logged struct {
	Chunks []wire.LogChunk // cut and not acknowledged, ascending
	Rest   []wire.LogLine  // not yet cut
	Seq    int             // of the last chunk cut
	Bytes  int             // of text in all lines, acknowledged ones included
}

// ReadLog reads the task's log file. A torn last record is left out.
func (e *Entry) ReadLog() (Logged, error) {
	var l Logged
	f, err := os.Open(e.path("log"))
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fault.New(fault.Internal, "reading a task's log: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		switch {
		case r.Acked > 0:
			for len(l.Chunks) > 0 && l.Chunks[0].Seq <= r.Acked {
				l.Chunks = l.Chunks[1:]
			}
		case r.Chunk > 0:
			n := min(r.N, len(l.Rest))
			l.Chunks = append(l.Chunks, wire.LogChunk{Seq: r.Chunk, Lines: l.Rest[:n:n]})
			l.Rest, l.Seq = l.Rest[n:], r.Chunk
		default:
			l.Rest = append(l.Rest, r.LogLine)
			l.Bytes += len(r.Text)
		}
	}
	return l, nil
}
