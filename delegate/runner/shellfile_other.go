//go:build !linux

package runner

import (
	"errors"
	"os"
)

// memoryFile has no counterpart here: files in the task's private folder are used.
func memoryFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }
