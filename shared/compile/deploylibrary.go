package compile

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Kinds of documents that Deployment stages refer to. Overrides are never named: they
// are gone through with Reference.Nth.
const (
	KindService          Kind = "service"
	KindEnvironment      Kind = "environment"
	KindEnvironmentGroup Kind = "environmentGroup"
	KindInfrastructure   Kind = "infrastructureDefinition"
	KindOverride         Kind = "overrides"
	KindConnector        Kind = "connector"
)

// entityKinds are the kinds that are told by their first key, in the order in which
// those are looked for.
var entityKinds = []Kind{KindService, KindEnvironment, KindEnvironmentGroup, KindInfrastructure, KindOverride, "serviceOverrides", KindConnector}

// overrideTypes tell an override that has no first key (BEHAVIOUR §4.1), weakest first.
var overrideTypes = []core.OverrideType{core.OverrideEnvironment, core.OverrideService, core.OverrideInfrastructure, core.OverrideInfrastructureService}

// entityOf returns what a document is and the node its fields stand in.
func entityOf(root *yamldoc.Node) (kind Kind, body *yamldoc.Node) {
	if root == nil || root.Kind != yamldoc.Map {
		return "", nil
	}
	for _, k := range entityKinds {
		if body := root.Get(string(k)); body != nil && body.Kind == yamldoc.Map {
			if k == "serviceOverrides" {
				k = KindOverride
			}
			return k, body
		}
	}
	for _, t := range overrideTypes {
		if textAt(root, "type") == string(t) {
			return KindOverride, root
		}
	}
	return "", nil
}

// shelveEntity reads what a document of a Deployment stage is; ok is false for others.
func shelveEntity(src Source) (s shelf, id *yamldoc.Node, ok bool) {
	kind, body := entityOf(src.root)
	if kind == "" {
		return s, nil, false
	}
	id = body.Get("identifier")
	if !id.Scalar() {
		if kind != KindOverride {
			return s, nil, false
		}
		id = body
	}
	s = shelf{source: src, ref: Reference{Kind: kind, Identifier: id.Text, At: core.Scope{Org: textAt(body, "orgIdentifier"), Project: textAt(body, "projectIdentifier")}}}
	if kind == KindOverride {
		s.ref.Identifier = "" // not what it is found by
	}
	if kind == KindInfrastructure {
		env := textAt(body, "environmentRef")
		if strings.Contains(env, "<+") {
			env = ""
		}
		switch { // it lives where its environment does
		case strings.HasPrefix(env, "account."):
			s.ref.At = core.Scope{}
		case strings.HasPrefix(env, "org."):
			s.ref.At.Project = ""
		}
		s.ref.Environment = bare(env)
	}
	return s, id, true
}

// bare is a reference without its scope.
func bare(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "account."), "org.")
}

// nth returns the document that a reference with Nth asks for: of a kind and, when it
// says so, an environment, as they can be seen from where it stands.
func nth(from []shelf, r Reference) (Source, bool) {
	n := r.Nth
	for i := range from {
		s := from[i].ref
		seen := s.At.Org == "" || s.At.Org == r.At.Org && (s.At.Project == "" || s.At.Project == r.At.Project)
		if !seen || r.Environment != "" && s.Environment != "" && s.Environment != r.Environment {
			continue
		}
		if n--; n == 0 {
			return from[i].source, true
		}
	}
	return Source{}, false
}
