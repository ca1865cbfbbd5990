//go:build !unix

package aws

import (
	"errors"
	"os/exec"
)

func group(*exec.Cmd) {}

func end(cmd *exec.Cmd, ended <-chan struct{}, _ string) {
	_ = cmd.Process.Kill()
	<-ended
}

// lock fails, and with it the installation: nothing here was tried on this system.
func lock(string) (func(), error) {
	return nil, errors.New("not supported yet: LocalStack without Docker on this system; use localstack/aws/compose.yaml")
}
