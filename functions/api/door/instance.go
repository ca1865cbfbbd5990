package door

import (
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/view"
)

// instance is Harness's ApprovalInstanceResponse.
type instance struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"` // HarnessApproval
	Status   string  `json:"status"`
	Deadline int64   `json:"deadline"`
	Created  int64   `json:"createdAt"`
	Modified int64   `json:"lastModifiedAt"`
	Error    *string `json:"errorMessage"`
	Approved bool    `json:"approvedByCurrentUser"`
	Rejected bool    `json:"rejectedByCurrentUser"`
	Details  details `json:"details"`
}

// details is HarnessApprovalInstanceDetails.
type details struct {
	Message    string      `json:"approvalMessage"`
	History    bool        `json:"includePipelineExecutionHistory"`
	Approvers  approvers   `json:"approvers"`
	Activities []activity  `json:"approvalActivities"`
	Inputs     []inputInfo `json:"approverInputs"`
}

type approvers struct {
	Groups           []string `json:"userGroups"`
	Minimum          int      `json:"minimumCount"`
	DisallowExecutor bool     `json:"disallowPipelineExecutor"`
}

type activity struct {
	User     person          `json:"user"`
	Action   string          `json:"action"`
	Inputs   []approverInput `json:"approverInputs"`
	Comments string          `json:"comments"`
	At       int64           `json:"approvedAt"`
}

type person struct {
	UUID  string `json:"uuid"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type inputInfo struct {
	Name    string `json:"name"`
	Default string `json:"defaultValue"`
}

// approvalInstance is an approval as user me sees it.
func approvalInstance(a view.Approval, me string) instance {
	spec := a.Approval.Spec
	out := instance{ID: a.ID, Type: "HarnessApproval", Status: a.Approval.Status, Deadline: a.Approval.Deadline,
		Created: a.Created, Modified: a.Created, Details: details{Message: spec.Message, History: spec.IncludeHistory,
			Approvers:  approvers{Groups: append([]string{}, spec.UserGroups...), Minimum: spec.MinimumCount, DisallowExecutor: spec.DisallowPipelineExecutor},
			Activities: []activity{}, Inputs: []inputInfo{}}}
	for _, in := range spec.Inputs {
		out.Details.Inputs = append(out.Details.Inputs, inputInfo{in.Name, in.DefaultValue})
	}
	for _, x := range a.Approval.Activities {
		out.Modified = x.At
		if x.By.ID == me {
			out.Approved, out.Rejected = x.Action == "APPROVE", x.Action == "REJECT"
		}
		out.Details.Activities = append(out.Details.Activities, activity{User: person{x.By.ID, x.By.Name, x.By.Email},
			Action: x.Action, Comments: x.Comments, At: x.At, Inputs: answered(spec.Inputs, x.Inputs)})
	}
	return out
}

// answered lists values in the order they were asked for.
func answered(asked []steps.ApproverInput, values map[string]string) []approverInput {
	out := []approverInput{}
	for _, in := range asked {
		if v, ok := values[in.Name]; ok {
			out = append(out, approverInput{in.Name, v})
		}
	}
	return out
}

// v1Instance is Harness's ApprovalInstanceResponseBody. Its details are spelled
// as the other v1 bodies are.
func v1Instance(a view.Approval) map[string]any {
	in := approvalInstance(a, "")
	activities := []map[string]any{}
	for _, x := range in.Details.Activities {
		activities = append(activities, map[string]any{"user": x.User, "action": x.Action, "comments": x.Comments,
			"approved_at": x.At, "approver_inputs": x.Inputs})
	}
	inputs := []map[string]any{}
	for _, x := range in.Details.Inputs {
		inputs = append(inputs, map[string]any{"name": x.Name, "default_value": x.Default})
	}
	return map[string]any{"id": in.ID, "type": in.Type, "status": in.Status, "deadline": in.Deadline, "created": in.Created,
		"updated": in.Modified, "error_message": "", "details": map[string]any{
			"approval_message":                   in.Details.Message,
			"include_pipeline_execution_history": in.Details.History,
			"approvers": map[string]any{"user_groups": in.Details.Approvers.Groups, "minimum_count": in.Details.Approvers.Minimum,
				"disallow_pipeline_executor": in.Details.Approvers.DisallowExecutor},
			"approval_activities": activities,
			"approver_inputs":     inputs,
		}}
}
