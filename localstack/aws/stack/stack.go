// Package stack looks at a deployed control plane from behind, as only its tests
// may: its outputs, its records, a queue behind its bus, the processes of its
// functions, and their settings.
package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/slipway-cd/slipway/localstack/aws"
	"github.com/slipway-cd/slipway/shared/aws/function"
	"github.com/slipway-cd/slipway/shared/core"
)

// OutputsEnv names the variable that says in which file the outputs of the stack
// are, as `infra/localstack` prints them.
const OutputsEnv = "SLIPWAY_STACK"

// ErrNone says that no stack was deployed for this process.
var ErrNone = errors.New("needs a deployed stack: `make test-aws` deploys one into LocalStack and runs this")

// Stack is a deployed control plane.
type Stack struct {
	Name   string `json:"Name"`
	URL    string `json:"ApiUrl"`
	Table  string `json:"Table"`
	Bucket string `json:"Bucket"`
	Bus    string `json:"Bus"`

	Machines  string `json:"Machines"`  // prefix of their ARNs
	Functions string `json:"Functions"` // prefix of theirs
	Schedules string `json:"Schedules"` // group

	config sdk.Config
}

// Open reads the outputs of the stack that was deployed for this process; ErrNone
// when there is none.
func Open() (*Stack, error) {
	file, endpoint := os.Getenv(OutputsEnv), os.Getenv("SLIPWAY_AWS_ENDPOINT")
	if file == "" || endpoint == "" {
		return nil, ErrNone
	}
	body, err := os.ReadFile(file) //nolint:gosec // named by whoever runs the tests
	if err != nil {
		return nil, err
	}
	s := &Stack{}
	if err := json.Unmarshal(body, s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.Name == "" || s.URL == "" || s.Table == "" || s.Bucket == "" || s.Bus == "" {
		return nil, fmt.Errorf("%s has no Name, ApiUrl, Table, Bucket or Bus: %s", file, body)
	}
	s.config = sdk.Config{Region: aws.Region, BaseEndpoint: &endpoint, Credentials: sdk.CredentialsProviderFunc(
		func(context.Context) (sdk.Credentials, error) {
			return sdk.Credentials{AccessKeyID: aws.Key, SecretAccessKey: aws.Secret}, nil
		})}
	return s, nil
}

// AdminToken is the first admin's.
func (s *Stack) AdminToken(ctx context.Context) (string, error) {
	out, err := secretsmanager.NewFromConfig(s.config).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{
		SecretId: sdk.String(s.Name + "/admin-token")})
	if err != nil {
		return "", err
	}
	return sdk.ToString(out.SecretString), nil
}

// Set gives a function settings beside those it has.
func (s *Stack) Set(ctx context.Context, function string, settings map[string]string) error {
	client, name := lambda.NewFromConfig(s.config), sdk.String(s.Name+"-"+function)
	now, err := client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: name})
	if err != nil {
		return err
	}
	env := now.Environment
	for k, v := range settings {
		env.Variables[k] = v
	}
	_, err = client.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: name,
		Environment: environment(env.Variables)})
	if err != nil {
		return err
	}
	return lambda.NewFunctionUpdatedV2Waiter(client).Wait(ctx, &lambda.GetFunctionInput{FunctionName: name}, time.Minute)
}

// Invoke runs a function and returns what it answers; its own failure is an error.
func (s *Stack) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	out, err := lambda.NewFromConfig(s.config).Invoke(ctx, &lambda.InvokeInput{FunctionName: sdk.String(s.Name + "-" + function), Payload: payload})
	if err != nil {
		return nil, err
	}
	if out.FunctionError != nil {
		return out.Payload, fmt.Errorf("%s failed: %s", function, out.Payload)
	}
	return out.Payload, nil
}

// Ports are the ways to the world that the stack's functions use.
func (s *Stack) Ports() core.Ports {
	return function.Settings{Table: s.Table, Bucket: s.Bucket, Bus: s.Bus, Machines: s.Machines, Functions: s.Functions,
		Schedules: s.Schedules, Secrets: s.Name + "/"}.Ports()
}
