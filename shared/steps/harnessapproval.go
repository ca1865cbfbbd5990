package steps

import (
	"time"

	"github.com/slipway-cd/slipway/shared/fault"
)

// harnessApproval asks people (BEHAVIOUR §17.1).
var harnessApproval = Step{
	Type: "HarnessApproval", Mode: Ask, DefaultTimeout: 24 * time.Hour,
	Fields: append(ignored(),
		Field{Name: "approvalMessage"},
		Field{Name: "includePipelineExecutionHistory", Type: Bool, Required: true},
		Field{Name: "callbackId"},
		Field{Name: "isAutoRejectEnabled", Type: Bool, Unsupported: "isAutoRejectEnabled", Harmless: "false"},
		Field{Name: "autoApproval", Type: Map, Unsupported: "autoApproval"},
		Field{Name: "approvers", Type: Map, Required: true, Fields: []Field{
			{Name: "userGroups", Type: List},
			{Name: "serviceAccounts", Type: List},
			{Name: "minimumCount", Type: Int, Required: true, Positive: true},
			{Name: "disallowPipelineExecutor", Type: Bool, Required: true},
			{Name: "disallowedUserEmails", Type: List},
		}},
		Field{Name: "approverInputs", Type: List, Fields: []Field{
			{Name: "name", Required: true, Identifier: true},
			{Name: "defaultValue"},
			{Name: "required", Type: Bool},
			{Name: "description"},
			{Name: "allowedValues"},
			{Name: "selectOneFrom"},
			{Name: "selectManyFrom"},
			{Name: "regex"},
		}},
		selectors(),
	),
}

// Approval is what a HarnessApproval asks for.
type Approval struct {
	Message                  string          `json:"message,omitempty"`
	IncludeHistory           bool            `json:"includePipelineExecutionHistory,omitempty"`
	UserGroups               []string        `json:"userGroups,omitempty"`
	ServiceAccounts          []string        `json:"serviceAccounts,omitempty"`
	MinimumCount             int             `json:"minimumCount"` // at least 1
	DisallowPipelineExecutor bool            `json:"disallowPipelineExecutor,omitempty"`
	DisallowedUserEmails     []string        `json:"disallowedUserEmails,omitempty"`
	Inputs                   []ApproverInput `json:"approverInputs,omitempty"`
	CallbackID               string          `json:"callbackId,omitempty"`
}

// ApproverInput is one question to the approver. At most one of the three lists
// and Regex is set.
type ApproverInput struct {
	Name           string   `json:"name"`
	DefaultValue   string   `json:"defaultValue,omitempty"`
	Required       bool     `json:"required,omitempty"`
	Description    string   `json:"description,omitempty"`
	AllowedValues  []string `json:"allowedValues,omitempty"`
	SelectOneFrom  []string `json:"selectOneFrom,omitempty"`
	SelectManyFrom []string `json:"selectManyFrom,omitempty"`
	Regex          string   `json:"regex,omitempty"`
}

// ReadApproval reads a rendered HarnessApproval spec. An error (fault.Invalid)
// fails the step: nobody to ask, a count below 1.
func ReadApproval(spec map[string]any) (Approval, error) {
	r := reader{spec: spec}
	a := Approval{
		Message:        r.text("approvalMessage"),
		IncludeHistory: r.boolean("includePipelineExecutionHistory"),
		CallbackID:     r.text("callbackId"),
	}
	if r.boolean("isAutoRejectEnabled") {
		return a, fault.New(fault.Unsupported, "not supported yet: isAutoRejectEnabled")
	}
	ap := reader{spec: r.object("approvers")}
	a.UserGroups = ap.texts("userGroups")
	a.ServiceAccounts = ap.texts("serviceAccounts")
	a.MinimumCount = ap.integer("minimumCount", 1)
	a.DisallowPipelineExecutor = ap.boolean("disallowPipelineExecutor")
	a.DisallowedUserEmails = ap.texts("disallowedUserEmails")
	items, _ := spec["approverInputs"].([]any)
	for _, it := range items {
		m, _ := it.(map[string]any)
		in, err := readInput(m)
		if err != nil {
			return a, err
		}
		a.Inputs = append(a.Inputs, in)
	}
	switch {
	case r.err != nil:
		return a, r.err
	case ap.err != nil:
		return a, ap.err
	case len(a.UserGroups)+len(a.ServiceAccounts) == 0:
		return a, fault.New(fault.Invalid, "approvers names no user group and no service account: nobody could approve")
	case a.MinimumCount < 1:
		return a, fault.New(fault.Invalid, "minimumCount is %d: expected at least 1", a.MinimumCount)
	}
	return a, nil
}

func readInput(m map[string]any) (ApproverInput, error) {
	r := reader{spec: m}
	in := ApproverInput{
		Name:           r.text("name"),
		DefaultValue:   r.text("defaultValue"),
		Required:       r.boolean("required"),
		Description:    r.text("description"),
		AllowedValues:  r.texts("allowedValues"),
		SelectOneFrom:  r.texts("selectOneFrom"),
		SelectManyFrom: r.texts("selectManyFrom"),
		Regex:          r.text("regex"),
	}
	if r.err == nil && in.Name == "" {
		return in, fault.New(fault.Invalid, "an approver input has no name")
	}
	return in, r.err
}

// reader keeps the first error of several reads.
type reader struct {
	spec map[string]any
	err  error
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) text(key string) string {
	v, err := text(r.spec, key)
	r.keep(err)
	return v
}

func (r *reader) boolean(key string) bool {
	v, err := boolean(r.spec, key)
	r.keep(err)
	return v
}

func (r *reader) integer(key string, fallback int) int {
	v, err := integer(r.spec, key, fallback)
	r.keep(err)
	return v
}

func (r *reader) texts(key string) []string {
	v, err := texts(r.spec, key)
	r.keep(err)
	return v
}

func (r *reader) object(key string) map[string]any {
	v, err := object(r.spec, key)
	r.keep(err)
	return v
}
