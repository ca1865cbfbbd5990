// Command relay is a function that hands each invocation to the test that made it,
// at the URL in RELAY_URL, and answers what the test does.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"
)

func main() { lambda.Start(relay) }

func relay(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("RELAY_URL"), bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return body, nil
	}
	if kind := response.Header.Get("Error-Type"); kind != "" {
		return nil, messages.InvokeResponse_Error{Type: kind, Message: string(body)}
	}
	return nil, fmt.Errorf("status %d: %s", response.StatusCode, body)
}
