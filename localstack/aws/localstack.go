// Package aws runs LocalStack where there is no Docker: it installs it into the
// cache, starts it as processes of this machine and stops it with all that it
// started. Functions run as host processes too.
package aws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Region and the credentials are what LocalStack is asked with: it knows no others.
const (
	Region = "us-east-1"
	Key    = "test"
	Secret = "test"
)

const (
	readyWithin = 90 * time.Second // it takes 3 s on an idle machine
	stopWithin  = 10 * time.Second
	tailLines   = 60
)

// ErrNoNamespace says that this system gives no network namespace.
var ErrNoNamespace = errors.New("no network namespace can be made here (it takes Linux, and root or unprivileged user namespaces)")

// Config says how to start LocalStack. The zero value is fit for use.
type Config struct {
	Cache  string    // folder of installations; "" for ${XDG_CACHE_HOME:-~/.cache}/slipway
	Port   int       // on 127.0.0.1; 0 picks a free one
	Expose bool      // start although DynamoDB Local will listen on every interface
	Log    io.Writer // what happens, for people; nil for nowhere
}

// say tells people what happens.
func (c Config) say(format string, args ...any) {
	if c.Log != nil {
		fmt.Fprintf(c.Log, "localstack: "+format+"\n", args...)
	}
}

// Instance is a running LocalStack with data of its own, which is gone after Stop.
type Instance struct {
	port   int
	root   string // its file system: data, temporary files, unpacked functions
	cmd    *exec.Cmd
	out    *watched
	ended  chan struct{} // closed when the first process has ended
	stop   sync.Once
	failed error
}

// Start installs LocalStack if need be, starts it and returns when it is ready.
// Unless Expose is set it refuses a network that others can reach; see Enter.
func Start(ctx context.Context, c Config) (*Instance, error) {
	if !c.Expose && !isolated() {
		return nil, errors.New("DynamoDB Local listens on every interface: start LocalStack in a network namespace of its own (aws.Enter), or expose it knowingly (-expose)")
	}
	home, err := Install(ctx, c)
	if err != nil {
		return nil, err
	}
	i := &Instance{port: c.Port, out: newWatched("Ready."), ended: make(chan struct{})}
	if i.port == 0 {
		if i.port, err = freePort(ctx); err != nil {
			return nil, err
		}
	}
	if i.root, err = layOut(home); err != nil {
		return nil, err
	}
	i.cmd = exec.Command(home.python(), "-m", "localstack.runtime.main") //nolint:gosec,noctx // Stop ends it with all it started
	i.cmd.Dir = i.root
	i.cmd.Env = i.environment(home)
	i.cmd.Stdout, i.cmd.Stderr = i.out, i.out
	i.cmd.WaitDelay = stopWithin
	group(i.cmd)
	c.say("starting %s on %s", filepath.Base(home.dir), i.Endpoint())
	if err := i.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(i.root))
	}
	go func() {
		i.failed = i.cmd.Wait()
		close(i.ended)
	}()
	if err := i.ready(ctx); err != nil {
		i.Stop()
		return nil, fmt.Errorf("%w; the last lines of its log:\n%s", err, i.Log())
	}
	return i, nil
}

// ready waits for the line that says so.
func (i *Instance) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case <-i.out.seen:
		return nil
	case <-i.ended:
		return fmt.Errorf("LocalStack ended while it started: %w", i.failed)
	case <-ctx.Done():
		return fmt.Errorf("LocalStack is not ready: %w", ctx.Err())
	}
}

// Endpoint is the URL of every service.
func (i *Instance) Endpoint() string { return fmt.Sprintf("http://127.0.0.1:%d", i.port) }

// Env is what clients and tests need to know, as NAME=value.
func (i *Instance) Env() []string {
	return []string{
		"AWS_ENDPOINT_URL=" + i.Endpoint(),
		"SLIPWAY_AWS_ENDPOINT=" + i.Endpoint(),
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + Key,
		"AWS_SECRET_ACCESS_KEY=" + Secret,
		"AWS_EC2_METADATA_DISABLED=true",
	}
}

// Log is the end of what LocalStack and the functions have printed.
func (i *Instance) Log() string { return i.out.tail(tailLines) }

// Stop ends LocalStack and everything it started, functions included, and deletes
// its data. It may be called more than once.
func (i *Instance) Stop() {
	i.stop.Do(func() {
		end(i.cmd, i.ended, "FILESYSTEM_ROOT="+i.root)
		_ = os.RemoveAll(i.root)
	})
}

// environment is LocalStack's own: ours without what would lead it astray.
func (i *Instance) environment(home *home) []string {
	address := fmt.Sprintf("127.0.0.1:%d", i.port)
	env := without(os.Environ(), "AWS_", "LOCALSTACK_", "PYTHON", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
	return append(env,
		"PATH="+filepath.Join(home.dir, "venv", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+filepath.Join(i.root, "cache"),
		"PYTHONUNBUFFERED=1",
		"GATEWAY_LISTEN="+address,
		fmt.Sprintf("LOCALSTACK_HOST=localhost:%d", i.port),
		"FILESYSTEM_ROOT="+i.root,
		"OVERRIDE_IN_DOCKER=0", // in a container, too, it is a host process
		"SKIP_SSL_CERT_DOWNLOAD=1",
		"DISABLE_EVENTS=1",
		"LS_LOG=warning", // not a line for each request
		"SQS_DISABLE_CLOUDWATCH_METRICS=1",
		"DNS_ADDRESS=0",
		"LAMBDA_RUNTIME_EXECUTOR=process",
		"PROVIDER_OVERRIDE_DYNAMODB=v2",
		"DYNAMODB_IN_MEMORY=1",
	)
}

// without drops the variables whose names begin with one of the prefixes.
func without(env []string, prefixes ...string) []string {
	var kept []string
	for _, e := range env {
		drop := false
		for _, p := range prefixes {
			drop = drop || strings.HasPrefix(e, p)
		}
		if !drop {
			kept = append(kept, e)
		}
	}
	return kept
}

// layOut makes a file system of its own for an instance, in which the downloads
// of the installation are linked.
func layOut(home *home) (string, error) {
	root, err := os.MkdirTemp("", "slipway-localstack-")
	if err != nil {
		return "", err
	}
	lib := filepath.Join(root, "var", "lib", "localstack")
	err = os.MkdirAll(lib, 0o700)
	if err == nil {
		err = os.Symlink(home.lib(), filepath.Join(lib, "lib"))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(root))
	}
	return root, nil
}

func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
