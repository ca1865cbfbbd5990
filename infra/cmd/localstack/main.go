// Command localstack deploys the synthesised stack into the LocalStack at
// AWS_ENDPOINT_URL and prints its outputs as JSON; infra/localstack calls it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/slipway-cd/slipway/infra/standin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv("AWS_ENDPOINT_URL"))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "infra/localstack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, endpoint string) error {
	if len(args) != 1 || endpoint == "" {
		return fmt.Errorf("it takes the folder of a synthesised stack, and a LocalStack at AWS_ENDPOINT_URL")
	}
	outputs, err := standin.Deploy(ctx, args[0], endpoint)
	if err != nil {
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(outputs)
}
