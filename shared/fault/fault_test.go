package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestKindOf(t *testing.T) {
	wrapped := fmt.Errorf("reading run: %w", New(NotFound, "no run %q", "x"))
	tests := map[string]struct {
		err  error
		want Kind
	}{
		"plain error is internal": {io.EOF, Internal},
		"own kind":                {New(Gone, "ended"), Gone},
		"through wrapping":        {wrapped, NotFound},
		"outermost wins":          {New(Invalid, "bad: %w", New(NotFound, "no")), Invalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := KindOf(tc.err); got != tc.want {
				t.Errorf("KindOf = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestNewKeepsCause(t *testing.T) {
	err := New(Unavailable, "dial: %w", io.ErrUnexpectedEOF)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if err.Error() != "dial: unexpected EOF" {
		t.Errorf("message = %q", err.Error())
	}
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for k := range kinds {
		c := table[k]
		if c.HTTP < 400 || c.Code == "" || c.ASL == "" || c.Failure == "" {
			t.Errorf("kind %d has an incomplete class: %+v", k, c)
		}
		if seen[c.ASL] {
			t.Errorf("ASL error %q stands for two kinds", c.ASL)
		}
		seen[c.ASL] = true
	}
}

func TestRetryable(t *testing.T) {
	if Retryable(nil) || Retryable(New(Conflict, "x")) || !Retryable(New(Throttled, "x")) {
		t.Error("only throttled and unavailable are retryable as they are")
	}
}

// TestOfHTTP reads every kind's status back as that kind, where the status is its own.
func TestOfHTTP(t *testing.T) {
	shared := map[Kind]Kind{AlreadyExists: Conflict, Unsupported: Invalid, Timeout: Unavailable}
	for k := range kinds {
		want, ok := shared[k]
		if !ok {
			want = k
		}
		if got := OfHTTP(table[k].HTTP); got != want {
			t.Errorf("OfHTTP(%d) = %d, want %d", table[k].HTTP, got, want)
		}
	}
	for status, want := range map[int]Kind{422: Invalid, 502: Unavailable, 504: Unavailable, 418: Internal} {
		if got := OfHTTP(status); got != want {
			t.Errorf("OfHTTP(%d) = %d, want %d", status, got, want)
		}
	}
}
