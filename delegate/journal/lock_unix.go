//go:build unix

package journal

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/slipway-cd/slipway/shared/fault"
)

// takeLock holds the file for as long as it is open; the system lets go of it
// when the process ends, however it ends.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.New(fault.Invalid, "opening the work folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner := make([]byte, 20)
		n, _ := f.Read(owner)
		_ = f.Close()
		return nil, inUse(path, strings.TrimSpace(string(owner[:n])))
	}
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

func inUse(path, owner string) error {
	return fault.New(fault.Conflict, "the work folder is in use by another delegate (process %s holds %s); give each delegate a folder of its own", owner, path)
}
