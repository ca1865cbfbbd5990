package door

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
)

// maxListed is how many of a project's newest runs a filtered list looks at.
const maxListed = 10_000

// executionDetail is Harness's PipelineExecutionDetail.
type executionDetail struct {
	Summary executionSummary `json:"pipelineExecutionSummary"`
	Graph   executionGraph   `json:"executionGraph"`
	Child   *childDetail     `json:"childGraph"` // of the stage asked for, when it runs another pipeline
}

// execution shows a run with the graph of all its nodes, whichever stage was
// asked for; of a stage that runs another pipeline also that run.
func (d *door) execution(c *request.Call) (httpio.Answer, error) {
	run, err := d.runHere(c, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	child, err := d.childOf(c, run)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, executionDetail{summarize(run), graphOf(run), child}), nil
}

// runHere is a run of the call's project.
func (d *door) runHere(c *request.Call, id string) (view.Run, error) {
	if err := d.inProject(c, govern.View, id); err != nil {
		return view.Run{}, err
	}
	return d.Views.Run(c.Ctx, c.Who.Account, id)
}

func (d *door) listExecutions(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "filterIdentifier", "showAllExecutions", "module=cd|pms", "branch", "repoIdentifier"); err != nil {
		return httpio.Answer{}, err
	}
	page, err := httpio.ReadPaging(c.Q, "size", 10, 100)
	if err != nil {
		return httpio.Answer{}, err
	}
	f, err := readExecutionFilter(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	all, err := d.executions(c, f, cmp.Or(c.Q.Get("sort"), "startTs,DESC"))
	if err != nil {
		return httpio.Answer{}, err
	}
	items := []executionSummary{}
	for _, r := range httpio.Cut(all, page) {
		run, err := d.Views.Run(c.Ctx, c.Who.Account, r.ID)
		if err != nil {
			return httpio.Answer{}, err
		}
		items = append(items, summarize(run))
	}
	return httpio.OK(c.Request, httpio.PageOf(items, len(all), page)), nil
}

// executions returns the project's runs that pass a filter, in order.
func (d *door) executions(c *request.Call, f executionFilter, order string) ([]core.Run, error) {
	compare, err := sortBy(order, map[string]func(a, b core.Run) int{
		"startTs":   func(a, b core.Run) int { return cmp.Compare(a.ID, b.ID) },
		"createdAt": func(a, b core.Run) int { return cmp.Compare(a.ID, b.ID) },
		"endTs":     func(a, b core.Run) int { return cmp.Compare(a.Ended, b.Ended) },
		"name":      func(a, b core.Run) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
		"status":    func(a, b core.Run) int { return cmp.Compare(a.Status, b.Status) },
	})
	if err != nil {
		return nil, err
	}
	var all []core.Run
	for cursor, seen := "", 0; seen < maxListed; {
		runs, next, err := d.Views.List(c.Ctx, c.At, 1000, cursor)
		if err != nil {
			return nil, err
		}
		seen += len(runs)
		for _, r := range runs {
			ok, err := d.wanted(c, f, r)
			if err != nil {
				return nil, err
			}
			if ok {
				all = append(all, r)
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	slices.SortStableFunc(all, compare)
	return all, nil
}

// wanted asks how a run stands only when the filter does.
func (d *door) wanted(c *request.Call, f executionFilter, r core.Run) (bool, error) {
	if !f.passes(r) || len(f.Status) == 0 {
		return f.passes(r), nil
	}
	status, err := d.Views.Now(c.Ctx, r)
	return err == nil && f.passesStatus(status), err
}

// sortBy reads "field,ASC" or "field,DESC".
func sortBy[T any](order string, fields map[string]func(a, b T) int) (func(a, b T) int, error) {
	name, direction, _ := strings.Cut(order, ",")
	compare, ok := fields[name]
	if !ok {
		return nil, fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", order)
	}
	if strings.EqualFold(direction, "DESC") {
		return func(a, b T) int { return compare(b, a) }, nil
	}
	return compare, nil
}
