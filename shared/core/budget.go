package core

import (
	"math"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// The tags of a pipeline that bound what one run of it may cost. Harness's YAML has
// no field for that; its tags are free.
const (
	TagBudget       = "slipway.budget"        // "0.05 USD"
	TagBudgetAction = "slipway.budget.action" // warn or stop
)

// BudgetAction is what happens to a run that is over its budget.
type BudgetAction string

// Budget actions.
const (
	BudgetWarn BudgetAction = "warn" // a warning on the run, the event run.budget
	BudgetStop BudgetAction = "stop" // the same, and the run is aborted
)

// Budget bounds what a run may cost.
type Budget struct {
	Dollars float64
	Action  BudgetAction
}

const maxBudget = 1e6 // USD

// ParseBudget reads the budget in a pipeline's tags; ok is false when they have
// none. An error (fault.Invalid) is about the tag it returns.
func ParseBudget(tags map[string]string) (b Budget, ok bool, tag string, err error) {
	amount, ok := tags[TagBudget]
	action, acts := tags[TagBudgetAction]
	switch {
	case !ok && acts:
		return b, false, TagBudgetAction, fault.New(fault.Invalid, "%s without %s has nothing to act on", TagBudgetAction, TagBudget)
	case !ok:
		return b, false, "", nil
	}
	number, usd := strings.CutSuffix(strings.TrimSpace(amount), " USD")
	d, perr := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !usd || perr != nil || math.IsNaN(d) || d <= 0 || d > maxBudget {
		return b, false, TagBudget, fault.New(fault.Invalid, "%s is %q: expected dollars above 0, at most 1000000, such as \"0.05 USD\"", TagBudget, amount)
	}
	b = Budget{d, BudgetAction(action)}
	switch {
	case !acts:
		b.Action = BudgetWarn
	case b.Action != BudgetWarn && b.Action != BudgetStop:
		return b, false, TagBudgetAction, fault.New(fault.Invalid, "%s is %q: expected warn or stop", TagBudgetAction, action)
	}
	return b, true, "", nil
}
