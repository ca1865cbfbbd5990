package door

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// retryRoutes are Harness's for retries, beside the oldest (see executeMore).
func (d *door) retryRoutes() httpio.Routes {
	const route = " /pipeline/api/pipeline/execute"
	return httpio.Routes{
		"POST" + route + "/retry/v2/{id}": request.Project(d.retryPipelineV2),
		"GET" + route + "/{run}/{what}":   request.Project(d.executeLook),
	}
}

// executeLook is GET …/execute/retryHistory/{run}, …/latestExecutionId/{run} and
// …/{run}/retryStages, which a mux cannot tell apart.
func (d *door) executeLook(c *request.Call) (httpio.Answer, error) {
	run, what := c.PathValue("run"), c.PathValue("what")
	look := map[string]func(*request.Call) (httpio.Answer, error){"retryHistory": d.retryHistory, "latestExecutionId": d.latestExecution}[run]
	switch {
	case look != nil:
		c.SetPathValue("run", what)
	case what == "retryStages":
		look = d.retryStages
	default:
		return httpio.Answer{}, fault.New(fault.NotFound, "there is no route %s %s", c.Method, c.URL.Path)
	}
	return look(c)
}

// retryPipelineV2 is the retry whose runtime inputs are a field of its body.
func (d *door) retryPipelineV2(c *request.Call) (httpio.Answer, error) {
	var req struct {
		Inputs string   `json:"runtimeInputYaml"`
		Last   string   `json:"lastYamlToMerge"`
		Refs   []string `json:"inputSetReferences"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	if len(req.Refs) > 0 {
		return httpio.Answer{}, fault.New(fault.Unsupported, "not supported yet: inputSetReferences of a retry")
	}
	if req.Inputs == "" {
		req.Inputs = req.Last
	}
	s, err := d.retry(c, c.Q.Get("planExecutionId"), "retryStages", "runAllStages", req.Inputs)
	if err != nil {
		return httpio.Answer{}, err
	}
	return executedAnswer(c, s), nil
}

// executionInfo is Harness's.
type executionInfo struct {
	UUID    string `json:"uuid"`
	StartTs int64  `json:"startTs"`
	EndTs   *int64 `json:"endTs"`
	Status  string `json:"status"`
}

// history is RetryHistoryResponse: all runs of a chain of retries, the latest first.
type history struct {
	Error  *string         `json:"errorMessage"`
	Latest string          `json:"latestExecutionId,omitempty"`
	Infos  []executionInfo `json:"executionInfos"`
}

func (d *door) history(c *request.Call, run string) (history, error) {
	runs, err := d.Launch.Retries(c.Ctx, c.Who.Account, run)
	if err != nil {
		return history{}, err
	}
	out := history{Infos: []executionInfo{}}
	for _, id := range runs {
		r, err := d.Views.Run(c.Ctx, c.Who.Account, id)
		if err != nil {
			return history{}, err
		}
		x := executionInfo{UUID: id, StartTs: r.Started, Status: r.Status}
		if r.Finished > 0 {
			x.EndTs = &r.Finished
		}
		out.Infos = append(out.Infos, x)
	}
	if len(runs) == 1 {
		text := "run " + run + " has not been retried, and is no retry"
		return history{Error: &text, Infos: []executionInfo{}}, nil
	}
	out.Latest = runs[0]
	return out, nil
}

func (d *door) retryHistory(c *request.Call) (httpio.Answer, error) {
	if err := d.inProject(c, govern.View, c.PathValue("run")); err != nil {
		return httpio.Answer{}, err
	}
	h, err := d.history(c, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, h), nil
}

func (d *door) latestExecution(c *request.Call) (httpio.Answer, error) {
	if err := d.inProject(c, govern.View, c.PathValue("run")); err != nil {
		return httpio.Answer{}, err
	}
	h, err := d.history(c, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, map[string]any{"errorMessage": h.Error, "latestExecutionId": h.Latest}), nil
}

// retryStages tells with which stages a run can be taken up: up to the first that has
// failed.
func (d *door) retryStages(c *request.Call) (httpio.Answer, error) {
	run := c.PathValue("run")
	if err := d.inProject(c, govern.View, run); err != nil {
		return httpio.Answer{}, err
	}
	type info struct {
		Name       string `json:"name"`
		Identifier string `json:"identifier"`
		Parent     string `json:"parentId"`
		Status     string `json:"status"`
	}
	groups := []map[string]any{}
	stages, err := d.Launch.RetryStages(c.Ctx, c.Who.Account, run)
	if err != nil {
		text := err.Error()
		return httpio.OK(c.Request, map[string]any{"resumable": false, "errorMessage": text, "groups": groups}), onlyIf(err, fault.Is(err, fault.NotFound))
	}
	for _, g := range stages {
		var infos []info
		for _, s := range g {
			infos = append(infos, info{s.Name, s.Identifier, s.Parent, core.Status(s.Status).API()})
		}
		groups = append(groups, map[string]any{"info": infos})
	}
	return httpio.OK(c.Request, map[string]any{"resumable": true, "errorMessage": nil, "groups": groups}), nil
}

func onlyIf(err error, is bool) error {
	if is {
		return err
	}
	return nil
}
