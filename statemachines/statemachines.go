// Package statemachines holds the three fixed Step Functions definitions that
// wait while the engine steps: pipeline, stage and branch. The plan is data; the
// files are the same for AWS and for one machine, where package asl runs them.
package statemachines

import (
	_ "embed"

	"github.com/slipway-cd/slipway/shared/core"
)

//go:embed pipeline.asl.json
var pipeline []byte

//go:embed stage.asl.json
var stage []byte

//go:embed branch.asl.json
var branch []byte

// Substitutions that the definitions ask for, each a name or an ARN.
const (
	AdvanceFunction = "AdvanceFunction" // the function of functions/advance
	StageMachine    = "StageMachine"    // the state machine "stage"
)

// Definitions returns the texts of the definitions by machine, with ${…} still in
// place. They are not to be changed.
func Definitions() map[string][]byte {
	return map[string][]byte{
		core.MachinePipeline: pipeline,
		core.MachineStage:    stage,
		core.MachineBranch:   branch,
	}
}
