// Package fault gives every error a kind, and every kind its HTTP status, ASL
// error name and Harness failure type, in one table. Only doors translate
// errors; below them, code wraps and returns.
package fault

import (
	"errors"
	"fmt"
)

// Kind classifies an error by what its receiver can do about it.
type Kind int

// The kinds. The zero value is Internal, so that an unclassified error is never
// mistaken for the caller's fault.
const (
	Internal        Kind = iota // a bug or a broken dependency
	Invalid                     // the input is wrong; the message says where and how to mend it
	Unsupported                 // the input is valid but cannot be executed yet
	Unauthenticated             // no or unknown credential
	Forbidden                   // known principal, not allowed
	NotFound                    // no such thing, or not visible to this principal
	AlreadyExists               // the name is taken; the existing thing is left as it was
	Conflict                    // a condition did not hold; read again and retry
	Gone                        // it existed and has ended: a finished token, a lost lease
	TooLarge                    // over a documented bound; the message names the bound
	Throttled                   // retry later with jitter
	Unavailable                 // a dependency cannot be reached; retry later
	Timeout                     // a deadline passed
	Canceled                    // the caller gave up
	kinds                       // how many there are
)

// Error is an error with a kind.
type Error struct {
	Kind Kind
	err  error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap lets errors.Is and errors.As see the cause.
func (e *Error) Unwrap() error { return errors.Unwrap(e.err) }

// New returns an error of the given kind. The format follows fmt.Errorf, %w included.
func New(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of the outermost *Error in err's chain, Internal when
// there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is not nil and of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Retryable reports whether the same call may succeed later without a change.
func Retryable(err error) bool {
	if err == nil {
		return false
	}
	switch KindOf(err) {
	case Throttled, Unavailable:
		return true
	default:
		return false
	}
}
