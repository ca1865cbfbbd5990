package engine_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine/enginetest"
)

// TestArrival runs stages whose target is there, and is not.
func TestArrival(t *testing.T) {
	tests := map[string]struct {
		change  func(*core.Target)
		failure []core.FailureStrategy
		want    core.Status
		say     string
	}{
		"found":               {func(*core.Target) {}, nil, core.Succeeded, ""},
		"no such service":     {func(t *core.Target) { t.Service = "<+pipeline.name>" }, nil, core.Failed, "p.yaml:9:3: service p is not found: the plan knows other, web"},
		"an unknown name":     {func(t *core.Target) { t.Environment = "<+nobody.x>" }, nil, core.Failed, "nobody"},
		"it refers to itself": {func(t *core.Target) { t.Service = "<+service.name>" }, nil, core.Failed, "service null is not found"},
		"aborted":             {func(t *core.Target) { t.Infrastructure = "gone" }, abortAll, core.Aborted, "infrastructure gone of environment prod is not found: the plan knows cluster"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			st := stage("a", shell("one"))
			st.Target, st.Failure = enginetest.Website(), tc.failure
			tc.change(st.Target)
			p := plan(st)
			p.Root.Name = "p"
			p.Root.Variables = []core.Variable{{Name: "service", Type: "String", Value: "web"}}
			s := newSim(t, 1, p)
			end := s.play()
			if end.Status != tc.want {
				t.Errorf("the run ended %s, want %s", end.Status, tc.want)
			}
			if tc.say != "" && !strings.Contains(why(s.Tracks[st.Track].Failure), tc.say) {
				t.Errorf("failed with %q, want %q", why(s.Tracks[st.Track].Failure), tc.say)
			}
			if ran := len(s.Ran) > 0; ran != (tc.want == core.Succeeded) {
				t.Errorf("steps ran: %v", ran)
			}
		})
	}
}

var abortAll = []core.FailureStrategy{{Errors: []core.ErrorType{core.AllErrors}, Action: core.FailureAction{Type: core.ActionAbort}}}

func why(f *core.Failure) string {
	if f == nil {
		return ""
	}
	return f.Message
}
