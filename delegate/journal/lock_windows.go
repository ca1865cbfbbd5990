package journal

import (
	"os"
	"syscall"

	"github.com/slipway-cd/slipway/shared/fault"
)

// takeLock opens the file without sharing it: a second opening fails until this
// process closes it or ends.
func takeLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "opening the work folder: %w", err)
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, fault.New(fault.Conflict, "the work folder is in use by another delegate (%s: %w); give each delegate a folder of its own", path, err)
	}
	return os.NewFile(uintptr(h), path), nil
}
