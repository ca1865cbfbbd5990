package door

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// sample has a stage, a block of two stages side by side, and a last one; the
// first stage has a step, a fork of a step and a group, and a step.
func sample() view.Run {
	r := view.Run{ID: "R", Pipeline: "p", Sequence: 7, Status: "Failed", Started: 1, Finished: 9, Scope: core.Scope{Account: "a", Org: "o", Project: "q"},
		Failure: &core.Failure{Types: []string{"UNKNOWN_FAILURE"}, Message: "no"}, Tags: map[string]string{"b": "2", "a": "1"}}
	for _, row := range []struct {
		id, parent string
		kind       core.NodeKind
		typ        string
		status     string
	}{
		{"s1", "", core.KindStage, "Custom", "Success"},
		{"x", "s1", core.KindStep, "ShellScript", "Success"},
		{"#1", "s1", core.KindParallel, "", "Success"},
		{"y", "s1.#1", core.KindStep, "Http", "Success"},
		{"g", "s1.#1", core.KindGroup, "", "Success"},
		{"g1", "s1.#1.g", core.KindStep, "Wait", "Success"},
		{"g2", "s1.#1.g", core.KindStep, "Wait", "Success"},
		{"z", "s1", core.KindStep, "Wait", "Success"},
		{"#2", "", core.KindParallel, "", "Failed"},
		{"s2", "#2", core.KindStage, "Custom", "Failed"},
		{"s3", "#2", core.KindStage, "Approval", "IgnoreFailed"},
		{"s4", "", core.KindStage, "Custom", "Running"},
		{"s5", "", core.KindStage, "Custom", "NotStarted"},
	} {
		parent := strings.TrimSuffix("pipeline."+row.parent, ".")
		n := view.Node{ID: row.id, FQN: parent + "." + row.id, Parent: parent, Kind: row.kind, Identifier: row.id, Type: row.typ, Status: row.status}
		switch row.status {
		case "Failed":
			n.Failure = r.Failure
			fallthrough
		case "Success", "IgnoreFailed":
			n.Started, n.Finished = 2, 3
		case "Running":
			n.Started = 2
		}
		r.Nodes = append(r.Nodes, n)
	}
	return r
}

func TestGraph(t *testing.T) {
	r := sample()
	g := graphOf(r)
	var got []string
	for id, a := range g.Adjacent {
		if id == g.Root {
			id = "root"
		}
		got = append(got, fmt.Sprintf("%s children %v next %v", id, a.Children, a.Next))
	}
	slices.Sort(got)
	want := []string{
		"#1 children [y g] next [z]",
		"#2 children [s2 s3] next [s4]",
		"g children [g1] next []",
		"g1 children [] next [g2]",
		"g2 children [] next []",
		"root children [s1] next []",
		"s1 children [x] next [#2]",
		"s2 children [] next []",
		"s3 children [] next []",
		"s4 children [] next [s5]",
		"s5 children [] next []",
		"x children [] next [#1]",
		"y children [] next []",
		"z children [] next []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	types := map[string]string{g.Root: "PIPELINE_SECTION", "s1": "CUSTOM_STAGE", "s3": "APPROVAL_STAGE", "#1": "NG_FORK", "g": "STEP_GROUP", "y": "Http"}
	for id, want := range types {
		if got := g.Nodes[id].Type; got != want {
			t.Errorf("%s is a %s, want %s", id, got, want)
		}
	}
	if f := g.Nodes["s2"].Failure; f == nil || f.Message != "no" || len(f.Types) != 1 {
		t.Errorf("failure %+v", f)
	}
}

func TestLayout(t *testing.T) {
	s := summarize(sample())
	var got []string
	for _, id := range slices.Sorted(maps.Keys(s.Layout)) {
		l := s.Layout[id]
		got = append(got, fmt.Sprintf("%s %s children %v next %v", id, l.Type, l.Edges.Children, l.Edges.Next))
	}
	want := []string{
		"#2 parallel children [s2 s3] next [s4]",
		"s1 Custom children [] next [#2]",
		"s2 Custom children [] next []",
		"s3 Approval children [] next []",
		"s4 Custom children [] next [s5]",
		"s5 Custom children [] next []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Starting != "s1" || s.Total != 5 || s.Succeeded != 2 || s.Failed != 1 || s.Running != 1 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]request.Tag{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}, s.Tags); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyRunHasAGraph(t *testing.T) {
	r := view.Run{ID: "R", Status: "Success"}
	if g := graphOf(r); len(g.Nodes) != 1 || g.Adjacent[g.Root].Children == nil {
		t.Errorf("%+v", g)
	}
	if s := summarize(r); s.Starting != "" || s.Startings == nil {
		t.Errorf("%+v", s)
	}
}
