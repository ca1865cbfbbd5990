// Command echo is a function for the smoke tests: it answers what it is asked to.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
)

type ask struct {
	Say   string          `json:"say"`
	Fail  string          `json:"fail"`
	Exit  bool            `json:"exit"`
	Sleep int             `json:"sleepMs"`
	Token string          `json:"token"`
	All   json.RawMessage `json:"Records"`
}

func main() {
	lambda.Start(func(_ context.Context, in ask) (map[string]any, error) {
		fmt.Println("asked to say", in.Say, in.Token, string(in.All))
		time.Sleep(time.Duration(in.Sleep) * time.Millisecond)
		if in.Exit {
			os.Exit(7)
		}
		if in.Fail != "" {
			return nil, errors.New(in.Fail)
		}
		if in.All != nil && os.Getenv("SEEN") != "" {
			return nil, os.WriteFile(os.Getenv("SEEN"), in.All, 0o600)
		}
		return map[string]any{"said": in.Say, "pid": os.Getpid()}, nil
	})
}
