package stack

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Processes finds the processes of this machine that serve a function, where
// there is /proc.
func (s *Stack) Processes(function string) []int {
	mark := []byte("\x00AWS_LAMBDA_FUNCTION_NAME=" + s.Name + "-" + function + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, f := range files {
		env, err := os.ReadFile(f)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && pid > 1 && bytes.Contains(append([]byte{0}, env...), mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}
