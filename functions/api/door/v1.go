package door

import (
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
)

func (d *door) v1Execute(c *request.Call) (httpio.Answer, error) {
	if err := httpio.Unsupported(c.Q, "branch_name", "branch", "connector_ref", "repo_name", "notes"); err != nil {
		return httpio.Answer{}, err
	}
	var in struct {
		Inputs string `json:"inputs_yaml"`
	}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &in); err != nil {
		return httpio.Answer{}, err
	}
	s, err := d.execute(c, stageRequest{Inputs: in.Inputs})
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"execution_details": map[string]string{
		"execution_id": s.Run, "status": string(core.Running)}}}, nil
}

func (d *door) v1ListApprovals(c *request.Call) (httpio.Answer, error) {
	run, err := d.runHere(c, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	typ, node := c.Q.Get("approval_type"), c.Q.Get("node_execution_id")
	listed := []map[string]any{}
	for _, a := range run.Approvals {
		at := slices.IndexFunc(run.Nodes, func(n view.Node) bool { return n.FQN == a.Node })
		if (typ == "" || typ == "HarnessApproval") && (node == "" || run.Nodes[at].ID == node) &&
			(c.Q.Get("approval_status") == "" || c.Q.Get("approval_status") == a.Approval.Status) {
			listed = append(listed, v1Instance(a))
		}
	}
	return httpio.Answer{Body: listed}, nil
}

// v1AnswerApproval answers the approval of a run that waits: the only one, or the
// one whose step has the callback id.
func (d *door) v1AnswerApproval(c *request.Call) (httpio.Answer, error) {
	e, err := readDecision(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.inProject(c, govern.View, c.PathValue("run")); err != nil {
		return httpio.Answer{}, err
	}
	waiting, err := d.Views.Approvals(c.Ctx, c.Who.Account, c.PathValue("run"))
	if err != nil {
		return httpio.Answer{}, err
	}
	if id := c.Q.Get("callback_id"); id != "" {
		waiting = slices.DeleteFunc(waiting, func(a view.Approval) bool { return a.Approval.Spec.CallbackID != id })
	}
	if len(waiting) == 0 {
		return httpio.Answer{}, fault.New(fault.NotFound, "no approval of run %s waits under that callback id", c.PathValue("run"))
	}
	a, err := only(waiting)
	if err != nil {
		return httpio.Answer{}, err
	}
	if a, err = d.decide(c, a.ID, e); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: v1Instance(a)}, nil
}
