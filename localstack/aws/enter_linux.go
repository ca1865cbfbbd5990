package aws

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// insideEnv tells the program which Enter started that it is inside.
const insideEnv = "SLIPWAY_LOCALSTACK_INSIDE"

// Inside reports whether this process was started by Enter.
func Inside() bool { return os.Getenv(insideEnv) == "1" }

// Enter runs this program again with the same arguments in a network namespace of
// its own, where nothing listens to the outside and nothing outside can be
// reached, and returns its exit code. It needs root, or a kernel that lets users
// make namespaces; without either the error wraps ErrNoNamespace.
func Enter(ctx context.Context) (int, error) {
	// The kernel ends the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		return -1, err
	}
	cmd := exec.CommandContext(ctx, self, os.Args[1:]...) //nolint:gosec // this very program
	cmd.Env = append(os.Environ(), insideEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	// Ctrl-C reaches the child by itself, other signals are handed on; it ends
	// what it started, and then this process goes with its exit code.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
			return -1, fmt.Errorf("%w: %w", ErrNoNamespace, err)
		}
		return -1, err
	}
	signal.Ignore(os.Interrupt)
	err = cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil && cmd.ProcessState == nil {
		return -1, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// raise brings up the loopback interface, which a new namespace has down.
func raise() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// isolated reports whether this process sees no network but its own loopback,
// which it brings up.
func isolated() bool {
	all, err := net.Interfaces()
	if err != nil {
		return false
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			return false
		}
	}
	return raise() == nil
}
