// Package screen draws runs for people: statuses, durations, trees and tables, in
// colour where the terminal has it. It is the only one that knows how colours are
// made.
package screen

import (
	"io"
	"os"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Ink is a way to draw text.
type Ink int

// Inks.
const (
	Plain Ink = iota
	Good
	Bad
	Busy // running, waiting: look here
	Dim
	Bold
)

var inks = map[Ink]lipgloss.Style{
	Good: lipgloss.NewStyle().Foreground(lipgloss.Green),
	Bad:  lipgloss.NewStyle().Foreground(lipgloss.Red),
	Busy: lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	Dim:  lipgloss.NewStyle().Faint(true),
	Bold: lipgloss.NewStyle().Bold(true),
}

// Theme says whether text is coloured. The zero Theme is plain.
type Theme struct{ colour bool }

// For returns the theme for what is written to w: coloured on a terminal that can,
// unless NO_COLOR is set. environ is like os.Environ.
func For(w io.Writer, environ []string) Theme {
	return Theme{colour: colorprofile.Detect(w, environ) > colorprofile.ASCII}
}

// Paint draws text in an ink.
func (t Theme) Paint(ink Ink, text string) string {
	style, ok := inks[ink]
	if !t.colour || !ok || text == "" {
		return text
	}
	return style.Render(text)
}

// Terminal reports whether f, a reader or writer, is a terminal.
func Terminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(file.Fd())
}

// Hidden reads a line from a terminal without showing it. The line end that was
// typed is not shown either.
func Hidden(terminal *os.File) ([]byte, error) { return term.ReadPassword(terminal.Fd()) }

// width is how many columns text takes.
func width(text string) int { return ansi.StringWidth(text) }
