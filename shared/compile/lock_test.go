package compile

import (
	"strings"
	"testing"
)

func TestQueueStep(t *testing.T) {
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(inSpec("Queue", "key: db-<+pipeline.name>\nscope: Stage\n"))}, Options{})
	if diags.Blocks() {
		t.Fatal(diags)
	}
	if n := plan.Root.Children[0].Children[0]; n.Type != "Queue" || n.Spec["key"] != "db-<+pipeline.name>" || n.Spec["scope"] != "Stage" {
		t.Errorf("%+v", n)
	}
	for name, tc := range map[string]struct{ yaml, want string }{
		"no key":            {inSpec("Queue", "scope: Stage\n"), "key"},
		"another scope":     {inSpec("Queue", "key: k\nscope: Account\n"), "Account"},
		"not to be written": {inSpec("ResourceConstraint", "key: k\nscope: Stage\n"), "ResourceConstraint"},
	} {
		if _, diags := Compile(Source{File: "p.yaml", Data: []byte(tc.yaml)}, Options{}); !diags.Blocks() || !strings.Contains(diags.String(), tc.want) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
