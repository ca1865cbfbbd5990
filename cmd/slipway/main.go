// Command slipway is all of Slipway in one binary: the platform on one machine,
// the delegate, and the command line to both.
package main

import (
	"os"

	"github.com/slipway-cd/slipway/cli"
)

// version is set by the linker.
var version string

func main() {
	cli.Version = version
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
