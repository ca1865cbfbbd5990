package expr_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/expr"
)

// TestCases runs the golden tables of everyday forms and of scripts.
func TestCases(t *testing.T) {
	for file, least := range map[string]int{"cases.txt": 280, "scripts.txt": 110} {
		t.Run(file, func(t *testing.T) { golden(t, "testdata/"+file, least) })
	}
}

func golden(t *testing.T, file string, least int) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section, ran := "", 0
	s := demo()
	for i, line := range strings.Split(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			section = name
		}
		text, want, ok := strings.Cut(line, " => ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		ran++
		t.Run(fmt.Sprintf("%s/line %d", section, i+1), func(t *testing.T) {
			v, err := expr.Render(text, s)
			if words, ok := strings.CutPrefix(want, "! "); ok {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Fatalf("Render(%s) = %v, %v; want an error with %q", text, v, err, words)
				}
				return
			}
			if err != nil {
				t.Fatalf("Render(%s): %v", text, err)
			}
			if got := shown(v); got != want {
				t.Errorf("Render(%s)\n got %s\nwant %s", text, got, want)
			}
		})
	}
	if ran < least {
		t.Errorf("the table has %d cases only: was it read to the end?", ran)
	}
}

// TestPage runs the examples of the reference.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/reference/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	ran, inside := 0, false
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "```") {
			inside = line == "```expr"
			continue
		}
		text, want, ok := strings.Cut(line, " => ")
		if !ok || !inside {
			continue
		}
		ran++
		got, err := expr.RenderString(text, demo())
		if words, ok := strings.CutPrefix(want, "! "); ok {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("line %d: %s = %s, %v; want an error with %q", i+1, text, got, err, words)
			}
		} else if err != nil || got != want {
			t.Errorf("line %d: %s = %s, %v; want %s", i+1, text, got, err, want)
		}
	}
	if ran < 60 {
		t.Errorf("%d examples only", ran)
	}
}

// shown writes a value as the table's right column does.
func shown(v any) string {
	switch v := v.(type) {
	case expr.Secret:
		return "secret " + v.Ref
	case []any:
		return "list " + expr.Format(v)
	case nil, bool, int64, float64, string:
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		return strings.TrimSpace(b.String())
	default:
		return "map " + expr.Format(v)
	}
}

func TestCondition(t *testing.T) {
	tests := map[string]struct {
		text string
		want bool
	}{
		"true":                      {`true`, true},
		"blank is no condition":     {"  \n", true},
		"whole expression":          {`<+pipeline.variables.enabled>`, true},
		"string true in any case":   {`<+"TRUE">`, true},
		"string false":              {`<+pipeline.variables.off>`, false},
		"other string":              {`<+pipeline.name>`, false},
		"bare comparison":           {`<+pipeline.name> == "demo"`, true},
		"no spaces":                 {`<+pipeline.name>=="demo"`, true},
		"not equal, no spaces":      {`<+pipeline.sequenceId>!=400`, true},
		"several":                   {`<+pipeline.variables.enabled> && <+pipeline.name> == "demo" && <+pipeline.name> != "x"`, true},
		"or":                        {`<+pipeline.name> == "x" || <+pipeline.sequenceId> == 7`, true},
		"greater":                   {`<+pipeline.sequenceId> > 5`, true},
		"greater or equal":          {`<+pipeline.sequenceId>>=7`, true},
		"less":                      {`<+pipeline.sequenceId> < 5`, false},
		"inside delimiters":         {`<+<+pipeline.name> == "demo">`, true},
		"padded delimiters":         {`<+ pipeline.name > == "demo"`, true},
		"ternary":                   {`<+pipeline.name> == "demo" ? true : false`, true},
		"unknown name":              {`<+nowhere.x> == "a"`, false},
		"null compared with number": {`<+pipeline.variables.nothing> > 3`, false},
		"null":                      {`<+pipeline.variables.nothing>`, false},
		"method of null":            {`<+pipeline.variables.nothing>.contains("x")`, false},
		"unquoted word":             {`<+pipeline.name> == demo`, false},
		"contains":                  {`<+pipeline.name>.contains("em")`, true},
		"status":                    {`<+pipeline.stages.build.status> == "SUCCEEDED"`, true},
		"membership":                {`<+pipeline.name> =~ ["demo","x"]`, true},
		"negated":                   {`!<+pipeline.variables.enabled>`, false},
		"string not empty":          {`<+pipeline.name> != ""`, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := expr.Condition(tc.text, demo())
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("Condition(%s) = %v", tc.text, got)
			}
		})
	}
}

func TestConditionRefusesData(t *testing.T) {
	for _, text := range []string{"1 + 1", "<+pipeline.variables.hosts>", "<+pipeline>", "1 +"} {
		if got, err := expr.Condition(text, demo()); err == nil {
			t.Errorf("Condition(%s) = %v, want an error", text, got)
		}
	}
}

func TestEval(t *testing.T) {
	v, err := expr.Eval(`pipeline.sequenceId > 5 ? <+pipeline.name> : "x"`, demo())
	if err != nil || v != "demo" {
		t.Errorf("Eval = %v, %v", v, err)
	}
}

func TestTextOfSeveralLines(t *testing.T) {
	text := "echo <+pipeline.name> > a\n# <+pipeline.variables.hosts\n  .get(0)>\nexit <+pipeline.sequenceId>\n"
	got, err := expr.RenderString(text, demo())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("echo demo > a\n# web1\nexit 7\n", got); diff != "" {
		t.Error(diff)
	}
}
