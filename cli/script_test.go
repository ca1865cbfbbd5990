package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-cd/slipway/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"slipway": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the command line on real pipelines with real platforms, each in
// a process of its own.
func TestScript(t *testing.T) {
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Values["environ"] = env.Vars
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"until": until, "capture": capture, "exits": exits, "normal": normal, "nothing": nothing,
		},
	})
}

// patience is how long a condition may take to come true.
const patience = 2 * time.Minute

// until runs a command again and again until its output matches, and leaves the
// output in the file seen: until REGEX PROGRAM ARG…
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEX PROGRAM ARG…")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	program, err := exec.LookPath(args[1]) // testscript puts ours on PATH
	ts.Check(err)
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		cmd := exec.Command(program, args[2:]...)
		cmd.Dir, cmd.Env = ts.MkAbs("."), ts.Value("environ").([]string)
		var out, problem strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &problem
		err := cmd.Run()
		if want.MatchString(out.String()) {
			ts.Check(os.WriteFile(ts.MkAbs("seen"), []byte(out.String()), 0o600))
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s never said %s (%v): %s%s", args[1:], want, err, &out, &problem)
		}
	}
}

// exits runs a command that must end with a status: exits STATUS PROGRAM ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG…")
	}
	err, got := ts.Exec(args[1], args[2:]...), 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%s ended with %d, not %s", args[1:], got, args[0])
	}
}

// capture sets a variable to the first group of a regex in a file or stdout:
// capture NAME FILE REGEX
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME FILE REGEX")
	}
	m := regexp.MustCompile("(?m)" + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if m == nil {
		ts.Fatalf("%s does not hold %s:\n%s", args[1], args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], m[1])
}

// changing is what differs from run to run, in the order it is replaced.
var changing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "<id>"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "<url>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "<time>"},
	{regexp.MustCompile(`\b(\d+m )?\d+(\.\d)?m?s\b`), "<t>"},
	{regexp.MustCompile(`<t> {2,}`), "<t>  "}, // columns are as wide as the widest
	{regexp.MustCompile(`TOOK {2,}`), "TOOK  "},
	{regexp.MustCompile(`(<id>\.[0-9.]+\.)[0-9a-f]{8}\b`), "$1<hash>"},
}

// normal writes stdout or a file, with what differs from run to run replaced, to
// another: normal FROM TO
func normal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normal FROM TO")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), ts.Getenv("WORK"), "<work>")
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.by)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// nothing checks that no file matches a pattern: nothing PATTERN
func nothing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nothing PATTERN")
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("found %s", found)
	}
}

func TestBashIsThere(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal("the scripts need bash")
	}
}
