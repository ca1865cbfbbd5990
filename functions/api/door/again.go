package door

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/launch"
)

// againRoutes start runs in the place of former ones.
func (d *door) againRoutes() httpio.Routes {
	const v1 = "/v1/orgs/{org}/projects/{project}/pipelines/{id}/execute"
	return httpio.Routes{
		"POST /slipway/v1/runs/{run}/rerun": d.ofRun(govern.Execute, d.rerunRun),
		"POST /slipway/v1/runs/{run}/retry": d.ofRun(govern.Execute, d.retryRun),
		"POST " + v1 + "/rerun/{run}":       request.V1(d.v1Rerun),
		"POST " + v1 + "/retry/{run}":       request.V1(d.v1Retry),
	}
}

// executeMore is POST …/execute/retry/{id}, …/execute/{id}/stages and
// …/execute/{id}/inputSetList, which a mux cannot tell apart.
func (d *door) executeMore(c *request.Call) (httpio.Answer, error) {
	id, what := c.PathValue("id"), c.PathValue("what")
	switch {
	case what == "stages" && id != "retry":
		return d.executeStages(c)
	case what == "inputSetList" && id != "retry":
		return d.executeSets(c)
	case id == "retry":
		c.SetPathValue("id", what)
		return d.retryPipeline(c)
	}
	return httpio.Answer{}, fault.New(fault.NotFound, "there is no route %s %s", c.Method, c.URL.Path)
}

// again is a request for a run like the one named.
func again(c *request.Call, run string) launch.Again {
	return launch.Again{Account: c.Who.Account, Run: run, By: c.Who.Actor, Key: c.Request.Header.Get("Idempotency-Key")}
}

// againRequest is the body of Slipway's own routes.
type againRequest struct {
	Inputs     map[string]string `json:"inputs"`
	InputSets  []string          `json:"inputSets"` // YAML
	Stages     []string          `json:"stages"`
	FailedOnly bool              `json:"failedOnly"`
}

func readAgain(c *request.Call) (launch.RetryRequest, error) {
	var req againRequest
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return launch.RetryRequest{}, err
	}
	out := launch.RetryRequest{Again: again(c, c.PathValue("run")), Stages: req.Stages, FailedOnly: req.FailedOnly}
	out.Inputs = req.Inputs
	for i, text := range req.InputSets {
		out.InputSets = append(out.InputSets, compile.Source{File: fmt.Sprintf("inputSets[%d]", i), Data: []byte(text)})
	}
	return out, nil
}

func (d *door) rerunRun(c *request.Call) (httpio.Answer, error) {
	req, err := readAgain(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if len(req.Stages) > 0 || req.FailedOnly {
		return httpio.Answer{}, fault.New(fault.Invalid, "stages and failedOnly belong to retry: a rerun runs all")
	}
	s, err := d.Launch.Rerun(c.Ctx, req.Again)
	return created(s), told(err)
}

func (d *door) retryRun(c *request.Call) (httpio.Answer, error) {
	req, err := readAgain(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.Launch.Retry(c.Ctx, req)
	return created(s), told(err)
}

// retryPipeline is Harness's: the run is a query parameter, the body its runtime inputs.
func (d *door) retryPipeline(c *request.Call) (httpio.Answer, error) {
	body, err := httpio.Bytes(c.Request, httpio.MaxBody)
	if err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.retry(c, c.Q.Get("planExecutionId"), "retryStages", "runAllStages", string(body))
	if err != nil {
		return httpio.Answer{}, err
	}
	return executedAnswer(c, s), nil
}

func (d *door) v1Retry(c *request.Call) (httpio.Answer, error) {
	inputs, err := v1Inputs(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.retry(c, c.PathValue("run"), "retry_stages", "run_all_stages", inputs)
	return v1Started(s), err
}

func (d *door) v1Rerun(c *request.Call) (httpio.Answer, error) {
	inputs, err := v1Inputs(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.ofPipeline(c, c.PathValue("run")); err != nil {
		return httpio.Answer{}, err
	}
	a := again(c, c.PathValue("run"))
	a.InputSets = runtimeInputs(inputs)
	s, err := d.Launch.Rerun(c.Ctx, a)
	return v1Started(s), told(err)
}

// retry takes up a run of the pipeline that the path names.
func (d *door) retry(c *request.Call, run, stages, all, inputs string) (launch.Started, error) {
	if run == "" {
		return launch.Started{}, fault.New(fault.Invalid, "query parameter planExecutionId is needed: the run to retry")
	}
	if err := d.ofPipeline(c, run); err != nil {
		return launch.Started{}, err
	}
	req := launch.RetryRequest{Again: again(c, run)}
	for _, list := range c.Q[stages] {
		req.Stages = append(req.Stages, strings.Split(list, ",")...)
	}
	req.Stages = slices.DeleteFunc(req.Stages, func(s string) bool { return s == "" })
	if text := c.Q.Get(all); text != "" {
		run, err := strconv.ParseBool(text)
		if err != nil {
			return launch.Started{}, fault.New(fault.Invalid, "query parameter %s is %q: expected true or false", all, text)
		}
		req.FailedOnly = !run
	}
	if !utf8.ValidString(inputs) {
		return launch.Started{}, fault.New(fault.Invalid, "the inputs are not UTF-8")
	}
	req.InputSets = runtimeInputs(inputs)
	s, err := d.Launch.Retry(c.Ctx, req)
	return s, told(err)
}

// ofPipeline refuses a run of another project or pipeline as if it were not there.
func (d *door) ofPipeline(c *request.Call, run string) error {
	if err := d.inProject(c, govern.Execute, run); err != nil {
		return err
	}
	r, err := d.Journal.Run(c.Ctx, c.Who.Account, run)
	if err == nil && r.Plan.Identifier != c.PathValue("id") {
		err = fault.New(fault.NotFound, "run %s is not one of pipeline %s", run, c.PathValue("id"))
	}
	return err
}

// runtimeInputs is a body of inputs as an input set; none for an empty one.
func runtimeInputs(text string) []compile.Source {
	if t := strings.TrimSpace(text); t == "" || t == "{}" || t == `""` {
		return nil
	}
	return []compile.Source{{File: "inputs.yaml", Data: []byte(text)}}
}

func v1Inputs(c *request.Call) (string, error) {
	if err := httpio.Unsupported(c.Q, "branch_name", "branch", "connector_ref", "repo_name", "notes"); err != nil {
		return "", err
	}
	var in struct {
		Inputs string `json:"inputs_yaml"`
	}
	err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &in)
	return in.Inputs, err
}

func v1Started(s launch.Started) httpio.Answer {
	return httpio.Answer{Body: map[string]any{"execution_details": map[string]string{"execution_id": s.Run, "status": string(core.Running)}}}
}
