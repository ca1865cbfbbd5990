// Command infra synthesises the stack that puts Slipway into an AWS account. CDK's
// command line runs it and gives it the parameters as context.
package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
	"github.com/slipway-cd/slipway/infra/stack"
)

func main() {
	defer jsii.Close()
	app := awscdk.NewApp(&awscdk.AppProps{AnalyticsReporting: jsii.Bool(false), TreeMetadata: jsii.Bool(false)})
	context, _ := app.Node().GetAllContext(nil).(map[string]any)
	s, err := settings.Parse(context)
	if err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
		jsii.Close()
		os.Exit(1)
	}
	stack.New(app, s)
	app.Synth(nil)
}
