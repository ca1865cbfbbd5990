package function

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"

	"github.com/slipway-cd/slipway/shared/aws/lambdahttp"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxEvent is the largest event of an asynchronous or synchronous invocation.
const maxEvent = 6 << 20

// HTTP serves a door behind API Gateway, or on $PORT. authorize stands before
// what no authorizer has vouched for: everything on $PORT, and what a stack
// without its authorizer lets through. It is nil for doors that take no principal.
func HTTP(door http.Handler, authorize func(http.Handler) http.Handler) {
	slog.SetDefault(log())
	served := door
	if authorize != nil {
		served = vouched(door, authorize(door))
	}
	if !local() {
		lambda.Start(lambdahttp.Handler(served))
		return
	}
	serve(served)
}

// vouched leads a request with a principal to the door, without the credentials
// that the authorizer has looked at already.
func vouched(door, authorize http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if core.PrincipalOf(r.Context()).Kind == "" {
			authorize.ServeHTTP(w, r)
			return
		}
		httpio.Strip(r.Header)
		door.ServeHTTP(w, r)
	})
}

// Invoked serves a function that takes and returns JSON. Its errors bear the name
// that state machines retry and catch by (package fault).
func Invoked[In, Out any](fn func(context.Context, In) (Out, error)) {
	slog.SetDefault(log())
	if !local() {
		lambda.Start(named(fn))
		return
	}
	serve(asJSON(fn))
}

// asJSON is a function on $PORT: an event in the body, its answer or its error,
// as Lambda words it, in the response's.
func asJSON[In, Out any](handle func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := httpio.Bytes(r, maxEvent)
		var in In
		if err == nil && json.Unmarshal(body, &in) != nil {
			err = fault.New(fault.Invalid, "the body is not the event that this function takes")
		}
		var answer any
		if err == nil {
			answer, err = handle(r.Context(), in)
		}
		status := http.StatusOK
		if err != nil {
			status, answer = fault.ClassOf(err).HTTP, name(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	})
}

// named gives a function's errors their name and logs them.
func named[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := fn(ctx, in)
		if err == nil {
			return out, nil
		}
		slog.ErrorContext(ctx, "failed", "kind", fault.ClassOf(err).ASL, "error", err)
		return out, name(err)
	}
}

// name is an error as Lambda tells it: by the name that state machines retry and
// catch by.
func name(err error) messages.InvokeResponse_Error {
	return messages.InvokeResponse_Error{Type: fault.ClassOf(err).ASL, Message: err.Error()}
}

// Authorizer serves the REQUEST authorizer of API Gateway.
func Authorizer(authorize func(ctx context.Context, token, as, path string) (core.Principal, error)) {
	slog.SetDefault(log())
	handle := lambdahttp.Authorizer(authorize)
	if !local() {
		lambda.Start(handle)
		return
	}
	serve(asJSON(handle))
}

// local reports that there is no Lambda around this process.
func local() bool { return os.Getenv("AWS_LAMBDA_RUNTIME_API") == "" }

// serve answers on $HOST:$PORT, on 127.0.0.1 without HOST, until the process is told to end.
func serve(h http.Handler) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cmp.Or(os.Getenv("HOST"), "127.0.0.1"), os.Getenv("PORT")))
	if err != nil {
		slog.ErrorContext(ctx, "cannot listen; set PORT", "error", err)
		os.Exit(1) //nolint:gocritic // nothing is under way
	}
	_, _ = io.WriteString(os.Stderr, "serving http://"+listener.Addr().String()+"\n")
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		<-ctx.Done()
		_ = server.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		slog.ErrorContext(ctx, "serving has ended", "error", err)
		os.Exit(1)
	}
	<-answered // what was under way
}
