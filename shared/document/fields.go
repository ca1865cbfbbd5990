package document

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// fact notes something that lists show and filter by, when the document says it.
func (r *reader) fact(e *core.Entity, name, value string) {
	if value == "" {
		return
	}
	if e.Facts == nil {
		e.Facts = map[string]string{}
	}
	e.Facts[name] = value
}

func readTyped(r *reader, e *core.Entity) { e.Type = r.text("type") }

func readProject(r *reader, e *core.Entity) {
	r.fact(e, "color", r.text("color"))
}

// maxVariable bounds a variable's value, which lists show, in bytes.
const maxVariable = 16 << 10

func readVariable(r *reader, e *core.Entity) {
	e.Type = r.text("type")
	r.fact(e, "valueType", r.text("spec", "valueType"))
	r.fact(e, "fixedValue", r.text("spec", "fixedValue"))
	if n := len(r.text("spec", "fixedValue")); n > maxVariable {
		r.errorf(r.node("spec", "fixedValue"), CodeValue, "keep it in the file store, or in a secret", "the value has %d bytes: at most %d are allowed", n, maxVariable)
	}
	if t := r.text("spec", "valueType"); t != "" && t != "FIXED" {
		r.errorf(r.node("spec", "valueType"), CodeValue, "use FIXED", "a variable of an account, organization or project has a FIXED value, not %s", t)
	}
}

func readSecret(r *reader, e *core.Entity) {
	e.Type = r.text("type")
	r.fact(e, "secretManagerIdentifier", r.text("spec", "secretManagerIdentifier"))
	r.fact(e, "valueType", r.text("spec", "valueType"))
	r.misplaced(r.body, func(key string) bool { return key == "value" })
	if e.Type == "SecretText" || e.Type == "SecretFile" {
		r.misplaced(r.node("spec"), func(key string) bool { return !slices.Contains(besideValues, key) })
		if m := r.body.At("spec", "secretManagerIdentifier"); m.Scalar() && m.Text == "" {
			r.errorf(m, CodeMissing, "say "+BuiltInSecretManager+", or another secret manager", "the secret does not say who keeps its value")
		}
	}
}

// besideValues are the fields of a secret that may have a value.
var besideValues = []string{"secretManagerIdentifier", "valueType", "value", "additionalMetadata", "type", "errorMessageForInvalidYaml"}

// misplaced refuses fields in which somebody may have written a secret's value, which
// would be kept and shown like the rest of the document.
func (r *reader) misplaced(n *yamldoc.Node, wrong func(key string) bool) {
	if n == nil {
		return
	}
	for i := range n.Entries {
		if e := &n.Entries[i]; wrong(e.Key.Text) && (!e.Value.Scalar() || e.Value.Text != "") && e.Value.Kind != yamldoc.Null {
			r.errorf(e.Key, schema.CodeUnknownField, "a value stands below spec, as value:", "unknown field %q of a secret: what it holds would be shown to everybody", e.Key.Text)
		}
	}
}

func readTemplate(r *reader, e *core.Entity) {
	e.Type, e.Label = r.text("type"), r.text("versionLabel")
	r.fact(e, "childType", r.text("spec", "type"))
	r.fact(e, "icon", r.text("icon"))
	if e.Label == "" {
		r.errorf(r.node("versionLabel"), CodeMissing, "add versionLabel:", "the template has no versionLabel")
		r.lost = true
	} else if !labelForm.MatchString(e.Label) {
		r.errorf(r.node("versionLabel"), CodeValue, "begin with a letter or digit, without blanks, / and &, at most 128", "%q cannot be a version's label", e.Label)
		r.lost = true
	}
}

func readService(r *reader, e *core.Entity) {
	e.Type = r.text("serviceDefinition", "type")
	r.fact(e, "gitOpsEnabled", r.text("gitOpsEnabled"))
}

func readInfrastructure(r *reader, e *core.Entity) {
	e.Type = r.text("type")
	r.fact(e, "deploymentType", r.text("deploymentType"))
	r.fact(e, "environmentRef", r.text("environmentRef"))
	scope, env := e.Scope.Resolve(r.text("environmentRef"))
	e.Parent = env
	switch {
	case env == "":
		r.errorf(r.node("environmentRef"), CodeMissing, "add environmentRef:", "the infrastructure says no environment")
		r.lost = true
	case scope != e.Scope && of(e.Scope) == inProject: // it lives where its environment does
		e.Scope, r.scope = scope, scope
	case !ValidIdentifier(env):
		r.errorf(r.node("environmentRef"), CodeValue, "", "%q cannot be an environment", env)
		r.lost = true
	}
}

func readGroup(r *reader, e *core.Entity) {
	var envs []string
	if list := r.body.Get("envIdentifiers"); list != nil {
		for _, it := range list.Items {
			envs = append(envs, it.Text)
		}
	}
	r.fact(e, "envIdentifiers", strings.Join(envs, ","))
}

// readOverrides calls overrides as Harness does: by what they are for.
func readOverrides(r *reader, e *core.Entity) {
	e.Type = r.text("type")
	env, service, infra := r.text("environmentRef"), r.text("serviceRef"), r.text("infraIdentifier")
	if e.Type == "" {
		e.Type = string(overrideType(service, infra))
	}
	r.fact(e, "environmentRef", env)
	r.fact(e, "serviceRef", service)
	r.fact(e, "infraIdentifier", infra)
	r.fact(e, "identifier", e.Identifier) // as its author calls it
	if env == "" {
		r.errorf(r.node("environmentRef"), CodeMissing, "add environmentRef:", "the overrides say no environment")
		r.lost = true
	}
	e.Identifier = OverridesIdentifier(env, service, infra)
	e.Name = e.Identifier
}

func overrideType(service, infra string) core.OverrideType {
	switch {
	case service != "" && infra != "":
		return core.OverrideInfrastructureService
	case infra != "":
		return core.OverrideInfrastructure
	case service != "":
		return core.OverrideService
	}
	return core.OverrideEnvironment
}

// OverridesIdentifier is how overrides are called: there is one of each kind for the
// same environment, service and infrastructure.
func OverridesIdentifier(env, service, infra string) string {
	var parts []string
	for _, p := range []string{env, service, infra} {
		if p != "" {
			parts = append(parts, strings.ReplaceAll(p, ".", "_"))
		}
	}
	return strings.Join(parts, "_")
}

// maxStageNames bounds what of them is listed, in bytes.
const maxStageNames = 2048

// readPipeline notes the names of the stages, those in parallel blocks included.
func readPipeline(r *reader, e *core.Entity) {
	var names []string
	var walk func(list *yamldoc.Node)
	walk = func(list *yamldoc.Node) {
		for _, it := range items(list) {
			if s := it.Get("stage"); s != nil {
				name := s.Get("name")
				if !name.Scalar() {
					name = s.Get("identifier")
				}
				if name.Scalar() {
					names = append(names, name.Text)
				}
			}
			walk(it.Get("parallel"))
		}
	}
	walk(r.body.Get("stages"))
	text := strings.Join(names, "\n")
	r.fact(e, "stages", text[:min(len(text), maxStageNames)])
	if t := r.body.Get("template"); t != nil {
		r.fact(e, "template", r.text("template", "templateRef"))
	}
}

func items(n *yamldoc.Node) []*yamldoc.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func readInputSet(r *reader, e *core.Entity) {
	e.Type, e.Parent = "INPUT_SET", r.text("pipeline", "identifier")
	if r.first == "overlayInputSet" {
		e.Type, e.Parent = "OVERLAY_INPUT_SET", r.text("pipelineIdentifier")
	}
	r.belongs(e)
	r.inputSets(e, "inputSetReferences")
}

// inputSets notes the input sets of the same pipeline that a document names.
func (r *reader) inputSets(e *core.Entity, key string) {
	for _, ref := range items(r.body.Get(key)) {
		if plain(ref) {
			r.uses = append(r.uses, core.EntityRef{Kind: core.EntityInputSet, Scope: e.Scope, Parent: e.Parent, Identifier: ref.Text})
		}
	}
}

// belongs holds a document to saying which pipeline it is for.
func (r *reader) belongs(e *core.Entity) {
	if !ValidIdentifier(e.Parent) {
		r.errorf(r.body, CodeMissing, "say the pipeline's identifier", "the %s does not say which pipeline it is for", e.Kind)
		r.lost = true
	}
}
