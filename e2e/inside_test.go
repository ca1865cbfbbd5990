package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// inside is a platform in this process.
type inside struct {
	*platform.Platform
	t     *testing.T
	admin *client.Client
	alice *client.Client
}

func startInside(t *testing.T, cfg platform.Config) *inside {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.AllowAs = true
	p, err := platform.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	in := &inside{Platform: p, t: t}
	in.admin, _ = client.New(p.URL(), p.AdminToken(), "")
	in.alice, _ = client.New(p.URL(), p.AdminToken(), "alice")
	return in
}

// launch starts a run of the YAML.
func (in *inside) launch(yaml string, inputs map[string]string) string {
	in.t.Helper()
	out, err := in.admin.Launch(in.t.Context(), client.Launch{YAML: yaml, File: "test.yaml", Inputs: inputs, Library: library(in.t, yaml)})
	if err != nil {
		in.t.Fatal(err)
	}
	return out.Run
}

// until polls the run until it is as wanted.
func (in *inside) until(run string, ok func(view.Run) bool) view.Run {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), time.Minute)
	defer cancel()
	var r view.Run
	for ctx.Err() == nil {
		var err error
		if r, err = in.Views().Run(ctx, core.DefaultAccount, run); err == nil && ok(r) {
			return r
		}
		wait(2 * time.Millisecond)
	}
	in.t.Fatalf("it never came to that: %s", show(r))
	return r
}

// wait lets a little time pass between two looks at a condition.
func wait(d time.Duration) { <-time.After(d) }

func ended(r view.Run) bool { return r.Ended }

// run runs the YAML to its end, alice approving what is asked.
func (in *inside) run(yaml string, inputs map[string]string) view.Run {
	in.t.Helper()
	return in.finish(in.launch(yaml, inputs))
}

// finish waits for a run's end, alice approving what is asked.
func (in *inside) finish(run string) view.Run {
	in.t.Helper()
	return in.until(run, func(r view.Run) bool {
		for _, a := range r.Approvals {
			if a.Approval.Status == "WAITING" {
				_ = in.alice.Decide(in.t.Context(), a.ID, client.Decision{Action: client.Approve})
			}
		}
		return r.Ended
	})
}

// logs returns all log lines of a run by step identifier.
func (in *inside) logs(r view.Run) map[string]string {
	in.t.Helper()
	all := map[string]string{}
	for _, n := range r.Nodes {
		if n.Task == "" {
			continue
		}
		lines, _, err := in.Views().Logs(in.t.Context(), core.DefaultAccount, r.ID, n.Task, 0)
		if err != nil {
			in.t.Fatal(err)
		}
		all[n.Identifier] = join(lines)
	}
	return all
}

func join(lines []wire.LogLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func show(r view.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.ID, r.Status)
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "\n  %s %s", n.FQN, n.Status)
		if n.Failure != nil {
			fmt.Fprintf(&b, " %v %s", n.Failure.Types, n.Failure.Message)
		}
	}
	return b.String()
}

// corpus reads a document of the reference corpus; the test is skipped where it
// is not there.
func corpus(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "shared", "corpus", "pipelines", name))
	if os.IsNotExist(err) {
		t.Skip("the corpus is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestRealPipelines runs documents of real users unchanged.
func TestRealPipelines(t *testing.T) {
	tests := map[string]struct {
		inputs map[string]string
		logs   map[string]string // by step, what its log must hold
	}{
		"exp.yaml":            {nil, map[string]string{"ShellScript_1": "1.1\n", "ternary": "pass\n"}},
		"child.yaml":          {map[string]string{"parent_timeout": "30m"}, map[string]string{"ShellScript_1": "30m\n"}},
		"pipeline.yaml":       {nil, map[string]string{"ShellScript_1": "/projects/docs_play/pipelines/pipeline/executions/"}},
		"Input_Pipeline.yaml": {map[string]string{"input_variable": "42"}, map[string]string{"ShellScript_1": "the value is:42\n"}},
		"StepGroupExport__2.yaml": {nil, map[string]string{"outputs": "reference using aliases:\nvar1: val1\nvar2: val2\nvar map: {var1=val1, var2=val2}\n" +
			"reference using standard output exp:\nvar1: val1\nvar2: val2\n"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			text := corpus(t, name)
			in := startInside(t, platform.Config{Delegate: true})
			r := in.run(text, tc.inputs)
			if r.Status != "Success" {
				t.Fatal(show(r))
			}
			logs := in.logs(r)
			for step, want := range tc.logs {
				if !strings.Contains(logs[step], want) {
					t.Errorf("the log of %s is %q, want %q in it", step, logs[step], want)
				}
			}
		})
	}
}

// TestRealHTTP runs a real pipeline with only its url changed to a server here.
func TestRealHTTP(t *testing.T) {
	text := corpus(t, "output_variable.yaml")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "PAT_TOKEN" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"data":{"executionGraph":{"nodeMap":{"nxZXM3IuQqmwNO-UGR_PBw":{"stepParameters":{"spec":{"outputVariables":"found it"}}}}}}}`))
	}))
	defer server.Close()
	_, rest, _ := strings.Cut(text, "url: ")
	url, _, _ := strings.Cut(rest, "\n")
	in := startInside(t, platform.Config{Delegate: true})
	r := in.run(strings.Replace(text, url, server.URL+"/x?accountIdentifier=A", 1), nil)
	if r.Status != "Success" {
		t.Fatal(show(r))
	}
	if got := in.logs(r)["ShellScript_1"]; got != "found it\n" {
		t.Errorf("the script printed %q", got)
	}
}

// TestExamples runs every example as it stands.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	in := startInside(t, platform.Config{Delegate: true})
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if r := in.run(string(body), nil); r.Status != "Success" {
				t.Error(show(r))
			}
		})
	}
}

// library are the files beside the examples that a pipeline which deploys, or runs
// another, refers to.
func library(t *testing.T, pipeline string) (files []client.File) {
	t.Helper()
	if !strings.Contains(pipeline, "type: Deployment") && !strings.Contains(pipeline, "type: Pipeline") {
		return nil
	}
	names, err := filepath.Glob("../examples/*/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no files beside the examples", err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, client.File{File: name, YAML: string(body)})
	}
	return files
}

// TestWeak runs the pipeline with everything in it while the adapters do all that
// their contracts allow: every effect is seen once.
func TestWeak(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			seed := weak.Seed(t)
			effects := filepath.Join(t.TempDir(), "effects")
			in := startInside(t, platform.Config{Delegate: true, Clock: clock.Fast(20, time.Now()),
				Weak: &workflow.Weak{Seed: seed, Duplicate: 0.3, Delay: 2 * time.Second}, Wrap: func(p core.Ports) core.Ports {
					p.Store, p.Bus = weak.Store(p.Store, weak.Usual(seed)), weak.Bus(p.Bus, weak.Usual(seed))
					return p
				}})
			run := ""
			for run == "" { // a call may fail; its key makes it safe to repeat
				out, err := in.admin.Launch(t.Context(), client.Launch{YAML: crashYAML(effects), File: "crash.yaml", Key: "weak"})
				if err == nil {
					run = out.Run
				}
			}
			if r := in.finish(run); r.Status != "Success" {
				t.Fatal(show(r))
			}
			for _, id := range crashSteps {
				if got := countLines(t, effects)[id]; got != 1 {
					t.Errorf("the effect of %s was seen %d times", id, got)
				}
			}
		})
	}
}

func countLines(t *testing.T, path string) map[string]int {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := map[string]int{}
	for l := range strings.Lines(string(body)) {
		n[strings.TrimSpace(l)]++
	}
	return n
}
