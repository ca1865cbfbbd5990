package cli

import (
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/follow"
	"github.com/slipway-cd/slipway/shared/view"
)

// printer shows a run as it goes.
type printer interface {
	begun(l client.Launched)
	event(e follow.Event)
	waits(a view.Approval) // for somebody to approve from elsewhere
	ended(r view.Run, status int)
}

func (a *app) printer(t target) printer {
	if a.json() {
		return &records{print: func(v any) { _ = a.print(v) }, target: t}
	}
	return &progress{out: a.out, err: a.err, theme: a.theme, target: t}
}

// command is a command line that speaks to this platform.
func (t target) command(words ...string) string {
	line := append(append([]string{program()}, words...), t.args...)
	for i, word := range line {
		line[i] = quoted(word)
	}
	return strings.Join(line, " ")
}

// quoted is a word as a shell takes it for one.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+=,", r))
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// identifier is the last part of a node's path.
func identifier(fqn string) string { return fqn[strings.LastIndexByte(fqn, '.')+1:] }
