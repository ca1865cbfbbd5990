package door

import (
	"cmp"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
)

func (d *door) listApprovals(c *request.Call) (httpio.Answer, error) {
	found, err := d.Views.Approvals(c.Ctx, c.Who.Account, c.PathValue("id"))
	return httpio.Answer{Body: map[string]any{"approvals": found}}, err
}

// onlyApproval finds an approval by its id, or a run's when exactly one waits.
func (d *door) onlyApproval(c *request.Call, id string) (view.Approval, error) {
	found, err := d.Views.Approvals(c.Ctx, c.Who.Account, id)
	if err != nil {
		return view.Approval{}, err
	}
	return only(found)
}

func only(found []view.Approval) (view.Approval, error) {
	if len(found) == 1 {
		return found[0], nil
	}
	ids := make([]string, len(found))
	for i, a := range found {
		ids[i] = a.ID + " (" + a.Name + ")"
	}
	return view.Approval{}, fault.New(fault.Invalid, "%d approvals wait: name one of %s", len(found), strings.Join(ids, ", "))
}

// decision is one person's answer, in either of Harness's spellings.
type decision struct {
	Action   string          `json:"action"`
	Comments string          `json:"comments"`
	Inputs   []approverInput `json:"approverInputs"`
	V1Inputs []approverInput `json:"approver_inputs"`
	Auto     bool            `json:"autoApprove"`
}

type approverInput struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// readDecision reads and checks an answer's body.
func readDecision(c *request.Call) (core.Decided, error) {
	var in decision
	if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
		return core.Decided{}, err
	}
	out := core.Decided{Action: in.Action, By: c.Who.Actor, Comments: in.Comments}
	switch {
	case in.Auto:
		return out, fault.New(fault.Unsupported, "not supported yet: autoApprove")
	case len(in.Comments) > maxReason:
		return out, fault.New(fault.TooLarge, "comments may have %d bytes", maxReason)
	}
	for _, x := range append(in.Inputs, in.V1Inputs...) {
		if out.Inputs == nil {
			out.Inputs = map[string]string{}
		}
		if len(x.Value) > maxReason {
			return out, fault.New(fault.TooLarge, "an input may have %d bytes", maxReason)
		}
		out.Inputs[x.Name] = x.Value
	}
	return out, nil
}

// decide records an answer and returns the approval as it stands then.
func (d *door) decide(c *request.Call, approval string, e core.Decided) (view.Approval, error) {
	run, track, ok := view.ApprovalParts(approval)
	if !ok {
		return view.Approval{}, fault.New(fault.NotFound, "there is no approval %s", approval)
	}
	e.Approval = approval
	_, err := d.Journal.Apply(c.Ctx, journal.Ref{Account: c.Who.Account, Run: run, Track: track},
		core.Event{Type: core.EventDecided, Actor: c.Who.Actor.ID, Decided: &e})
	if err != nil {
		return view.Approval{}, err
	}
	return d.onlyApproval(c, approval)
}

func (d *door) answerApproval(c *request.Call) (httpio.Answer, error) {
	e, err := readDecision(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	a, err := d.decide(c, c.PathValue("id"), e)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, approvalInstance(a, c.Who.Actor.ID)), nil
}

// makeLink gives out a link with which one user can decide an approval once. It
// is as good as the user's own word, so only they and admins get it.
func (d *door) makeLink(c *request.Call) (httpio.Answer, error) {
	var req struct {
		User string `json:"user"`
	}
	if err := httpio.StrictJSON(c.Request, httpio.MaxBody, &req); err != nil {
		return httpio.Answer{}, err
	}
	user := cmp.Or(req.User, c.Who.Actor.ID)
	if user != c.Who.Actor.ID && !c.Who.Admin {
		return httpio.Answer{}, fault.New(fault.Forbidden, "only an admin can make a link for somebody else")
	}
	if _, err := d.Govern.User(c.Ctx, c.Who.Account, user); err != nil {
		return httpio.Answer{}, err
	}
	a, err := d.onlyApproval(c, c.PathValue("id"))
	if err != nil {
		return httpio.Answer{}, err
	}
	if a.Approval.Status != "WAITING" {
		return httpio.Answer{}, fault.New(fault.Gone, "approval %s is not waiting: it is %s", a.ID, a.Approval.Status)
	}
	token, err := d.Links.Make(c.Ctx, govern.Link{Account: c.Who.Account, Approval: a.ID, User: user,
		Digest: govern.LinkDigest(a.ID, a.Node, a.Approval.Spec), Expires: a.Approval.Deadline})
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.Answer{Body: map[string]any{"url": d.Launch.BaseURL + "/slipway/v1/approve/" + token,
		"approval": a.ID, "user": user, "expires": a.Approval.Deadline}}, nil
}
