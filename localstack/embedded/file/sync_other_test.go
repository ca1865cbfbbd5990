//go:build !linux

package file_test

import "os"

func datasync(f *os.File) error { return f.Sync() }
