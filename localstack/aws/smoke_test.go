package aws_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	sfntypes "github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"github.com/slipway-cd/slipway/localstack/aws"
)

const role = "arn:aws:iam::000000000000:role/smoke"

// config is for the endpoint of the suite; without one the test is skipped.
func config(t *testing.T) sdk.Config {
	t.Helper()
	endpoint := os.Getenv("SLIPWAY_AWS_ENDPOINT")
	if endpoint == "" {
		t.Skip("no SLIPWAY_AWS_ENDPOINT: run make test-aws")
	}
	return sdk.Config{
		Region:       aws.Region,
		BaseEndpoint: &endpoint,
		Credentials: sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
			return sdk.Credentials{AccessKeyID: aws.Key, SecretAccessKey: aws.Secret}, nil
		}),
	}
}

// archive builds the echo function for this machine, once.
var archive = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "slipway-smoke-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "bootstrap")
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", file, "./testdata/echo")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate}
	h.SetMode(fs.FileMode(0o755))
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
})

// deploy makes the echo function and returns its name.
func deploy(t *testing.T, client *lambda.Client, env map[string]string) string {
	t.Helper()
	code, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("smoke-%d", time.Now().UnixNano())
	arch := lambdatypes.ArchitectureX8664
	if out, err := exec.Command("go", "env", "GOARCH").Output(); err == nil && strings.TrimSpace(string(out)) == "arm64" {
		arch = lambdatypes.ArchitectureArm64
	}
	_, err = client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Role: sdk.String(role), Handler: sdk.String("bootstrap"), Runtime: lambdatypes.RuntimeProvidedal2023,
		Architectures: []lambdatypes.Architecture{arch}, Timeout: sdk.Int32(2), Code: &lambdatypes.FunctionCode{ZipFile: code},
		Environment: &lambdatypes.Environment{Variables: env},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = client.DeleteFunction(context.Background(), &lambda.DeleteFunctionInput{FunctionName: &name})
	})
	if err := lambda.NewFunctionActiveV2Waiter(client).Wait(t.Context(), &lambda.GetFunctionInput{FunctionName: &name}, time.Minute); err != nil {
		t.Fatal(err)
	}
	return name
}

// eventually waits for a condition, asking every 100 ms for 30 s.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for !done() {
		select {
		case <-late:
			t.Fatalf("waited 30 s for %s", what)
		case <-tick.C:
		}
	}
}

// pid is who answered an invocation.
func pid(t *testing.T, payload []byte) float64 {
	t.Helper()
	var answer struct{ PID float64 }
	if err := json.Unmarshal(payload, &answer); err != nil || answer.PID == 0 {
		t.Fatalf("no pid in %s: %v", payload, err)
	}
	return answer.PID
}

func TestFunction(t *testing.T) {
	client := lambda.NewFromConfig(config(t))
	name := deploy(t, client, nil)
	ask := func(payload string) (*lambda.InvokeOutput, error) {
		return client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: []byte(payload), LogType: lambdatypes.LogTypeTail})
	}
	for _, tc := range []struct{ name, payload, failed, want string }{
		{"a result", `{"say":"hello"}`, "", `"said":"hello"`},
		{"an error", `{"fail":"no such luck"}`, "Unhandled", `"errorMessage":"no such luck"`},
		{"a time-out", `{"sleepMs":5000}`, "Unhandled", `timed out after 2.00 seconds`},
		{"an exit", `{"exit":true}`, "Unhandled", `exit status 7`},
		{"a result after them", `{"say":"again"}`, "", `"said":"again"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := ask(tc.payload)
			if err != nil {
				t.Fatal(err)
			}
			if got := sdk.ToString(out.FunctionError); got != tc.failed || !strings.Contains(string(out.Payload), tc.want) {
				t.Errorf("answer %s, error %q; want %s, %q", out.Payload, got, tc.want, tc.failed)
			}
		})
	}
	t.Run("two at once are two processes", func(t *testing.T) {
		var pids [2]float64
		var wait sync.WaitGroup
		for i := range pids {
			wait.Go(func() {
				if out, err := ask(`{"say":"x","sleepMs":1000}`); err != nil {
					t.Error(err)
				} else {
					pids[i] = pid(t, out.Payload)
				}
			})
		}
		wait.Wait()
		if pids[0] == pids[1] {
			t.Errorf("both were answered by process %v", pids[0])
		}
	})
}

func TestTaskToken(t *testing.T) {
	c := config(t)
	functions, machines := lambda.NewFromConfig(c), sfn.NewFromConfig(c)
	name := deploy(t, functions, map[string]string{})
	definition := fmt.Sprintf(`{"StartAt":"Ask","States":{"Ask":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":%q,"Payload":{"say.$":"$.say","token.$":"$$.Task.Token"}},"TimeoutSeconds":60,"End":true}}}`, name)
	machine, err := machines.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{Name: &name, RoleArn: sdk.String(role), Definition: &definition})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = machines.DeleteStateMachine(context.Background(), &sfn.DeleteStateMachineInput{StateMachineArn: machine.StateMachineArn})
	})
	started, err := machines.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: machine.StateMachineArn, Input: sdk.String(`{"say":"hi"}`)})
	if err != nil {
		t.Fatal(err)
	}
	// The token is in the history, among the parameters of the scheduled task.
	token := ""
	eventually(t, "the function to be called", func() bool {
		history, err := machines.GetExecutionHistory(t.Context(), &sfn.GetExecutionHistoryInput{ExecutionArn: started.ExecutionArn, IncludeExecutionData: sdk.Bool(true)})
		if err != nil {
			t.Fatal(err)
		}
		called := false
		for _, e := range history.Events {
			called = called || e.Type == sfntypes.HistoryEventTypeTaskSubmitted
			if d := e.TaskScheduledEventDetails; d != nil {
				var p struct{ Payload struct{ Token string } }
				if err := json.Unmarshal([]byte(sdk.ToString(d.Parameters)), &p); err != nil {
					t.Fatal(err)
				}
				token = p.Payload.Token
			}
		}
		return called && token != ""
	})
	if _, err := machines.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: &token, Output: sdk.String(`{"done":true}`)}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the execution to end well", func() bool {
		d, err := machines.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: started.ExecutionArn})
		if err != nil || d.Status == sfntypes.ExecutionStatusFailed {
			t.Fatal(d, err)
		}
		return d.Status == sfntypes.ExecutionStatusSucceeded && sdk.ToString(d.Output) == `{"done":true}`
	})
}

func TestStream(t *testing.T) {
	c := config(t)
	functions, tables := lambda.NewFromConfig(c), dynamodb.NewFromConfig(c)
	seen := filepath.Join(t.TempDir(), "seen")
	name := deploy(t, functions, map[string]string{"SEEN": seen})
	table, err := tables.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: dynamotypes.BillingModePayPerRequest,
		KeySchema:            []dynamotypes.KeySchemaElement{{AttributeName: sdk.String("PK"), KeyType: dynamotypes.KeyTypeHash}},
		AttributeDefinitions: []dynamotypes.AttributeDefinition{{AttributeName: sdk.String("PK"), AttributeType: dynamotypes.ScalarAttributeTypeS}},
		StreamSpecification:  &dynamotypes.StreamSpecification{StreamEnabled: sdk.Bool(true), StreamViewType: dynamotypes.StreamViewTypeNewImage},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = tables.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
	})
	mapping, err := functions.CreateEventSourceMapping(t.Context(), &lambda.CreateEventSourceMappingInput{
		FunctionName: &name, EventSourceArn: table.TableDescription.LatestStreamArn,
		StartingPosition: lambdatypes.EventSourcePositionTrimHorizon, BatchSize: sdk.Int32(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = functions.DeleteEventSourceMapping(context.Background(), &lambda.DeleteEventSourceMappingInput{UUID: mapping.UUID})
	})
	item := map[string]dynamotypes.AttributeValue{"PK": &dynamotypes.AttributeValueMemberS{Value: "first"}}
	if _, err := tables.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the record to reach the function", func() bool {
		body, err := os.ReadFile(seen)
		return err == nil && strings.Contains(string(body), `"first"`)
	})
}
