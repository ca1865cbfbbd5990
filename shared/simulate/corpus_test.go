package simulate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/simulate"
)

// beside is where real documents are, when they are beside the checkout.
var beside = filepath.Join("..", "..", "..", "shared", "corpus")

var asked = regexp.MustCompile(`--input (\S+)=VALUE`)

// made are values for runtime inputs; one that is not taken is followed by the next.
var made = []string{"simulated", "10m", "1", "true", "[a, b]", "{os: [linux, darwin], go: [1, 2]}"}

var allowed = regexp.MustCompile(`is not allowed: expected one of ([^,\n]+)`)

// invented compiles a pipeline and makes up the inputs that it wants.
func invented(src compile.Source, library compile.Library) (*core.Plan, core.Diagnostics) {
	inputs, tried := map[string]string{}, map[string]int{}
	for {
		e, diags := compile.Explain(src, compile.Options{Inputs: inputs, Library: library, Lenient: true})
		again := false
		for _, d := range diags {
			m := asked.FindStringSubmatch(d.Help)
			if m == nil || d.Severity != core.SeverityError {
				for name, value := range inputs {
					told := strings.Contains(d.Message, strconv.Quote(value)) || d.File == "" && value[0] == '['
					if told && d.Severity == core.SeverityError {
						m = []string{"", name}
					}
				}
			}
			if m != nil && tried[m[1]] < len(made) {
				inputs[m[1]], again = made[tried[m[1]]], true
				if one := allowed.FindStringSubmatch(d.Message); one != nil {
					inputs[m[1]] = one[1]
				}
				tried[m[1]]++
			}
		}
		if !again {
			if e == nil {
				return nil, diags
			}
			return e.Plan, diags
		}
	}
}

// TestCorpus plays every real pipeline that compiles: none panics, hangs or stops
// before its end. It prints what became of each.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(beside, "pipelines", "*.yaml"))
	if len(files) == 0 {
		t.Skip("no corpus beside the checkout")
	}
	library := templates(t)
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	counts := map[string]int{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, diags := invented(compile.Source{File: filepath.Base(f), Data: data}, library)
		status, why := become(t, p, diags)
		counts[status]++
		fmt.Fprintf(w, "%s\t%s\t%s\n", filepath.Base(f), status, why)
	}
	_ = w.Flush()
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&out, "%5d %s\n", counts[status], status)
	}
	t.Log("\n" + out.String())
	if counts["Success"] < 90 {
		t.Errorf("only %d of %d succeed", counts["Success"], len(files))
	}
}

func become(t *testing.T, p *core.Plan, diags core.Diagnostics) (status, why string) {
	t.Helper()
	unsupported := 0
	for _, d := range diags {
		switch {
		case d.Severity == core.SeverityError || p == nil:
			return "refused", d.String()
		case d.Severity == core.SeverityUnsupported:
			unsupported++
		}
	}
	s := simulate.NewScript(p)
	if err := s.Approve("all"); err != nil {
		t.Fatal(err)
	}
	r, err := simulate.Run(p, s, 1_767_225_600_000)
	if err != nil {
		t.Errorf("%s: %v", p.Root.Pos.File, err)
		return "broken", err.Error()
	}
	if unsupported > 0 {
		why = fmt.Sprintf("%d not supported", unsupported)
	}
	for _, n := range r.Nodes {
		if n.Start != nil && n.End == nil {
			t.Errorf("%s: %s never ends", p.Root.Pos.File, n.Path)
		}
		if n.Status == r.Status && r.Status != "Success" && n.Why != "" && !strings.HasSuffix(n.Why, " is "+r.Status) {
			why += " " + n.Path + ": " + n.Why
			break
		}
	}
	return r.Status, why
}

// home are the fields that say where a document lives: those of the corpus come from
// many accounts.
var home = regexp.MustCompile(`(?m)^  (org|project)Identifier:.*$`)

func templates(t *testing.T) compile.Library {
	var sources []compile.Source
	for _, dir := range []string{"templates", "inputsets"} {
		files, _ := filepath.Glob(filepath.Join(beside, dir, "*.yaml"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, compile.Source{File: filepath.Base(f), Data: home.ReplaceAll(data, nil)})
		}
	}
	library, _ := compile.Index(sources)
	return library
}
