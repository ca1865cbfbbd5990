//go:build unix

package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/shared/wire"
)

type clock struct{}

func (clock) Now() time.Time { return time.Now() }
func (clock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// newJob is a job whose output the buffers take.
func newJob(t testing.TB, spec any, secrets map[string]string) (job *Job, stdout, stderr *bytes.Buffer) {
	t.Helper()
	b, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &Job{
		Task: wire.Task{TaskRef: wire.TaskRef{Run: "r1", ID: "key-1", Fence: 3}, Node: "n", Attempt: 2, Spec: b, Secrets: secrets},
		Dir:  t.TempDir(), Stdout: stdout, Stderr: stderr, Clock: clock{}, Grace: 200 * time.Millisecond,
		Recorded: func(process.Identity) error { return nil },
	}, stdout, stderr
}

func scriptSpec(script string, env, outputs []map[string]any) map[string]any {
	return map[string]any{
		"shell": "Bash", "source": map[string]any{"type": "Inline", "spec": map[string]any{"script": script}},
		"environmentVariables": env, "outputVariables": outputs,
	}
}

func names(list ...string) (out []map[string]any) {
	for _, n := range list {
		out = append(out, map[string]any{"name": n, "type": "String"})
	}
	return out
}

func TestShellScriptOutputs(t *testing.T) {
	tests := map[string]struct {
		script   string
		want     map[string]any // nil for none published
		exitCode int
	}{
		"plain":                    {"a=1; b='x y'", map[string]any{"a": "1", "b": "x y"}, 0},
		"no line end":              {"a=1", map[string]any{"a": "1", "b": nil}, 0},
		"ends in a comment":        {"a=1 # the end", map[string]any{"a": "1", "b": nil}, 0},
		"ends in a here-document":  {"a=$(cat <<EOF\none\ntwo\nEOF\n)\ncat <<X\nx\nX", map[string]any{"a": "one\ntwo", "b": nil}, 0},
		"many lines, quotes":       {"a=$'1\\n\"2\\'\\n\\n'", map[string]any{"a": "1\n\"2'\n\n", "b": nil}, 0},
		"empty is not unset":       {"a=", map[string]any{"a": "", "b": nil}, 0},
		"bytes that are no text":   {"a=$'x\\xff'", map[string]any{"a": "x\uFFFD", "b": nil}, 0},
		"exported, then cd":        {"export a=1; cd /", map[string]any{"a": "1", "b": nil}, 0},
		"set -eux":                 {"set -eux; a=1", map[string]any{"a": "1", "b": nil}, 0},
		"debug trap":               {"trap 'echo $BASH_COMMAND >&2' DEBUG; a=1", map[string]any{"a": "1", "b": nil}, 0},
		"noclobber, odd IFS":       {"set -C; IFS=1; a=111", map[string]any{"a": "111", "b": nil}, 0},
		"printf overridden":        {"printf() { echo no; }; a=1", map[string]any{"a": "1", "b": nil}, 0},
		"exit trap":                {"trap 'echo bye' EXIT; a=1", map[string]any{"a": "1", "b": nil}, 0},
		"output closed":            {"exec >/dev/null 2>&1 </dev/null; a=1", map[string]any{"a": "1", "b": nil}, 0},
		"return at the top":        {"a=1; return 0; a=2", map[string]any{"a": "1", "b": nil}, 0},
		"last command fails":       {"a=1; false", map[string]any{"a": "1", "b": nil}, 1},
		"return with a status":     {"a=1; return 4", map[string]any{"a": "1", "b": nil}, 4},
		"exit loses them":          {"a=1; exit 0", nil, 0},
		"exit with a status":       {"a=1; exit 3", nil, 3},
		"set -e ends it":           {"set -e; a=1; false; a=2", nil, 1},
		"a subshell sets nothing":  {"(a=1)", map[string]any{"a": nil, "b": nil}, 0},
		"exit trap changes status": {"trap 'exit 9' EXIT; a=1", map[string]any{"a": "1", "b": nil}, 9},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			job, stdout, stderr := newJob(t, scriptSpec(tc.script, nil, names("a", "b")), nil)
			got := (&ShellScript{}).Run(context.Background(), job)
			want := map[string]any{"outputVariables": tc.want, "exitCode": tc.exitCode}
			if tc.want == nil {
				want["outputVariables"] = map[string]any{}
			}
			if diff := cmp.Diff(want, got.Outputs); diff != "" {
				t.Errorf("%s\nstdout %s\nstderr %s", diff, stdout, stderr)
			}
			if got.OK != (tc.exitCode == 0) {
				t.Errorf("outcome = %+v", got)
			}
			if m := fmt.Sprintf("the script ended with exit status %d", tc.exitCode); !got.OK && (got.Failure.Message != m || got.Failure.Types[0] != Unknown) {
				t.Errorf("failure = %+v", got.Failure)
			}
			if strings.Contains(stderr.String(), "__slipway") || strings.Contains(stderr.String(), "builtin") {
				t.Errorf("the launcher shows: %s", stderr)
			}
		})
	}
}

func TestShellScriptSees(t *testing.T) {
	t.Setenv("SECRET_OF_THE_DELEGATE", "x")
	t.Setenv("DELEGATE_EXTRA_1", "extra")
	job, stdout, stderr := newJob(t, scriptSpec(`
echo "$# args, stdin $(wc -c), in $PWD, fd3 $(true 2>/dev/null <&3 && echo open || echo closed)"
echo "$SLIPWAY_RUN $SLIPWAY_IDEMPOTENCY_KEY $SLIPWAY_FENCE $SLIPWAY_ATTEMPT $HARNESS_EXECUTION_ID"
echo "[$SECRET_OF_THE_DELEGATE] $DELEGATE_EXTRA_1 $one $two $three"
[ "$0" = "$BASH_SOURCE" ] && [ -x "$0" ] && echo "line $LINENO"
`, []map[string]any{
		{"name": "one", "value": "${ngSecretManager.obtain(\"account.pw\")}!"}, {"name": "two", "value": 1.50}, {"name": "three", "value": true},
		{"name": "SLIPWAY_FENCE", "value": "99"},
	}, nil), map[string]string{"account.pw": "it's"})
	got := (&ShellScript{Env: []string{"DELEGATE_EXTRA_*"}}).Run(context.Background(), job)
	want := fmt.Sprintf("0 args, stdin 0, in %s, fd3 closed\nr1 key-1 3 2 r1\n[] extra it's! 1.5 true\nline 5\n", job.Dir)
	if diff := cmp.Diff(want, stdout.String()); diff != "" || !got.OK {
		t.Errorf("%s\n%+v\n%s", diff, got, stderr)
	}
}

// TestSecretScript keeps what is secret off the disk: the script that holds the
// value and the output that is made of it.
func TestSecretScript(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files in memory are for Linux")
	}
	spec := scriptSpec(`made="${ngSecretManager.obtain("account.pw")}-made"; grep -rl 'pss.word' . ; echo "looked"`, nil, nil)
	spec["outputVariables"] = []map[string]any{{"name": "made", "type": "Secret", "value": "made"}}
	job, stdout, stderr := newJob(t, spec, map[string]string{"account.pw": "pss-word"})
	got := (&ShellScript{}).Run(context.Background(), job)
	if !got.OK || got.Secret["made"] != "pss-word-made" || stdout.String() != "looked\n" {
		t.Errorf("%+v\n%s%s", got, stdout, stderr)
	}
}

func TestShellScriptRefuses(t *testing.T) {
	big := "a=$(head -c 300000 /dev/zero | tr '\\0' x); b=$a"
	tests := map[string]struct {
		runner ShellScript
		spec   map[string]any
		want   string
	}{
		"unknown secret": {ShellScript{}, scriptSpec(`echo ${ngSecretManager.obtain("org.no")}`, nil, nil), `the secret "org.no" was not given`},
		"variable name":  {ShellScript{}, scriptSpec("true", []map[string]any{{"name": "a b", "value": "x"}}, nil), `environment variable "a b" is not a name`},
		"output name":    {ShellScript{}, scriptSpec("true", nil, []map[string]any{{"name": "a", "value": "$(id)"}}), `"$(id)" is not a name`},
		"powershell":     {ShellScript{}, map[string]any{"shell": "PowerShell"}, "not supported yet: shell PowerShell"},
		"file store":     {ShellScript{}, map[string]any{"source": map[string]any{"type": "Harness"}}, "not supported yet: scripts of source type Harness"},
		"no bash":        {ShellScript{Bash: "/nowhere/bash"}, scriptSpec("true", nil, nil), "/nowhere/bash"},
		"large outputs":  {ShellScript{}, scriptSpec(big, nil, names("a", "b")), "larger than 512 KB together"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			job, _, _ := newJob(t, tc.spec, map[string]string{"other": "value-of-other"})
			got := tc.runner.Run(context.Background(), job)
			if got.OK || !strings.Contains(got.Failure.Message, tc.want) {
				t.Errorf("outcome = %+v, want %q", got.Failure, tc.want)
			}
		})
	}
}

func TestBashIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	job, _, _ := newJob(t, scriptSpec("true", nil, nil), nil)
	if got := (&ShellScript{}).Run(context.Background(), job); got.OK || !strings.Contains(got.Failure.Message, "bash was not found") {
		t.Errorf("outcome = %+v", got)
	}
}

func TestShellScriptWithoutARecordDoesNothing(t *testing.T) {
	out := t.TempDir() + "/ran"
	job, _, _ := newJob(t, scriptSpec("touch "+out, nil, nil), nil)
	job.Recorded = func(process.Identity) error { return fmt.Errorf("disk full") }
	if got := (&ShellScript{}).Run(context.Background(), job); got.OK || !strings.Contains(got.Failure.Message, "disk full") {
		t.Errorf("outcome = %+v", got)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the script ran without a record of its process")
	}
}

func TestShellScriptDoesNotHangOnItsChildren(t *testing.T) {
	tests := map[string]string{
		"in the group":       "sleep 66 & echo $! ",
		"in another session": "setsid sleep 67 & echo $! ",
		"another group":      "set -m; sleep 68 & echo $! ",
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			job, stdout, _ := newJob(t, scriptSpec(script, nil, nil), nil)
			began := time.Now()
			got := (&ShellScript{}).Run(context.Background(), job)
			if !got.OK || stdout.Len() == 0 || time.Since(began) > 20*time.Second {
				t.Errorf("outcome = %+v after %v, output %q", got, time.Since(began), stdout)
			}
		})
	}
}

func TestShellScriptKilledBySignal(t *testing.T) {
	job, _, _ := newJob(t, scriptSpec("kill -9 $$", nil, nil), nil)
	got := (&ShellScript{}).Run(context.Background(), job)
	if got.OK || got.Failure.Message != "the script was ended by a signal: killed" || got.Outputs["exitCode"] != 137 {
		t.Errorf("outcome = %+v", got)
	}
}

func TestNothingSecretInArguments(t *testing.T) {
	job, stdout, _ := newJob(t, scriptSpec(`x=${ngSecretManager.obtain("pw")}; ps -o args= -p $$ 2>/dev/null || tr '\0' ' ' </proc/$$/cmdline`, nil, nil), map[string]string{"pw": "hunter2"})
	if (&ShellScript{}).Run(context.Background(), job); strings.Contains(stdout.String(), "hunter2") || stdout.Len() == 0 {
		t.Errorf("arguments: %s", stdout)
	}
}
