package core

// Rollback says that a run rolls another back that has succeeded (BEHAVIOUR §14.7): of
// its plan only the rollback steps run, and what else they read is what that one did.
type Rollback struct {
	Of     string   `json:"of"`
	Stages []string `json:"stages"` // tracks of the stages that are rolled back
	// Loops are the iterations that looped stages had, by FQN.
	Loops map[string][]Iteration `json:"loops,omitempty"`
	// Inputs are what the run was given by the stage that had started it, nil of others.
	Inputs map[string]any `json:"inputs,omitempty"`
}

// Execution modes of a run (BEHAVIOUR §13.6).
const (
	ModeNormal           = "NORMAL"
	ModePipelineRollback = "PIPELINE_ROLLBACK"
	ModePostRollback     = "POST_EXECUTION_ROLLBACK"
)

// Deployed is the latest successful deployment to an infrastructure.
type Deployed struct {
	Run   string `json:"run"`
	Track string `json:"track"` // of the stage
	At    int64  `json:"at"`    // ms
}

// DeployedKey is where that is, by the infrastructure's key.
func DeployedKey(account, key string) Key { return Key{"A#" + account + "#DEPLOYED", key} }

// RolledBackKey is where it is noted that a run has been rolled back, and by which.
func RolledBackKey(account, run string) Key { return Key{RunKey(account, run).PK, "ROLLEDBACK"} }
