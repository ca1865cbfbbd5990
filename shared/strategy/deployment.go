package strategy

import "github.com/slipway-cd/slipway/shared/core"

// Names by which the iterations of a deployment loop are told what they deploy
// (BEHAVIOUR §5.5).
const (
	serviceRef     = "serviceRef"
	environmentRef = "environmentRef"
	identifier     = "identifier"
)

// Deployed is the pair of an iteration of a deployment loop.
var Deployed = core.Pair{Service: "<+stage.matrix.serviceRef>", Environment: "<+stage.matrix.environmentRef>", Infrastructure: "<+stage.matrix.identifier>"}

// Pair is a pair as an item of a deployment loop.
func Pair(p core.Pair) map[string]any {
	return map[string]any{serviceRef: p.Service, environmentRef: p.Environment, identifier: p.Infrastructure}
}

// deployment gives each iteration its pair as if it were of a matrix.
func deployment(l *core.Loop) ([]Iteration, error) {
	if l.Items == nil {
		return nil, nil
	}
	if len(l.Items.Values) > MaxIterations {
		return nil, tooMany(l, len(l.Items.Values))
	}
	its := make([]Iteration, len(l.Items.Values))
	for i, v := range l.Items.Values {
		its[i].Matrix, _ = v.(map[string]any)
	}
	return counted(its), nil
}
