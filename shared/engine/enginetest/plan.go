// Package enginetest builds plans for the tests of what reads them, as small trees:
// Plan(Stage("s", Shell("a"), Group("g", …)), …).
package enginetest

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Step is a step of any type.
func Step(id, typ string, spec map[string]any) *core.Node {
	return &core.Node{Kind: core.KindStep, Identifier: id, Name: id, Type: typ, Spec: spec}
}

// Shell is a step that a delegate does.
func Shell(id string) *core.Node { return Step(id, "ShellScript", map[string]any{"shell": "Bash"}) }

// Wait is a step of ten seconds.
func Wait(id string) *core.Node { return Step(id, "Wait", map[string]any{"duration": "10s"}) }

// Approval asks the group approvers; count of them must say yes.
func Approval(id string, count int) *core.Node {
	return Step(id, "HarnessApproval", map[string]any{"approvalMessage": "ok?", "approvers": map[string]any{
		"userGroups": []any{"approvers"}, "minimumCount": count, "disallowPipelineExecutor": true}})
}

// Group is a step group.
func Group(id string, c ...*core.Node) *core.Node {
	return &core.Node{Kind: core.KindGroup, Identifier: id, Children: c}
}

// Parallel holds branches: stages, groups or steps.
func Parallel(c ...*core.Node) *core.Node { return &core.Node{Kind: core.KindParallel, Children: c} }

// Stage is a Custom stage.
func Stage(id string, c ...*core.Node) *core.Node {
	return &core.Node{Kind: core.KindStage, Identifier: id, Type: "Custom", Children: c}
}

// Plan gives every node its FQN and track, as the compiler does.
func Plan(stages ...*core.Node) *core.Plan {
	root := &core.Node{Kind: core.KindPipeline, FQN: "pipeline", Track: "0", Identifier: "p", Children: stages}
	number(root, root, new(int))
	return &core.Plan{Semantics: core.Semantics, Scope: core.Scope{Account: "default"}, Identifier: "p", Root: root}
}

func number(n, owner *core.Node, count *int) {
	numberList(n, n.Children, owner, count)
	undo := &core.Node{Kind: n.Kind, FQN: n.FQN + "#rollback", Children: n.Rollback}
	numberList(undo, undo.Children, owner, count)
	for _, c := range n.Rollback {
		if c.Kind != core.KindParallel {
			c.FQN = n.FQN + map[bool]string{true: ".spec.execution", false: ""}[n.Kind == core.KindStage] + ".rollbackSteps." + c.Identifier
		}
	}
}

func numberList(n *core.Node, list []*core.Node, owner *core.Node, count *int) {
	for i, c := range list {
		prefix := map[core.NodeKind]string{core.KindPipeline: ".stages.", core.KindStage: ".spec.execution.steps.", core.KindGroup: ".steps."}[n.Kind]
		c.FQN = n.FQN + prefix + c.Identifier
		switch {
		case c.Kind == core.KindParallel:
			c.FQN = fmt.Sprintf("%s#%d", n.FQN, i)
		case n.Kind == core.KindParallel:
			c.FQN = n.FQN[:strings.LastIndexByte(n.FQN, '#')] + map[bool]string{true: ".stages.", false: ".spec.execution.steps."}[c.Kind == core.KindStage] + c.Identifier
		}
		next, counter := owner, count
		if c.Kind == core.KindStage || n.Kind == core.KindParallel || c.Loop != nil {
			*count++
			c.Track = fmt.Sprintf("%s.%d", owner.Track, *count)
			next, counter = c, new(int)
		}
		number(c, next, counter)
	}
}
