//go:build !linux

package aws

import (
	"context"
)

// Inside reports whether this process was started by Enter.
func Inside() bool { return false }

// Enter is for Linux; elsewhere the error is ErrNoNamespace.
func Enter(context.Context) (int, error) { return -1, ErrNoNamespace }

func isolated() bool { return false }
