package e2e

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process is there and not just waiting to be reaped.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
