package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
)

// finding is what doctor says of one thing.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	// Text is what was found, or what to do.
	Text string `json:"text"`
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what Slipway needs on this machine",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.examine(cmd.Context()) },
	}
}

func (a *app) examine(ctx context.Context) error {
	findings := []finding{checkBash(), checkData(a.flags.data)}
	findings = append(findings, a.checkServer(ctx)...)
	well := true
	for _, f := range findings {
		well = well && f.OK
	}
	if a.json() {
		if err := a.print(map[string]any{"ok": well, "checks": findings}); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			fmt.Fprintf(a.out, "%s %-7s %s\n", a.theme.Symbol(verdict(f.OK)), f.Check, f.Text)
		}
	}
	if !well {
		return &ended{exitFailed}
	}
	return nil
}

func verdict(ok bool) string {
	if ok {
		return "Success"
	}
	return "Failed"
}

func checkBash() finding {
	path, err := exec.LookPath("bash")
	if err != nil {
		return finding{"bash", false, "not found: ShellScript steps need it; install bash or add it to PATH"}
	}
	return finding{"bash", true, path}
}

// checkData tries to write where the data folder is or would be made.
func checkData(dir string) finding {
	at := dir
	for {
		if _, err := os.Stat(at); err == nil {
			break
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	probe, err := os.CreateTemp(at, ".slipway-doctor-*")
	if err != nil {
		return finding{"data", false, fmt.Sprintf("%s cannot be written (%v): name another folder with --data", dir, err)}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return finding{"data", true, dir + " can be written"}
}

func (a *app) checkServer(ctx context.Context) []finding {
	t, err := a.server()
	if fault.Is(err, fault.Unavailable) {
		return []finding{{"server", false, "none is known: start one with slipway up, or name one with --server URL"}}
	}
	if err != nil {
		return []finding{{"server", false, err.Error()}}
	}
	c, err := client.New(t.url, "", "")
	if err != nil {
		return []finding{{"server", false, err.Error()}}
	}
	if err := c.Health(ctx); err != nil {
		return []finding{{"server", false, fmt.Sprintf("%v (the address is from %s): start one with slipway up, or name another with --server URL", err, t.from)}}
	}
	found := []finding{{"server", true, t.url}}
	c, _, err = a.connect()
	if err == nil {
		err = c.Check(ctx)
	}
	if err != nil {
		return append(found, finding{"token", false, fmt.Sprintf("%v: give one with --token-file FILE, or slipway login", err)})
	}
	return append(found, finding{"token", true, "accepted"})
}
