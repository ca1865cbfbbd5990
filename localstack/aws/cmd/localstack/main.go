// Command localstack runs a command beside a LocalStack of its own, without
// Docker: localstack [-expose] -- go test ./shared/aws/...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/slipway-cd/slipway/localstack/aws"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "localstack:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(ctx context.Context) (int, error) {
	flags := flag.NewFlagSet("localstack", flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: localstack [flags] -- COMMAND [ARGUMENTS]\n       localstack -install\nRuns the command with AWS_ENDPOINT_URL and credentials of a LocalStack that is gone when it ends.")
		flags.PrintDefaults()
	}
	install := flags.Bool("install", false, "only install what is missing")
	expose := flags.Bool("expose", false, "do without a network namespace of its own: DynamoDB Local then listens on every interface of this machine")
	port := flags.Int("port", 0, "`port` on 127.0.0.1; a free one unless given")
	logs := flags.Bool("logs", false, "print the end of LocalStack's log even when the command succeeds")
	_ = flags.Parse(os.Args[1:])
	c := aws.Config{Port: *port, Expose: *expose, Log: os.Stderr}
	switch {
	case *install:
		_, err := aws.Install(ctx, c)
		return 0, err
	case flags.NArg() == 0:
		flags.Usage()
		return 2, nil
	case !*expose && !aws.Inside():
		// The network is there only out here.
		if _, err := aws.Install(ctx, c); err != nil {
			return 1, err
		}
		code, err := aws.Enter(ctx)
		if errors.Is(err, aws.ErrNoNamespace) {
			err = fmt.Errorf("%w, and without one DynamoDB Local listens on every interface; -expose accepts that", err)
		}
		return code, err
	}
	return beside(ctx, c, flags.Args(), *logs)
}

// beside runs the command while LocalStack runs, and returns its exit code.
func beside(ctx context.Context, c aws.Config, args []string, logs bool) (int, error) {
	instance, err := aws.Start(ctx, c)
	if err != nil {
		return 1, err
	}
	defer instance.Stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user's own
	cmd.Env = append(os.Environ(), instance.Env()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = cmd.Run()
	if logs || err != nil {
		fmt.Fprintf(os.Stderr, "localstack: the end of its log:\n%s\n", instance.Log())
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
