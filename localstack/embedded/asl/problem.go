package asl

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Problem is one thing wrong with a definition. Line and Column count from 1,
// Column in bytes.
type Problem struct {
	File         string
	Line, Column int
	Message      string // what is wrong and what to do
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems is everything wrong with a definition, in the order of the text.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// asError returns nil or a fault.Invalid that wraps the problems.
func (ps Problems) asError() error {
	if len(ps) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%w", ps)
}
