package delegate

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/wire"
)

// cutNotice ends a line that was longer than wire.MaxLogLineBytes.
var cutNotice = fmt.Sprintf("... line cut at %d KB", wire.MaxLogLineBytes>>10)

// lines makes log lines of a stream of text.
type lines struct {
	log   *taskLog
	level string
	part  []byte // of a line whose end has not come yet
}

func newLines(log *taskLog, level string) *lines { return &lines{log: log, level: level} }

// Write takes text that is masked already.
func (w *lines) Write(p []byte) (int, error) {
	var out []wire.LogLine
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		// One byte over the limit is enough to know that the line is to be cut.
		if room := wire.MaxLogLineBytes + 1 - len(w.part); room > 0 {
			w.part = append(w.part, line[:min(room, len(line))]...)
		}
		if ended {
			out = append(out, w.line())
		}
	}
	if len(out) > 0 {
		w.log.add(out)
	}
	return len(p), nil
}

// Close adds a last line without an end.
func (w *lines) Close() error {
	if len(w.part) > 0 {
		w.log.add([]wire.LogLine{w.line()})
	}
	return nil
}

func (w *lines) line() wire.LogLine {
	text := strings.ToValidUTF8(string(bytes.TrimSuffix(w.part, []byte{'\r'})), string(utf8.RuneError))
	if len(text) > wire.MaxLogLineBytes {
		at := wire.MaxLogLineBytes - len(cutNotice)
		for !utf8.RuneStart(text[at]) {
			at--
		}
		text = text[:at] + cutNotice
	}
	w.part = w.part[:0]
	return wire.LogLine{Time: core.Millis(w.log.d.cfg.Clock.Now()), Level: w.level, Text: text}
}
