package runner

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile makes a file that is only in memory, gone when everyone has closed it.
func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}
