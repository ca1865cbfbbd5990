package meter

import "github.com/slipway-cd/slipway/shared/core"

// Cost is a run's bill and what its pipeline allows, as GET /slipway/v1/runs/{run}/cost
// answers.
type Cost struct {
	Run string `json:"run"`
	// Estimated says that nothing was paid: it is what AWS would have asked for.
	Estimated bool `json:"estimated"`
	// Records is how many processes have written counts so far.
	Records int `json:"records"`
	Bill
	Budget *Allowed `json:"budget,omitempty"`
}

// Allowed is a run's budget.
type Allowed struct {
	Dollars float64           `json:"dollars"`
	Action  core.BudgetAction `json:"action"`
	Over    bool              `json:"over"`
}
