package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/compile"
)

const fillable = `pipeline:
  identifier: p
  name: p
  variables:
    - {name: v, type: String, value: <+input>}
    - {name: w, type: String, value: fixed}
  stages:
    - stage:
        identifier: own
        name: own
        type: Custom
        delegateSelectors: <+input>
        spec: {execution: {steps: [{step: {identifier: s, name: s, type: Wait, spec: {duration: <+input>.default(10s)}}}]}}
    - parallel:
        - stage:
            identifier: theirs
            name: theirs
            template: {templateRef: t, versionLabel: a, templateInputs: <+input>}
        - stage:
            identifier: quiet
            name: quiet
            template: {templateRef: q, versionLabel: a, templateInputs: <+input>}
`

const fillTemplates = `template:
  identifier: t
  name: t
  versionLabel: a
  type: Stage
  spec:
    type: Custom
    spec:
      execution:
        steps:
          - step: {identifier: x, name: x, template: {templateRef: inner, versionLabel: a, templateInputs: <+input>}}
---
template: {identifier: inner, name: inner, versionLabel: a, type: Step, spec: {type: Wait, spec: {duration: <+input>}}}
---
template:
  identifier: q
  name: q
  versionLabel: a
  type: Stage
  spec: {type: Custom, spec: {execution: {steps: [{step: {identifier: x, name: x, type: Wait, spec: {duration: 10s}}}]}}}
`

func TestFill(t *testing.T) {
	const (
		own = `  - stage:
      identifier: own
      type: Custom
      delegateSelectors: %SELECTORS%
      spec:
        execution:
          steps:
          - step:
              identifier: s
              type: Wait
              spec:
                duration: <+input>.default(10s)
`
		theirs = `  - parallel:
    - stage:
        identifier: theirs
        template:
          templateInputs:
            type: Custom
            spec:
              execution:
                steps:
                - step:
                    identifier: x
                    template:
                      templateInputs:
                        type: Wait
                        spec:
                          duration: <+input>
`
		head = "pipeline:\n  identifier: p\n  variables:\n  - name: v\n    type: String\n    value: "
	)
	open := strings.ReplaceAll(own, "%SELECTORS%", "<+input>")
	for name, tc := range map[string]struct {
		sets   []string
		stages []string
		want   string
		say    string
	}{
		"nothing given":  {want: head + "<+input>\n  stages:\n" + open + theirs},
		"one stage":      {stages: []string{"own"}, want: head + "<+input>\n  stages:\n" + open},
		"no such stage":  {stages: []string{"none"}, want: head + "<+input>\n"},
		"the later wins": {sets: []string{"inputSet: {pipeline: {identifier: p, variables: [{name: v, value: a}]}}", "pipeline: {identifier: p, variables: [{name: v, value: b}], stages: [{stage: {identifier: own, delegateSelectors: [x]}}]}"}, want: head + "b\n  stages:\n" + strings.ReplaceAll(own, "%SELECTORS%", "\n      - x") + theirs},
		"for a template": {stages: []string{"theirs"}, sets: []string{"pipeline: {identifier: p, stages: [{parallel: [{stage: {identifier: theirs, template: {templateInputs: {spec: 1}}}}]}]}"}, want: head + "<+input>\n  stages:\n  - parallel:\n    - stage:\n        identifier: theirs\n        template:\n          templateInputs:\n            spec: 1\n"},
		"not asked for":  {sets: []string{"pipeline: {identifier: p, variables: [{name: w, value: b}]}"}, say: `set0:1:56: error: "b" is given for a field whose value is fixed to "fixed"`},
	} {
		t.Run(name, func(t *testing.T) {
			library, _ := compile.Index([]compile.Source{{File: "t", Data: []byte(fillTemplates)}})
			opt := compile.Options{Library: library, Stages: tc.stages}
			for i, s := range tc.sets {
				opt.InputSets = append(opt.InputSets, compile.Source{File: "set" + string(rune('0'+i)), Data: []byte(s)})
			}
			got, diags := compile.Fill(compile.Source{File: "p", Data: []byte(fillable)}, opt)
			if tc.say != "" {
				if !strings.Contains(diags.String(), tc.say) {
					t.Errorf("want %s in %s", tc.say, diags)
				}
				return
			}
			if diff := cmp.Diff(strings.ReplaceAll(tc.want, ": \n", ":\n"), strings.ReplaceAll(got.Inputs, `"`, "")); len(diags) > 0 || diff != "" {
				t.Error(diags, diff)
			}
		})
	}
}

func TestFillTheWhole(t *testing.T) {
	got, _ := compile.Fill(compile.Source{File: "p", Data: []byte("pipeline: {identifier: p, name: p, variables: [{name: v, type: String, value: <+input>}], stages: []}")},
		compile.Options{InputSets: []compile.Source{{File: "s", Data: []byte("pipeline: {identifier: p, variables: [{name: v, value: '1.10'}]}")}}})
	if !strings.Contains(got.Pipeline, "value: \"1.10\"") && !strings.Contains(got.Pipeline, "value: '1.10'") {
		t.Error(got.Pipeline)
	}
}

func TestApplied(t *testing.T) {
	library, _ := compile.Index([]compile.Source{{File: "t", Data: []byte(fillTemplates)}})
	got, diags := compile.Applied(compile.Source{File: "p", Data: []byte("pipeline:\n  identifier: p\n  name: p\n  stages:\n    - stage: {identifier: s, name: s, template: {templateRef: q, versionLabel: a}}\n")},
		compile.Options{Library: library})
	want := "pipeline:\n  identifier: p\n  name: p\n  stages:\n  - stage:\n      identifier: s\n      name: s\n      type: Custom\n      spec:\n        execution:\n          steps:\n          - step:\n              identifier: x\n              name: x\n              type: Wait\n              spec:\n                duration: 10s\n"
	if diff := cmp.Diff(want, strings.ReplaceAll(got, `"`, "")); len(diags) > 0 || diff != "" {
		t.Error(diags, diff)
	}
}
