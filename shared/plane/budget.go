package plane

import (
	"context"
	"fmt"
	"sync"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/meter"
)

// rootTrack is the pipeline's own in every plan.
const rootTrack = "0"

// budgets holds runs to what they may cost, whenever counts of them were written.
type budgets struct {
	journal *journal.Journal

	mu   sync.Mutex
	over map[[2]string]bool // runs that were told
}

// maxOver bounds how many runs are remembered; a run that is told again ignores it.
const maxOver = 10_000

func newBudgets(j *journal.Journal) *budgets {
	return &budgets{journal: j, over: map[[2]string]bool{}}
}

// check warns about a run that is over its budget and stops it when the budget says
// so: by events, as a person's abort is one. What fails is done at the next check.
func (b *budgets) check(ctx context.Context, account, run string) {
	r, err := b.journal.Run(ctx, account, run)
	if err != nil {
		return
	}
	budget, ok, _, err := core.ParseBudget(r.Plan.Tags)
	if err != nil || !ok || b.told(account, run) {
		return
	}
	by, _, err := meter.Read(ctx, b.journal.Ports().Store, account, run)
	if err != nil {
		return
	}
	transitions, err := b.journal.Transitions(ctx, account, run, false)
	if err != nil {
		return
	}
	spent := meter.NewBill(by, transitions).Dollars
	if spent <= budget.Dollars {
		return
	}
	if b.tell(ctx, journal.Ref{Account: account, Run: run, Track: rootTrack}, budget, spent) == nil {
		b.note(account, run)
	}
}

func (b *budgets) tell(ctx context.Context, ref journal.Ref, budget core.Budget, spent float64) error {
	message := fmt.Sprintf("budget of %g USD is used up: at least %.6f USD were spent", budget.Dollars, spent)
	_, err := b.journal.Apply(ctx, ref, core.Event{Type: core.EventWarned, Actor: "budget",
		Warned: &core.Warned{Code: "budget", Message: message, Limit: budget.Dollars, Spent: spent}})
	if err != nil || budget.Action != core.BudgetStop {
		return err
	}
	_, err = b.journal.Apply(ctx, ref, core.Event{Type: core.EventStop, Actor: "budget",
		Stop: &core.Stop{Status: core.Aborted, Reason: message}})
	return err
}

func (b *budgets) told(account, run string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over[[2]string{account, run}]
}

func (b *budgets) note(account, run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.over) >= maxOver {
		clear(b.over)
	}
	b.over[[2]string{account, run}] = true
}
