// Package runtimetest is the Lambda Runtime API on this machine: it starts a
// function's program as Lambda would and invokes it, for tests and the benchmark.
package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Function is a running program and the Runtime API that it asks for events.
type Function struct {
	server *httptest.Server
	cmd    *exec.Cmd
	asked  chan struct{} // the function asks for an event
	events chan []byte
	ends   chan Result
	exited chan error
}

// Result is what an invocation ended with.
type Result struct {
	Failed bool   // the body is an error: errorType, errorMessage
	Body   []byte // JSON
}

// version begins every path of the Runtime API.
const version = "/2018-06-01/runtime/"

// Start runs a program with an environment of its own, "NAME=value". Its output
// goes to log. Close ends it.
func Start(ctx context.Context, program string, log io.Writer, env ...string) (*Function, error) {
	f := &Function{asked: make(chan struct{}), events: make(chan []byte), ends: make(chan Result, 1), exited: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+version+"invocation/next", f.next)
	mux.HandleFunc("POST "+version+"invocation/{id}/response", f.end(false))
	mux.HandleFunc("POST "+version+"invocation/{id}/error", f.end(true))
	f.server = httptest.NewServer(mux)
	f.cmd = exec.CommandContext(ctx, program)
	f.cmd.Stdout, f.cmd.Stderr = log, log
	f.cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(f.server.URL, "http://"), "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_LAMBDA_FUNCTION_NAME=f", "PATH=" + os.Getenv("PATH")}, env...)
	if err := f.cmd.Start(); err != nil {
		f.server.Close()
		return nil, err
	}
	go func() { f.exited <- f.cmd.Wait() }()
	return f, nil
}

// next holds the function's request until there is an event.
func (f *Function) next(w http.ResponseWriter, r *http.Request) {
	select {
	case f.asked <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	select {
	case event := <-f.events:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", "1")
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:f")
		_, _ = w.Write(event)
	case <-r.Context().Done():
	}
}

func (f *Function) end(failed bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		select {
		case f.ends <- Result{failed, body}:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusAccepted)
	}
}

// Ready waits until the function asks for its next event.
func (f *Function) Ready(ctx context.Context) error {
	return wait(ctx, f, f.asked, func(struct{}) {})
}

// Invoke gives an event to a function that is Ready and waits for its end.
func (f *Function) Invoke(ctx context.Context, event []byte) (Result, error) {
	var out Result
	select {
	case f.events <- event:
	case <-ctx.Done():
		return out, ctx.Err()
	}
	err := wait(ctx, f, f.ends, func(r Result) { out = r })
	return out, err
}

func wait[T any](ctx context.Context, f *Function, c <-chan T, take func(T)) error {
	select {
	case v := <-c:
		take(v)
		return nil
	case err := <-f.exited:
		f.exited <- err
		return fmt.Errorf("the function has ended by itself: %w", errors.Join(err, errExited))
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errExited = errors.New("it was not told to")

// Close ends the program and waits for it.
func (f *Function) Close() {
	_ = f.cmd.Process.Kill()
	<-f.exited
	f.server.CloseClientConnections()
	f.server.Close()
}
