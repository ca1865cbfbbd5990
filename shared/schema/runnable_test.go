package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/steps"
)

// TestRunnable holds what is called unsupported to what the compiler refuses.
func TestRunnable(t *testing.T) {
	refuses := func(noun, typ, text string) bool {
		_, diags := compile.Compile(compile.Source{File: "t.yaml", Data: []byte(text)}, compile.Options{})
		return slices.ContainsFunc(diags, func(d core.Diagnostic) bool {
			return d.Severity == core.SeverityUnsupported && d.Message == "not supported yet: "+noun+" "+typ
		})
	}
	const frame = "pipeline: {name: p, identifier: p, stages: [{stage: {name: s, identifier: s, type: %s, spec: {execution: {steps: [{step: {name: a, identifier: a, type: %s, spec: {}}}]}}}}]}"
	missing := schema.Unsupported()
	for _, typ := range append([]string{"Custom", "Approval"}, missing["stage type"]...) {
		said := slices.Contains(missing["stage type"], typ)
		if got := refuses("stage type", typ, fmt.Sprintf(frame, typ, "Wait")); got != said {
			t.Errorf("stage type %s: the compiler refuses it: %v, the schema: %v", typ, got, said)
		}
	}
	for _, s := range steps.All() {
		if slices.Contains(missing["step type"], s.Type) {
			t.Errorf("step type %s is in the catalogue and called unsupported", s.Type)
		}
	}
	for _, typ := range missing["step type"] {
		if !refuses("step type", typ, fmt.Sprintf(frame, "Custom", typ)) {
			t.Errorf("step type %s: the compiler does not know it", typ)
		}
	}
	for _, typ := range steps.Others() {
		if !slices.Contains(missing["step type"], typ) {
			t.Errorf("step type %s has no facts", typ)
		}
	}
	if len(missing["step type"]) < 300 || strings.Join(missing["stage type"], "") == "" {
		t.Errorf("too little is missing: %v", missing)
	}
}
