package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/replay"
)

func (a *app) replay() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Decide a run's events again and compare",
		Long: "Let the engine of this program decide again on every event of a run, or of a file that `runs export` has written, and compare the state, commands and facts.\n" +
			"Nothing is executed. Exit status 1 when something was decided otherwise.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (file == "") == (len(args) == 0) {
				return fault.New(fault.Invalid, "name a run, or a file with --file")
			}
			return a.replayRun(cmd.Context(), args, file)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "a recorded run, instead of one on a platform")
	return cmd
}

func (a *app) replayRun(ctx context.Context, args []string, file string) error {
	var rec *replay.Recording
	var err error
	if file != "" {
		rec, err = readRecording(file)
	} else {
		rec, err = a.recording(ctx, args[0])
	}
	if err != nil {
		return err
	}
	report, err := replay.Run(rec)
	if err != nil {
		return err
	}
	if a.json() {
		err = a.print(report)
	} else {
		err = a.showReplay(report)
	}
	if err == nil && !report.Agrees {
		return &ended{exitFailed}
	}
	return err
}

func readRecording(file string) (*replay.Recording, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", file, plainError(err))
	}
	rec, err := replay.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rec, nil
}

// recording fetches a run's from the platform.
func (a *app) recording(ctx context.Context, run string) (*replay.Recording, error) {
	c, t, err := a.connect()
	if err != nil {
		return nil, err
	}
	rec, err := c.Record(ctx, run)
	if err != nil {
		return nil, t.reached(err)
	}
	return rec, nil
}

func (a *app) showReplay(r replay.Report) error {
	rows := [][]string{}
	for _, t := range r.Tracks {
		said := "agrees"
		if d := t.Difference; d != nil {
			said = a.theme.Paint(screen.Bad, fmt.Sprintf("event %d (%s): %s", d.N, d.Type, differs[d.What]))
		}
		rows = append(rows, []string{t.Track, fmt.Sprintf("%d of %d", t.Events, t.Recorded), said})
	}
	if err := a.theme.Table(a.out, []string{"TRACK", "EVENTS", ""}, rows); err != nil || r.First == nil {
		return err
	}
	d := r.First
	if _, err := fmt.Fprintf(a.out, "\nfirst: track %s, event %d\n", d.Track, d.N); err != nil {
		return err
	}
	if d.Message != "" {
		if _, err := fmt.Fprintf(a.out, "  %s\n", a.theme.Clean(d.Message)); err != nil {
			return err
		}
	}
	for _, c := range d.Changes {
		if _, err := fmt.Fprintf(a.out, "  %s\n    - %s\n    + %s\n", a.theme.Clean(d.What+c.Path), a.value(c.Recorded), a.value(c.Decided)); err != nil {
			return err
		}
	}
	return nil
}

// differs says how an event was decided otherwise.
var differs = map[string]string{
	"event": "is not taken", "facts": "looks up something else", "commands": "causes other commands",
	"state": "leads to another state", "snapshot": "leads to another state than was stored",
}

// value is a side of a change: - as recorded, + as decided now.
func (a *app) value(raw []byte) string {
	const most = 200
	switch text := []rune(string(raw)); {
	case len(text) == 0:
		return "(nothing)"
	case len(text) > most:
		return a.theme.Clean(string(text[:most])) + "…"
	default:
		return a.theme.Clean(string(text))
	}
}

func (a *app) runsExport() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export RUN -o FILE",
		Short: "Write a run with all its events to a file, for replay",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.exportRun(cmd.Context(), args[0], file) },
	}
	cmd.Flags().StringVarP(&file, "output", "o", "-", "the `file`; - is standard output")
	return cmd
}

func (a *app) exportRun(ctx context.Context, run, file string) error {
	rec, err := a.recording(ctx, run)
	if err != nil {
		return err
	}
	if err := rec.WriteStates(); err != nil {
		return err
	}
	body, err := rec.Text()
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = a.out.Write(body)
		return err
	}
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return fault.New(fault.Invalid, "%s: %w", file, plainError(err))
	}
	return nil
}
