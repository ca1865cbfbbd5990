package compile

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/steps"
)

// infraLockID is the identifier of the step that waits for a stage's infrastructure. It
// is none that anybody can give a step.
const infraLockID = "infrastructure-lock"

// lockInfrastructure has a Deployment stage begin by waiting for its infrastructure
// (BEHAVIOUR §3.5), unless it may be deployed to by several at once. Which one it is may
// be known only then: in that case a condition asks.
func (c *compiler) lockInfrastructure(n *core.Node) {
	t := n.Target
	if t == nil || t.GitOps || t.Service == "" || t.Infrastructure == "" {
		return
	}
	shared := func(in core.Infrastructure) bool { return in.AllowSimultaneous }
	if len(t.Infrastructures) > 0 && !slices.ContainsFunc(t.Infrastructures, func(in core.Infrastructure) bool { return !shared(in) }) {
		return
	}
	// A rollback waits for it too, whatever had failed before.
	when := core.When{Status: core.WhenAll, Pos: t.Pos}
	if slices.ContainsFunc(t.Infrastructures, shared) {
		when.Condition = "<+infra.allowSimultaneousDeployments> != true"
	}
	lock := &core.Node{
		Kind: core.KindStep, Identifier: infraLockID, Name: "Infrastructure lock", Type: steps.InfrastructureLock,
		FQN: n.FQN + ".spec.execution." + infraLockID, Pos: t.Pos, When: &when,
		Spec: map[string]any{"key": "<+INFRA_KEY>", "scope": string(core.ScopeStage)},
	}
	first := 0
	if len(n.Children) > 0 && n.Children[0].FQN == n.FQN+core.ProvisionerPath {
		first = 1 // where it is may be known only by what it makes
	}
	n.Children = slices.Insert(n.Children, first, lock)
}
