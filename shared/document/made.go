package document

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Types of API keys: whom they belong to.
const (
	KeyOfUser    = "USER"
	KeyOfService = "SERVICE_ACCOUNT"
)

// readMade reads what is no document of people's: all of it has a name.
func readMade(r *reader, e *core.Entity) {
	e.Type = r.text("type")
	if e.Name == "" {
		r.errorf(r.node("name"), CodeMissing, "send a name", "the %s has no name", e.Kind)
	}
}

func readServiceAccount(r *reader, e *core.Entity) {
	readMade(r, e)
	email := r.text("email")
	r.fact(e, "email", email)
	if !strings.Contains(email, "@") {
		r.errorf(r.node("email"), CodeValue, "such as ci@service.example.com", "%q is no e-mail address", email)
	}
}

// owner is the Parent of an API key of a document that names its type and its parent.
func (r *reader) owner(e *core.Entity) string {
	e.Type = r.text("apiKeyType")
	parent := r.text("parentIdentifier")
	switch {
	case parent == "":
		r.errorf(r.node("parentIdentifier"), CodeMissing, "send the service account's identifier, or the user's", "the %s does not say whose it is: parentIdentifier", e.Kind)
	case e.Type == KeyOfUser && !strings.Contains(parent, "/"):
		return core.UserParent(parent)
	case e.Type == KeyOfService && ValidIdentifier(parent):
		return parent
	case e.Type == KeyOfService, e.Type == KeyOfUser:
		r.errorf(r.node("parentIdentifier"), CodeValue, "", "%q cannot be an identifier", parent)
	default:
		r.errorf(r.node("apiKeyType"), CodeValue, "", "apiKeyType is %q: expected %s or %s", e.Type, KeyOfUser, KeyOfService)
	}
	r.lost = true
	return ""
}

func readAPIKey(r *reader, e *core.Entity) {
	readMade(r, e)
	e.Parent = r.owner(e)
	r.fact(e, "defaultTimeToExpireToken", r.text("defaultTimeToExpireToken"))
}

func readToken(r *reader, e *core.Entity) {
	readMade(r, e)
	owner, key := r.owner(e), r.text("apiKeyIdentifier")
	if !ValidIdentifier(key) {
		r.errorf(r.node("apiKeyIdentifier"), CodeMissing, "send the API key's identifier", "the token does not say which API key it is of: apiKeyIdentifier")
		r.lost = true
		return
	}
	e.Parent = owner + "/" + key
	r.uses = append(r.uses, core.EntityRef{Kind: core.EntityAPIKey, Scope: e.Scope, Parent: owner, Identifier: key})
	for _, f := range []string{core.FactFrom, core.FactUntil, core.FactEnd} {
		r.fact(e, f, r.text(f))
	}
}

// FilterTypes are what saved filters may be for.
var FilterTypes = []string{"Anomaly", "Audit", "Autocud", "CCMBudget", "CCMConnector", "CCMK8sConnector", "CCMRecommendation", "Connector", "Delegate",
	"DelegateProfile", "Deployment", "Environment", "EnvironmentGroup", "FileStore", "InputSet", "Override", "PipelineExecution", "PipelineSetup",
	"QueuedPipeline", "RIInventory", "RuleExecution", "SPInventory", "Secret", "Service", "Template", "Trigger", "Webhook"}

// readFilter reads a saved filter, which is called by what it is for and its identifier.
func readFilter(r *reader, e *core.Entity) {
	readMade(r, e)
	e.Parent = r.text("filterProperties", "filterType")
	r.fact(e, "filterVisibility", r.text("filterVisibility"))
	if !slices.Contains(FilterTypes, e.Parent) {
		r.errorf(r.node("filterProperties", "filterType"), CodeValue, "", "filterType is %q: expected one of %s", e.Parent, strings.Join(FilterTypes, ", "))
		r.lost = true
	}
}
