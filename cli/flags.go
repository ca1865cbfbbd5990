package cli

import (
	"github.com/spf13/pflag"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// flags are those every command has.
type flags struct {
	server    string
	token     string
	tokenFile string
	data      string
	format    string
	as        string
	org       string
	project   string
}

// defaultData is where `slipway up` keeps its data unless told otherwise.
const defaultData = ".slipway"

func (f *flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.server, "server", "", "the platform's `URL` (else $SLIPWAY_SERVER, else DATA/server.json, else what login stored)")
	set.StringVar(&f.token, "token", "", "API `token` (else $SLIPWAY_TOKEN; a file is better: arguments can be seen by others)")
	set.StringVar(&f.tokenFile, "token-file", "", "`file` that holds the API token")
	set.StringVar(&f.data, "data", defaultData, "data `folder` of the platform on this machine")
	set.StringVar(&f.format, "format", "text", "text or json")
	set.StringVar(&f.as, "as", "", "act as this `user` (examples on a laptop only, by an admin)")
	set.StringVar(&f.org, "org", core.DefaultOrg, "organization")
	set.StringVar(&f.project, "project", core.DefaultProject, "project")
}

func (f *flags) check() error {
	if f.format != "text" && f.format != "json" {
		return fault.New(fault.Invalid, "--format %s is not known: it is text or json", f.format)
	}
	if f.token != "" && f.tokenFile != "" {
		return fault.New(fault.Invalid, "--token and --token-file exclude each other")
	}
	return nil
}

func (a *app) json() bool { return a.flags.format == "json" }
