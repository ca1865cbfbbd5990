package steps

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	tests := map[string]time.Duration{
		"10s": 10 * time.Second, "40s": 40 * time.Second, "100s": 100 * time.Second, "1m": time.Minute, "10m": 10 * time.Minute,
		"1h": time.Hour, "1h 30m": 90 * time.Minute, "1h30m": 90 * time.Minute, "1d4h": 28 * time.Hour, "1d": day, "24h": day,
		"2w": 14 * day, "53w": 53 * 7 * day, " 10m ": 10 * time.Minute, "1m5s": 65 * time.Second, "90m": 90 * time.Minute, "1w 2d 3h 4m 5s": 9*day + 3*time.Hour + 4*time.Minute + 5*time.Second,
		"": 0, "5s": 0, "9s": 0, "0m": 0, "54w": 0, "53w 1s": 0, "10": 0, "m": 0, "10x": 0, "10 m": 0, "-10m": 0, "1.5h": 0, "10M": 0,
		"soon": 0, "1h  30m": 0, "99999999999999999999s": 0, "<+input>": 0,
	}
	for s, want := range tests {
		t.Run(s, func(t *testing.T) {
			got, err := ParseDuration(s)
			if got != want || (err != nil) != (want == 0) {
				t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
			}
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("the kind of %v is %d", err, fault.KindOf(err))
			}
		})
	}
}

func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		if seen[s.Type] || s.Type == "" {
			t.Errorf("type %q twice", s.Type)
		}
		seen[s.Type] = true
		if s.Mode != Wait && s.DefaultTimeout == 0 {
			t.Errorf("%s has no default timeout", s.Type)
		}
		for _, o := range Others() {
			if o == s.Type {
				t.Errorf("%s is executed and not executed", o)
			}
		}
		for _, in := range s.DeferIn {
			if !hasField(s.Fields, in) {
				t.Errorf("%s defers in %q, which is no field", s.Type, in)
			}
		}
		if got, ok := Lookup(s.Type); !ok || got.Type != s.Type {
			t.Errorf("Lookup(%q) = %v, %v", s.Type, got.Type, ok)
		}
	}
	if !Known("K8sRollingDeploy") || !Known("Http") || Known("Htp") {
		t.Error("Known is wrong")
	}
}

func hasField(fs []Field, name string) bool {
	for _, f := range fs {
		if f.Name == name {
			return true
		}
	}
	return false
}

func TestWaitDuration(t *testing.T) {
	if d, err := WaitDuration(map[string]any{"duration": "1m"}); err != nil || d != time.Minute {
		t.Errorf("%v, %v", d, err)
	}
	for _, spec := range []map[string]any{nil, {"duration": ""}, {"duration": "soon"}, {"duration": []any{}}} {
		if _, err := WaitDuration(spec); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", spec, err)
		}
	}
}

func approvalSpec(change func(spec, approvers map[string]any)) map[string]any {
	ap := map[string]any{"userGroups": []any{"account.ops", "dev"}, "minimumCount": 2.0, "disallowPipelineExecutor": true}
	spec := map[string]any{"approvalMessage": "go?", "includePipelineExecutionHistory": true, "approvers": ap}
	change(spec, ap)
	return spec
}

func TestReadApproval(t *testing.T) {
	base := Approval{Message: "go?", IncludeHistory: true, UserGroups: []string{"account.ops", "dev"}, MinimumCount: 2, DisallowPipelineExecutor: true}
	with := func(f func(*Approval)) Approval { a := base; f(&a); return a }
	tests := map[string]struct {
		change func(spec, ap map[string]any)
		want   Approval
		say    string
	}{
		"as written": {func(_, _ map[string]any) {}, base, ""},
		"rendered to text": {func(_, ap map[string]any) {
			ap["userGroups"], ap["minimumCount"], ap["disallowPipelineExecutor"] = "[\"a\",\"b\"]", "1", "False"
		}, with(func(a *Approval) {
			a.UserGroups, a.MinimumCount, a.DisallowPipelineExecutor = []string{"a", "b"}, 1, false
		}), ""},
		"groups as words": {func(_, ap map[string]any) { ap["userGroups"] = "a, b" }, with(func(a *Approval) { a.UserGroups = []string{"a", "b"} }), ""},
		"inputs": {func(s, _ map[string]any) {
			s["approverInputs"] = []any{map[string]any{"name": "x", "defaultValue": 1.0, "required": "true", "selectOneFrom": "1, 2"}}
		}, with(func(a *Approval) {
			a.Inputs = []ApproverInput{{Name: "x", DefaultValue: "1", Required: true, SelectOneFrom: []string{"1", "2"}}}
		}), ""},
		"nobody":         {func(_, ap map[string]any) { ap["userGroups"] = []any{} }, Approval{}, "nobody could approve"},
		"no approvers":   {func(s, _ map[string]any) { delete(s, "approvers") }, Approval{}, "nobody could approve"},
		"count":          {func(_, ap map[string]any) { ap["minimumCount"] = 0.0 }, Approval{}, "expected at least 1"},
		"count is text":  {func(_, ap map[string]any) { ap["minimumCount"] = "two" }, Approval{}, "expected a whole number"},
		"flag":           {func(_, ap map[string]any) { ap["disallowPipelineExecutor"] = "maybe" }, Approval{}, "expected true or false"},
		"groups":         {func(_, ap map[string]any) { ap["userGroups"] = map[string]any{} }, Approval{}, "expected a list"},
		"auto reject":    {func(s, _ map[string]any) { s["isAutoRejectEnabled"] = true }, Approval{}, "not supported yet"},
		"nameless input": {func(s, _ map[string]any) { s["approverInputs"] = []any{map[string]any{}} }, Approval{}, "has no name"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ReadApproval(approvalSpec(tc.change))
			if tc.say != "" {
				if err == nil || !strings.Contains(err.Error(), tc.say) {
					t.Errorf("error %v, want %q", err, tc.say)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestAllows(t *testing.T) {
	a := Approval{UserGroups: []string{"account.ops", "dev", "org.sre"}, ServiceAccounts: []string{"org.bot"}, DisallowPipelineExecutor: true, DisallowedUserEmails: []string{"Eve@x.io"}}
	tests := map[string]struct {
		who Decider
		ok  bool
	}{
		"member":                 {Decider{ID: "a", Groups: []string{"dev"}}, true},
		"member in a scope":      {Decider{ID: "a", Groups: []string{"account.ops"}}, true},
		"of the project's":       {Decider{ID: "a", Groups: []string{"o/p/dev"}, Scope: core.Scope{Org: "o", Project: "p"}}, true},
		"of another project's":   {Decider{ID: "a", Groups: []string{"o/q/dev"}, Scope: core.Scope{Org: "o", Project: "p"}}, false},
		"of the organization's":  {Decider{ID: "a", Groups: []string{"o//sre"}, Scope: core.Scope{Org: "o", Project: "p"}}, true},
		"of another org's":       {Decider{ID: "a", Groups: []string{"x//sre"}, Scope: core.Scope{Org: "o", Project: "p"}}, false},
		"not the account's":      {Decider{ID: "a", Groups: []string{"o/p/ops", "o//ops", "o/p/sre", "o//dev"}, Scope: core.Scope{Org: "o", Project: "p"}}, false},
		"stranger":               {Decider{ID: "a", Groups: []string{"qa"}}, false},
		"of no group":            {Decider{ID: "a"}, false},
		"excluded":               {Decider{ID: "e", Email: "eve@X.io", Groups: []string{"dev"}}, false},
		"executor":               {Decider{ID: "a", Groups: []string{"dev"}, Executor: true}, false},
		"service account":        {Decider{ID: "bot", Service: true}, true},
		"user named as an agent": {Decider{ID: "bot"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := a.Allows(tc.who); (err == nil) != tc.ok || err != nil && !fault.Is(err, fault.Forbidden) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCheckInputs(t *testing.T) {
	a := Approval{Inputs: []ApproverInput{
		{Name: "req", Required: true}, {Name: "one", DefaultValue: "a", SelectOneFrom: []string{"a", "b"}},
		{Name: "many", SelectManyFrom: []string{"x", "y"}}, {Name: "re", Regex: `v\d`},
	}}
	tests := map[string]struct {
		values map[string]string
		say    string
	}{
		"all":           {map[string]string{"req": "1", "one": "b", "many": "x, y", "re": "v1"}, ""},
		"only required": {map[string]string{"req": "1"}, ""},
		"required":      {map[string]string{}, `input "req" is required`},
		"one":           {map[string]string{"req": "1", "one": "c"}, "expected one of a, b"},
		"many":          {map[string]string{"req": "1", "many": "x,z"}, "expected some of x, y"},
		"regex":         {map[string]string{"req": "1", "re": "v12"}, "does not match"},
		"unknown":       {map[string]string{"req": "1", "other": "v"}, `asks for no input "other"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := a.CheckInputs(tc.values)
			if (err == nil) != (tc.say == "") || err != nil && !strings.Contains(err.Error(), tc.say) {
				t.Errorf("%v, want %q", err, tc.say)
			}
		})
	}
}
