package delegate

import (
	"context"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/delegate/journal"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/wire"
)

// A chunk is cut when it has waited flushAfter or holds flushBytes, counting
// lineOverhead a line: with the longest line it stays below wire.MaxLogChunkBytes.
const (
	flushAfter   = 250 * time.Millisecond
	flushBytes   = 64 << 10
	lineOverhead = 32
)

// limitNotice ends a log that has reached wire.MaxStepLogBytes. The head is kept:
// a stream cannot be cut in the middle without waiting for its end.
const limitNotice = "... log limit reached"

// taskLog takes a task's lines and ships them in order, in numbered chunks of
// which one is under way at a time. A chunk is sent until it is acknowledged, and
// the last one travels with the completion.
type taskLog struct {
	d    *Delegate
	h    *held
	file *journal.Log // nil when nothing is kept on disk

	mu       sync.Mutex
	moved    sync.Cond       // busy or chunks changed
	rest     []wire.LogLine  // not yet cut
	size     int             // of rest
	chunks   []wire.LogChunk // cut and not acknowledged
	seq      int             // of the last one cut
	total    int             // bytes of text in all lines
	full     bool            // the notice is out
	timer    func()          // stops the flush that is due
	busy     bool            // a sender is at work
	finished bool            // no more lines; the last chunk is for the completion
}

func (d *Delegate) newLog(h *held, entry *journal.Entry) *taskLog {
	l := &taskLog{d: d, h: h}
	l.moved.L = &l.mu
	if entry == nil {
		return l
	}
	file, err := entry.OpenLog()
	if err != nil {
		d.log.Error("the log is not kept on disk", "task", h.task.ID, "error", err)
		return l
	}
	l.file = file
	return l
}

// load continues with what an earlier process had kept.
func (l *taskLog) load(kept journal.Logged) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chunks, l.seq, l.rest = kept.Chunks, kept.Seq, kept.Rest
}

// add appends lines. They are on disk when it returns.
func (l *taskLog) add(lines []wire.LogLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines = l.limit(lines)
	if len(lines) == 0 || l.finished {
		return
	}
	if l.file != nil {
		l.noted(l.file.Lines(lines...))
	}
	for _, line := range lines {
		l.rest = append(l.rest, line)
		l.size += len(line.Text) + lineOverhead
		if l.size >= flushBytes {
			l.cut()
		}
	}
	if len(l.rest) > 0 && l.timer == nil {
		l.timer = l.d.cfg.Clock.AfterFunc(flushAfter, l.flush)
	}
	l.send()
}

// limit leaves out what goes beyond a step's log.
func (l *taskLog) limit(lines []wire.LogLine) []wire.LogLine {
	if l.full {
		return nil
	}
	for i, line := range lines {
		if l.total+len(line.Text)+1 > wire.MaxStepLogBytes-len(limitNotice)-1 {
			l.full = true
			return append(lines[:i:i], wire.LogLine{Time: line.Time, Level: "INFO", Text: limitNotice})
		}
		l.total += len(line.Text) + 1
	}
	return lines
}

func (l *taskLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if !l.finished {
		l.cut()
		l.send()
	}
}

// cut makes a chunk of the lines that wait. Called with the lock.
func (l *taskLog) cut() {
	if len(l.rest) == 0 {
		return
	}
	l.seq++
	if l.file != nil {
		l.noted(l.file.Chunk(l.seq, len(l.rest)))
	}
	l.chunks = append(l.chunks, wire.LogChunk{Seq: l.seq, Lines: l.rest})
	l.rest, l.size = nil, 0
}

func (l *taskLog) noted(err error) {
	if err != nil {
		l.d.log.Error("the log is not on disk", "task", l.h.task.ID, "error", err)
	}
}

// send starts a sender unless one is at work. Called with the lock.
func (l *taskLog) send() {
	if !l.busy && l.waiting() {
		l.busy = true
		l.d.workers.Go(l.ship)
	}
}

// waiting reports whether there is a chunk to send on its own.
func (l *taskLog) waiting() bool {
	keep := 0
	if l.finished {
		keep = 1
	}
	return len(l.chunks) > keep && l.h.life.Err() == nil
}

// ship sends chunks until none waits.
func (l *taskLog) ship() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.waiting() {
		chunk := l.chunks[0]
		l.mu.Unlock()
		ok := l.post(chunk)
		l.mu.Lock()
		if !ok {
			break
		}
		l.chunks = l.chunks[1:]
		if l.file != nil {
			l.noted(l.file.Acked(chunk.Seq))
		}
	}
	l.busy = false
	l.moved.Broadcast()
}

// post sends one chunk until it is acknowledged; false means that nobody wants it.
func (l *taskLog) post(chunk wire.LogChunk) bool {
	req := wire.LogRequest{Delegate: l.d.identity.ID, Task: l.h.task.TaskRef, Chunk: chunk}
	var resp wire.LogResponse
	err := l.d.persist(l.h.life, "logs", func() (err error) {
		resp, err = l.d.cfg.Server.Logs(l.h.life, req)
		return err
	})
	switch {
	case resp.Cancel || fault.Is(err, fault.Gone):
		l.h.drop(errCanceled)
	case err != nil && final(err) && l.h.life.Err() == nil:
		l.d.log.Error("log chunk refused, dropped", "task", l.h.task.ID, "seq", chunk.Seq, "error", err)
	}
	return l.h.life.Err() == nil
}

// finish ends the log: no line follows. What is left is cut, so that it is sent
// with the same numbers whoever sends it.
func (l *taskLog) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rest []wire.LogLine
	rest, l.rest, l.size = l.rest, nil, 0
	for _, line := range rest { // more than one chunk only when loaded
		l.rest = append(l.rest, line)
		if l.size += len(line.Text) + lineOverhead; l.size >= flushBytes {
			l.cut()
		}
	}
	l.cut()
	l.finished = true
	if l.timer != nil {
		l.timer()
	}
}

// drain waits until all but the last chunk are acknowledged and returns that one,
// which may be empty. ok is false when nobody wants it.
func (l *taskLog) drain() (last wire.LogChunk, ok bool) {
	defer context.AfterFunc(l.h.life, l.moved.Broadcast)()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	for l.send(); l.busy; l.moved.Wait() {
	}
	if l.h.life.Err() != nil {
		return wire.LogChunk{}, false
	}
	if len(l.chunks) > 0 {
		last = l.chunks[0]
	}
	return last, true
}

func (l *taskLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}
