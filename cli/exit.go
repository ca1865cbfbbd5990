package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Exit statuses, the same for every command.
const (
	exitOK          = 0
	exitFailed      = 1 // a run ended otherwise, or the command failed
	exitInvalid     = 2 // bad input or usage; nothing was started
	exitUnreachable = 3 // no platform answers
	exitInterrupted = 130
)

// ended is an error that has been told already.
type ended struct{ status int }

func (e *ended) Error() string { return fmt.Sprintf("exit status %d", e.status) }

// exit tells of an error and returns the exit status it stands for.
func (a *app) exit(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*ended](err); ok {
		return e.status
	}
	if r, ok := errors.AsType[*client.Refused](err); ok {
		a.refused(r.Diagnostics)
		return exitInvalid
	}
	status, kind := exitFailed, fault.KindOf(err)
	switch {
	case !a.begun || kind == fault.Invalid || kind == fault.Unsupported || kind == fault.TooLarge:
		status = exitInvalid
	case kind == fault.Unavailable:
		status = exitUnreachable
	}
	if a.json() {
		body := map[string]any{"error": map[string]any{"code": fault.ClassOf(err).Code, "message": err.Error(), "exit": status}}
		_ = json.NewEncoder(a.err).Encode(body)
		return status
	}
	fmt.Fprintf(a.err, "slipway: %v\n", err)
	if !a.begun {
		fmt.Fprintf(a.err, "see %s --help\n", cmd.CommandPath())
	}
	return status
}

// refused tells what is wrong with a pipeline.
func (a *app) refused(ds core.Diagnostics) {
	if a.json() {
		_ = a.print(map[string]any{"event": "refused", "diagnostics": ds, "exit": exitInvalid})
		return
	}
	fmt.Fprintln(a.err, ds)
}

// print writes a value as JSON on one line.
func (a *app) print(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
