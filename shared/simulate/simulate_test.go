package simulate_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/simulate"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden plays the pipelines of testdata as the "# simulate:" lines at their top
// say, and compares with the .txt beside them: BEHAVIOUR §8, §9, §10, §14.2.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for line := range strings.Lines(string(data)) {
				if args, ok := strings.CutPrefix(line, "# simulate:"); ok {
					fmt.Fprintf(&got, "# %s\n%s\n", strings.TrimSpace(args), played(t, filepath.Base(file), data, strings.Fields(args)))
				}
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("%s differs; look at it, then go test ./shared/simulate -update:\n%s", golden, d)
			}
		})
	}
}

// documents are those in the folder that a pipeline's file has to itself.
func documents(t *testing.T, file string) compile.Library {
	t.Helper()
	var sources []compile.Source
	names, _ := filepath.Glob("testdata/" + strings.TrimSuffix(file, ".yaml") + "/*.yaml")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, compile.Source{File: filepath.Base(name), Data: data})
	}
	library, diags := compile.Index(sources)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return library
}

// planned compiles a pipeline as slipway simulate does.
func planned(t *testing.T, file string, data []byte, inputs map[string]string) *core.Plan {
	t.Helper()
	e, diags := compile.Explain(compile.Source{File: file, Data: data}, compile.Options{Inputs: inputs, Lenient: true, Library: documents(t, file)})
	for _, d := range diags {
		if d.Severity == core.SeverityError || e == nil {
			t.Fatal(diags)
		}
	}
	return e.Plan
}

// scripted is a plan with what the arguments assume.
func scripted(p *core.Plan, args []string) (*simulate.Script, error) {
	s := simulate.NewScript(p)
	take := map[string]func(string) error{"--fail": s.Fail, "--approve": s.Approve, "--reject": s.Reject,
		"--output": s.Output, "--duration": s.Duration, "--intervene": s.Intervene, "--input": func(string) error { return nil }}
	for i := 0; i+1 < len(args); i += 2 {
		if err := take[args[i]](args[i+1]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func played(t *testing.T, file string, data []byte, args []string) string {
	t.Helper()
	inputs := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		if name, value, _ := strings.Cut(args[i+1], "="); args[i] == "--input" {
			inputs[name] = value
		}
	}
	var first string
	for range 2 { // the same again is the same, to the byte
		p := planned(t, file, data, inputs)
		s, err := scripted(p, args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := simulate.Run(p, s, 1_767_225_600_000)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if text := table(r) + string(body); first == "" {
			first = text
		} else if first != text {
			t.Fatalf("%s plays in two ways:\n%s\n%s", file, first, text)
		}
	}
	return first[:strings.LastIndex(first, "{\"status\"")]
}

func table(r simulate.Result) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, n := range r.Nodes {
		times := "-"
		if n.Start != nil {
			times = fmt.Sprintf("%v..%v", *n.Start, *n.End)
		}
		if n.Phase == "rollback" {
			times += " undo"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", n.Path, n.Type, n.Status, n.Attempts, times, n.Why)
	}
	_ = w.Flush()
	for _, a := range r.Asked {
		fmt.Fprintf(&out, "asked: %s %s, %d of %v, %v..%v: %q\n", a.Kind, a.Path, a.Count, a.Who, a.At, a.Until, a.Answer)
	}
	lines := strings.Split(out.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + fmt.Sprintf("%s after %vs\n", r.Status, r.Duration)
}
