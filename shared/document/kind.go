// Package document reads what people write: it recognises a document's kind and
// returns the entity that it describes, with what it refers to, or says all that is
// wrong with it.
package document

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// level is a set of scopes.
type level int

const (
	inAccount level = 1 << iota
	inOrg
	inProject
	anywhere = inAccount | inOrg | inProject
)

// kind is what is particular to a kind of document.
type kind struct {
	name  core.EntityKind
	roots []string // the keys it may begin with
	in    level    // where it may live (BEHAVIOUR §1.1)
	// parent is the kind of what it belongs to, which must be there before it.
	parent core.EntityKind
	// made: it is written by the platform for what people do, and is no document of theirs.
	made bool
	// read takes what lists and clients want to know from the body into the entity.
	read func(*reader, *core.Entity)
}

// kinds in the order in which they are stored: what others refer to comes first.
var kinds = []kind{
	{name: core.EntityOrganization, roots: []string{"organization"}, in: inAccount},
	{name: core.EntityProject, roots: []string{"project"}, in: inOrg, read: readProject},
	{name: core.EntityVariable, roots: []string{"variable"}, in: anywhere, read: readVariable},
	{name: core.EntitySecret, roots: []string{"secret"}, in: anywhere, read: readSecret},
	{name: core.EntityConnector, roots: []string{"connector"}, in: anywhere, read: readTyped},
	{name: core.EntityTemplate, roots: []string{"template"}, in: anywhere, read: readTemplate},
	{name: core.EntityService, roots: []string{"service"}, in: anywhere, read: readService},
	{name: core.EntityEnvironment, roots: []string{"environment"}, in: anywhere, read: readTyped},
	{name: core.EntityInfrastructure, roots: []string{"infrastructureDefinition"}, in: anywhere, parent: core.EntityEnvironment, read: readInfrastructure},
	{name: core.EntityEnvironmentGroup, roots: []string{"environmentGroup"}, in: anywhere, read: readGroup},
	{name: core.EntityOverrides, roots: []string{"overrides", "serviceOverrides"}, in: anywhere, read: readOverrides},
	{name: core.EntityPipeline, roots: []string{"pipeline"}, in: inProject, read: readPipeline},
	{name: core.EntityInputSet, roots: []string{"inputSet", "overlayInputSet"}, in: inProject, parent: core.EntityPipeline, read: readInputSet},
	{name: core.EntityTrigger, roots: []string{"trigger"}, in: inProject, parent: core.EntityPipeline, read: readTrigger},
	{name: core.EntityFreeze, roots: []string{"freeze"}, in: anywhere, read: readFreeze},
	{name: core.EntityUserGroup, roots: []string{"userGroup"}, in: anywhere, made: true, read: readMade},
	{name: core.EntityServiceAccount, roots: []string{"serviceAccount"}, in: anywhere, made: true, read: readServiceAccount},
	{name: core.EntityAPIKey, roots: []string{"apiKey"}, in: anywhere, parent: core.EntityServiceAccount, made: true, read: readAPIKey},
	{name: core.EntityToken, roots: []string{"token"}, in: anywhere, parent: core.EntityAPIKey, made: true, read: readToken},
	{name: core.EntityFilter, roots: []string{"filter"}, in: anywhere, made: true, read: readFilter},
}

// Kinds are all kinds of documents that are kept, in an order in which each comes
// after what it may refer to.
func Kinds() []core.EntityKind {
	var out []core.EntityKind
	for _, k := range kinds {
		if !k.made {
			out = append(out, k.name)
		}
	}
	return out
}

// Kept are the kinds of everything that is kept, documents or not, in such an order.
func Kept() []core.EntityKind {
	var out []core.EntityKind
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Root is the key that documents of a kind begin with.
func Root(name core.EntityKind) string { return find(name).roots[0] }

// ParentOf is the kind of what entities of a kind belong to, "" for none.
func ParentOf(name core.EntityKind) core.EntityKind { return find(name).parent }

// Home is where entities of a kind live that are asked for in a scope: an organization
// is the account's, a project its organization's.
func Home(name core.EntityKind, s core.Scope) core.Scope { return fit(s, find(name).in) }

func find(name core.EntityKind) kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{name: name, roots: []string{string(name)}}
	}
	return kinds[i]
}

// KindOf is the kind of a document, "" for one that is not kept.
func KindOf(root *yamldoc.Node) core.EntityKind {
	k, body, _ := recognise(root, "")
	if body == nil {
		return ""
	}
	return k.name
}

// Homes are the organization and project of a scope, as entities.
func Homes(s core.Scope) []core.EntityRef {
	var out []core.EntityRef
	if s.Org != "" {
		out = append(out, core.EntityRef{Kind: core.EntityOrganization, Scope: core.Scope{Account: s.Account}, Identifier: s.Org})
	}
	if s.Project != "" {
		out = append(out, core.EntityRef{Kind: core.EntityProject, Scope: core.Scope{Account: s.Account, Org: s.Org}, Identifier: s.Project})
	}
	return out
}

// overrideTypes tell an override that has no first key (BEHAVIOUR §4.1).
var overrideTypes = []core.OverrideType{core.OverrideEnvironment, core.OverrideService, core.OverrideInfrastructure, core.OverrideInfrastructureService}

// recognise finds the kind of a document and the node that its fields stand in; nil
// for a document that is not kept.
func recognise(root *yamldoc.Node, want core.EntityKind) (k kind, body *yamldoc.Node, first string) {
	if root == nil || root.Kind != yamldoc.Map {
		return kind{}, nil, ""
	}
	for _, k := range kinds {
		if k.made && k.name != want {
			continue
		}
		for _, r := range k.roots {
			if body := root.Get(r); body != nil {
				return k, body, r
			}
		}
	}
	if t := root.Get("type"); t != nil && slices.Contains(overrideTypes, core.OverrideType(t.Text)) {
		return find(core.EntityOverrides), root, ""
	}
	return kind{}, nil, ""
}
