package schema

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Kind is a kind of document.
type Kind struct {
	Name string // what `slipway schema` and `validate` call it
	Root string // the key it begins with; "" for one that is known by something else
	Type string // what its facts are declared as
	Doc  string
}

// kinds in the order of the reference.
var kinds = []Kind{
	{"pipeline", "pipeline", "Pipeline", "stages and steps, in the order they run"},
	{"template", "template", "Template", "a part of a pipeline for many pipelines to use"},
	{"inputSet", "inputSet", "InputSet", "values for the runtime inputs of one pipeline"},
	{"overlayInputSet", "overlayInputSet", "OverlayInputSet", "input sets of one pipeline, to be merged in order"},
	{"trigger", "trigger", "Trigger", "what starts a pipeline by itself"},
	{"service", "service", "Service", "what is deployed: artifacts, manifests, variables"},
	{"environment", "environment", "Environment", "where services are deployed to"},
	{"environmentGroup", "environmentGroup", "EnvironmentGroup", "several environments under one name"},
	{"infrastructureDefinition", "infrastructureDefinition", "InfrastructureDefinition", "one target in an environment"},
	{"overrides", "overrides", "Overrides", "values of a service that an environment or infrastructure changes"},
	{"serviceOverrides", "serviceOverrides", "ServiceOverrides", "the older form of overrides: one service in one environment"},
	{"connector", "connector", "Connector", "how to reach a cluster, cloud, registry, repository or other system"},
	{"secret", "secret", "Secret", "a value that nobody may see"},
	{"variable", "variable", "PlatformVariable", "a value for a whole account, organization or project"},
	{"freeze", "freeze", "Freeze", "times at which nothing may be deployed"},
	{"Application", "", "Application", "a GitOps application: a source that a cluster follows"},
	{"ApplicationSet", "", "ApplicationSet", "a generator of GitOps applications"},
	{"AppProject", "", "AppProject", "what the GitOps applications of a group may do"},
	{"stage", "stage", "Stage", "a stage on its own"},
	{"stepGroup", "stepGroup", "StepGroup", "a step group on its own"},
	{"step", "step", "Step", "a step on its own"},
	{"steplist", "", "StepList", "a list of stages or of steps on its own"},
	{"fragment", "", "Fragment", "some fields of a stage on their own, such as execution:"},
}

// Kinds returns all kinds of documents.
func Kinds() []Kind { return slices.Clone(kinds) }

// Lookup finds a kind by its name, whatever the case of its letters.
func Lookup(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return strings.EqualFold(k.Name, name) })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

func kindNamed(name string) Kind {
	k, _ := Lookup(name)
	return k
}

// overrideTypes are the types of override, which need no root key (BEHAVIOUR §4.1).
var overrideTypes = []string{"ENV_GLOBAL_OVERRIDE", "ENV_SERVICE_OVERRIDE", "INFRA_GLOBAL_OVERRIDE", "INFRA_SERVICE_OVERRIDE"}

// recognise finds the kind of a document by its root. at is what the kind's type
// describes.
func recognise(root *yamldoc.Node) (k Kind, at *yamldoc.Node, ok bool) {
	if root.Kind == yamldoc.List {
		return kindNamed("steplist"), root, wrappers(root)
	}
	if root.Kind != yamldoc.Map {
		return Kind{}, nil, false
	}
	if api := root.Get("apiVersion"); api != nil {
		kind := root.Get("kind")
		if kind == nil || !strings.HasPrefix(api.Text, "argoproj.io/") || !slices.Contains([]string{"Application", "ApplicationSet", "AppProject"}, kind.Text) {
			return Kind{}, nil, false
		}
		return kindNamed(kind.Text), root, true
	}
	for _, k := range kinds {
		if k.Root != "" && root.Get(k.Root) != nil {
			return k, root.Get(k.Root), true
		}
	}
	if t := root.Get("type"); t != nil && slices.Contains(overrideTypes, t.Text) {
		return kindNamed("overrides"), root, true
	}
	if len(root.Entries) > 0 && fragment(root) {
		return kindNamed("fragment"), root, true
	}
	return Kind{}, nil, false
}

// wrappers reports whether every item of a list is `- step:`, `- stage:` or alike.
func wrappers(list *yamldoc.Node) bool {
	for _, it := range list.Items {
		if it.Get("step") == nil && it.Get("stepGroup") == nil && it.Get("parallel") == nil && it.Get("stage") == nil && it.Get("insert") == nil {
			return false
		}
	}
	return len(list.Items) > 0
}

// fragment reports whether a map holds fields of a stage and nothing else.
func fragment(root *yamldoc.Node) bool {
	o := named("Fragment").object
	for _, e := range root.Entries {
		if o.field(e.Key.Text) == nil {
			return false
		}
	}
	return true
}

func foreign(root *yamldoc.Node) core.Diagnostics {
	msg, help := "the document begins with nothing known", "a document begins with its kind, such as pipeline:"
	switch {
	case root.Kind == yamldoc.Null:
		msg = "the document is empty"
	case root.Kind != yamldoc.Map:
		msg = "the document is " + root.Kind.String()
	case root.Get("apiVersion") != nil && root.Get("kind") != nil:
		msg, help = "the document is a Kubernetes "+root.Get("kind").Text, "of these, Application, ApplicationSet and AppProject of argoproj.io are understood"
	case root.Get("version") != nil && root.Get("spec") != nil:
		msg, help = "the document is of another format of pipelines, which has version: and spec:", "write it in the format that begins with pipeline:"
	case len(root.Entries) > 0:
		first := root.Entries[0].Key.Text
		msg = "the document begins with " + quote(first) + ", which is no kind of document"
		var names []string
		for _, k := range kinds {
			names = append(names, k.Root)
		}
		if near := nearest(first, names); near != "" {
			help = "did you mean " + near + ":?"
		}
	}
	return core.Diagnostics{{
		Severity: core.SeverityError, Code: CodeForeign, Message: msg, Help: help,
		File: root.Pos.File, Line: root.Pos.Line, Column: root.Pos.Column, Path: root.Pointer(),
	}}
}

// document checks a document whose kind is known.
func (c *checker) document(k Kind, root, at *yamldoc.Node) {
	if k.Root != "" && at != root {
		for i := range root.Entries {
			if e := &root.Entries[i]; e.Value != at && !slices.Contains(everywhere, e.Key.Text) {
				c.add(core.SeverityWarning, e.Value, e.Key.Pos, CodeUnknownField,
					"unknown field "+quote(e.Key.Text)+" beside "+k.Root, "the fields stand below "+k.Root+":, indented")
				c.free(e.Value)
			}
		}
		if at.Kind == yamldoc.Null {
			c.errorf(at, CodeWrongType, "indent its fields below "+k.Root+":", "%s is nothing: expected a map", k.Root)
			return
		}
		if open(at) {
			c.errorf(at, CodeWrongType, "indent its fields below "+k.Root+":", "%s is an expression: expected a map", k.Root)
			return
		}
	}
	c.value(at, named(k.Type))
}

func identifierOf(k Kind, at *yamldoc.Node) string {
	id := at.Get("identifier")
	if k.Root == "" && id == nil {
		id = at.At("metadata", "name")
	}
	if id == nil || !id.Scalar() {
		return ""
	}
	return id.Text
}
