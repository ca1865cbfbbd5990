package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/aws/function/runtimetest"
)

const (
	coldStarts = 20
	coldAim    = "≤ 15ms"
)

// refused is an event that the api's door answers without looking anything up: a
// run of nothing.
const refused = `{"httpMethod":"POST","path":"/slipway/v1/runs","body":"{}","headers":{"content-type":"application/json"},
	"requestContext":{"authorizer":{"principal":"{\"kind\":\"user\",\"account\":\"default\",\"actor\":{\"id\":\"bench\"}}"}}}`

// cold measures, on this machine's architecture, how long each function's program
// takes from its start until it asks for an event, and the api until it has
// answered one.
func cold(ctx context.Context, dir string) error {
	mains, err := filepath.Glob("functions/*/main.go")
	if err != nil {
		return err
	}
	row("load of this machine when cold starts begin", "1, 5, 15 m", load(), "")
	for _, main := range mains {
		name := filepath.Base(filepath.Dir(main))
		bin := filepath.Join(dir, "fn-"+name)
		build := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./functions/"+name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w: %s", name, err, out)
		}
		var asked, answered []time.Duration
		for range coldStarts {
			event := ""
			if name == "api" || name == "catalogue" {
				event = refused
			}
			toAsk, toAnswer, err := coldOnce(ctx, bin, event)
			if err != nil {
				return fmt.Errorf("starting %s: %w", name, err)
			}
			asked, answered = append(asked, toAsk), append(answered, toAnswer)
		}
		row("function "+name+", exec to first event", "p50", median(asked).String(), coldAim)
		if answered[0] > 0 {
			row("function "+name+", exec to first answer", "p50", median(answered).String(), "")
		}
	}
	return nil
}

// coldOnce starts a function and gives it an event, unless that is empty.
func coldOnce(ctx context.Context, bin, event string) (asked, answered time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	begin := time.Now()
	f, err := runtimetest.Start(ctx, bin, io.Discard)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	if err := f.Ready(ctx); err != nil {
		return 0, 0, err
	}
	asked = time.Since(begin)
	if event == "" {
		return asked, 0, nil
	}
	r, err := f.Invoke(ctx, []byte(event))
	if err == nil && !strings.Contains(string(r.Body), `"statusCode":400`) {
		err = fmt.Errorf("the answer is %s", r.Body)
	}
	return asked, time.Since(begin), err
}

func median(each []time.Duration) time.Duration {
	slices.Sort(each)
	return each[len(each)/2].Round(10 * time.Microsecond)
}

// load is the machine's load average, which says what the times are worth.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown here"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
