package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/view"
)

func TestQuestion(t *testing.T) {
	a := view.Approval{Approval: engine.Approval{Spec: steps.Approval{Inputs: []steps.ApproverInput{
		{Name: "ring", DefaultValue: "internal"}, {Name: "ticket", Required: true}, {Name: "note"},
	}}}}
	tests := map[string]struct {
		lines []string
		want  *client.Decision
		asked string // the last prompt
	}{
		"approve with answers": {
			[]string{"a", "early", "T-1", "hm", "fine"},
			&client.Decision{Action: client.Approve, Comments: "fine", Inputs: map[string]string{"ring": "early", "ticket": "T-1", "note": "hm"}}, "comment: ",
		},
		"defaults, a required answer asked for again": {
			[]string{"YES", "", "", "T-1", "", ""},
			&client.Decision{Action: client.Approve, Inputs: map[string]string{"ring": "internal", "ticket": "T-1"}}, "comment: ",
		},
		"reject asks for no inputs": {
			[]string{"r", "no"}, &client.Decision{Action: client.Reject, Comments: "no", Inputs: map[string]string{}}, "comment: ",
		},
		"what is not understood is asked again": {
			[]string{"what?", "leave"}, nil, "[a/r/l] ",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			q := ask(a, screen.Theme{}, &out)
			var got *client.Decision
			for i, line := range tc.lines {
				d, done := q.answer(line + "\n")
				if done != (i == len(tc.lines)-1) {
					t.Fatalf("done = %v after line %d, %q", done, i, line)
				}
				got = d
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			if !strings.HasSuffix(out.String(), tc.asked) {
				t.Errorf("asked %q", out.String())
			}
		})
	}
}
