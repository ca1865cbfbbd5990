package door

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// executionFilter is what of PipelineExecutionFilterProperties is understood.
type executionFilter struct {
	Status       []string      `json:"status"`
	PipelineName string        `json:"pipelineName"`
	Pipelines    []string      `json:"pipelineIdentifiers"`
	Tags         []request.Tag `json:"pipelineTags"`
	Triggers     []string      `json:"triggerTypes"`
	Executions   []string      `json:"planExecutionIds"`
	Mine         bool          `json:"myDeployments"`
	Time         *struct {
		Start int64 `json:"startTime"`
		End   int64 `json:"endTime"`
	} `json:"timeRange"`
	Mode string `json:"executionModeFilter"`
	term string
	me   string
}

func readExecutionFilter(c *request.Call) (executionFilter, error) {
	f := executionFilter{term: c.Q.Get("searchTerm"), me: c.Who.Actor.ID}
	err := c.Filter("PipelineExecution", &f, "pipelineTagsV2", "pipelineLabels", "moduleProperties", "triggerIdentifiers",
		"branchName", "repo", "inputSetIdentifiers", "executionNotes")
	if err != nil {
		return f, err
	}
	if f.Mode == "ROLLBACK" {
		return f, fault.New(fault.Unsupported, "not supported yet: filter executionModeFilter ROLLBACK")
	}
	f.Status = append(f.Status, httpio.Values(c.Q, "status")...)
	if p := c.Q.Get("pipelineIdentifier"); p != "" {
		if len(f.Pipelines) > 0 && !slices.Contains(f.Pipelines, p) {
			p = "" // both must hold: no pipeline has no identifier
		}
		f.Pipelines = []string{p}
	}
	f.Mine = f.Mine || c.Q.Get("myDeployments") == "true"
	return f, nil
}

// passes decides by everything but the status, which has to be asked for.
func (f executionFilter) passes(r core.Run) bool {
	any := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	return any(f.Pipelines, r.Pipeline) && any(f.Triggers, r.Trigger) && any(f.Executions, r.ID) &&
		request.Holds(r.Name, f.PipelineName) && request.Tagged(r.Tags, f.Tags) && (!f.Mine || r.By.ID == f.me) &&
		(f.Time == nil || r.Started >= f.Time.Start && (f.Time.End == 0 || r.Started <= f.Time.End)) &&
		request.Found(f.term, r.Tags, r.Name, r.Pipeline)
}

// passesStatus accepts both spellings of a status, ApprovalWaiting and
// APPROVAL_WAITING; Waiting stands for every wait.
func (f executionFilter) passesStatus(s core.Status) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return len(f.Status) == 0 || slices.ContainsFunc(f.Status, func(want string) bool {
		return plain(want) == plain(s.API()) || want == "Waiting" && strings.HasSuffix(s.API(), "Waiting")
	})
}
