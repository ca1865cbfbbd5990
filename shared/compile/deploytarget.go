package compile

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/strategy"
	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// target is what a Deployment stage deploys and where, with the loop over it when
// that is several.
func (c *compiler) target(n *core.Node, spec *yamldoc.Node) {
	d := c.deploys[spec]
	if d == nil {
		return
	}
	if f := d.stage.Get("failureStrategies"); f == nil || c.empty(f) {
		c.warnf(d.stage, CodeMeaning, "add failureStrategies: with a strategy for AllErrors", "%s has no failureStrategies: a failure ends it without rollback", d.what)
	}
	t := &core.Target{DeploymentType: d.typ, GitOps: d.gitOps(), Open: c.opt.Lenient, Pos: spec.Pos}
	if typ := spec.Get("deploymentType"); d.typ == "" && typ != nil {
		t.DeploymentType = typ.Text
	}
	for _, e := range d.services {
		t.Services = append(t.Services, c.serviceOf(e))
	}
	for _, e := range d.environments {
		t.Environments = append(t.Environments, c.environmentOf(e))
	}
	for _, e := range d.infrastructures {
		t.Infrastructures = append(t.Infrastructures, c.infrastructureOf(e))
	}
	for _, e := range d.overrides {
		t.Overrides = append(t.Overrides, c.overrideOf(e))
	}
	pairs, concurrency := target.Pairs(d.uses, d.places, d.at)
	t.Pair = pairs[0]
	if d.many {
		c.several(n, d, pairs, concurrency)
		t.Pair = strategy.Deployed
	} else if len(t.Services) == 1 && len(t.Environments) == 1 && !d.told && (t.Infrastructure == "" || len(t.Infrastructures) == 1) {
		c.tryTarget(n.FQN, d, t)
	}
	if m := spec.Get("multiDeploymentConfig"); m != nil && m.Kind == yamldoc.Map {
		c.check(m, "multiDeploymentConfig of "+d.what, multiRules)
	}
	n.Target = t
}

// tryTarget tells what is wrong with the one thing a stage deploys, and for whoever looks
// at the plan what its variables come to.
func (c *compiler) tryTarget(fqn string, d *deployment, t *core.Target) {
	for _, ref := range []string{t.Service, t.Environment, t.Infrastructure} {
		if strings.Contains(ref, "<+") {
			return
		}
	}
	chosen, err := target.Choose(t, t.Pair)
	if err != nil {
		c.lacking(d.spec, d.what+": "+err.Error(), "")
		return
	}
	if c.shown == nil {
		return
	}
	show := func(path string, list []core.TargetVariable) {
		for _, v := range list {
			by, of, _ := strings.Cut(v.Of, " ")
			c.shown.Fields[fqn] = append(c.shown.Fields[fqn], Field{path + "." + v.Name, v.Value, Origin{By: By(by), Of: of, Position: v.Pos}})
		}
	}
	show("serviceVariables", chosen.Variables)
	show("env.variables", chosen.EnvVariables)
}

// several makes a loop of all services in all places (BEHAVIOUR §5.5).
func (c *compiler) several(n *core.Node, d *deployment, pairs []core.Pair, concurrency int) {
	l := &core.Loop{Kind: core.LoopDeployment, Items: &core.LoopList{}, MaxConcurrency: &core.LoopNumber{Value: concurrency}, Pos: d.spec.Pos}
	for _, p := range pairs {
		l.Items.Values = append(l.Items.Values, strategy.Pair(p))
	}
	if m := d.spec.Get("multiDeploymentConfig"); m != nil && m.Kind == yamldoc.Map {
		c.onFailure(m, l, d.what)
		l.When = c.condition(m, "when", "multiDeploymentConfig of "+d.what)
		if most := m.Get("maxConcurrency"); most != nil && !c.empty(most) {
			most = c.settled(most)
			v, err := strconv.Atoi(most.Text)
			switch {
			case isExpression(most):
				c.expressions(most)
				l.MaxConcurrency.Expr = most.Text
			case err != nil || v < 1:
				c.errorf(most, CodeValue, "", "maxConcurrency of %s is %q: expected a whole number of at least 1", d.what, most.Text)
			default:
				l.MaxConcurrency.Value = min(v, concurrency)
			}
		}
	}
	if n.Loop != nil { // Harness takes such a stage and fails its runs
		c.lacking(d.stage.Get("strategy"), "strategy of "+d.what+", which deploys several services or to several places, would loop twice",
			"keep strategy:, or several services and places")
	}
	if c.bounded(d.spec, l) {
		n.Loop = l
	}
}

// foundOf is what all documents have in common.
func (c *compiler) foundOf(e *entity) core.Found {
	return core.Found{Ref: e.ref, Identifier: e.id(), Anywhere: e.anywhere() && !strings.HasPrefix(e.ref, "account."), Name: textAt(e.body, "name"),
		Description: textAt(e.body, "description"), Tags: c.quietTags(e.body), Pos: e.body.Pos}
}

// serviceOf is a service for the plan.
func (c *compiler) serviceOf(e *entity) core.Service {
	def := cmp.Or(e.definition, e.body.Get("serviceDefinition"))
	s := core.Service{Found: c.foundOf(e), Type: textAt(def, "type"), GitOps: textAt(e.body, "gitOpsEnabled") == "true"}
	c.serviceSpec(&s, def.Get("spec"), e)
	for _, n := range e.over {
		var by core.Service
		c.serviceSpec(&by, n, e)
		target.Overlay(&s, &by)
	}
	return s
}

// serviceSpec reads what a service is made of.
func (c *compiler) serviceSpec(s *core.Service, spec *yamldoc.Node, e *entity) {
	if spec == nil || spec.Kind != yamldoc.Map {
		return
	}
	s.Variables = c.targetVariables(spec.Get("variables"), e)
	s.Manifests = c.parts(spec.Get("manifests"), "manifest", e)
	s.PrimaryManifest = c.chosenOf(spec.Get("manifestConfigurations").Get("primaryManifestRef"), len(s.Manifests), e)
	s.ConfigFiles = c.parts(spec.Get("configFiles"), "configFile", e)
	c.artifacts(s, spec.Get("artifacts"), e)
	for _, en := range spec.Entries {
		switch en.Key.Text {
		case "variables", "manifests", "manifestConfigurations", "configFiles", "artifacts":
		default:
			if !c.empty(en.Value) {
				if s.Spec == nil {
					s.Spec = map[string]any{}
				}
				s.Spec[en.Key.Text] = c.data(en.Value)
			}
		}
	}
}

// artifacts reads a service's artifacts (BEHAVIOUR §2.4).
func (c *compiler) artifacts(s *core.Service, n *yamldoc.Node, e *entity) {
	if n == nil {
		return
	}
	s.Sidecars = c.parts(n.Get("sidecars"), "sidecar", e)
	primary := n.Get("primary")
	if primary == nil || primary.Kind != yamldoc.Map {
		return
	}
	if primary.Get("type") != nil || primary.Get("spec") != nil {
		c.demand(primary, e)
		p := c.partOf(primary, e)
		p.Identifier = "primary"
		s.Sources = []core.Part{p}
		return
	}
	s.Sources = c.parts(primary.Get("sources"), "", e)
	s.Primary = c.chosenOf(primary.Get("primaryArtifactRef"), len(s.Sources), e)
	if ref := primary.Get("primaryArtifactRef"); s.Primary != "" && !strings.Contains(s.Primary, "<+") && !e.late &&
		!slices.ContainsFunc(s.Sources, func(p core.Part) bool { return p.Identifier == s.Primary }) {
		c.lacking(ref, "artifact source "+s.Primary+" of "+e.words+" is not found", "name one of its sources")
	}
	if !strings.Contains(s.Primary, "<+") { // sources that are not picked need no inputs
		for _, it := range itemsOf(primary.Get("sources")) {
			if s.Primary == "" && len(s.Sources) == 1 || textAt(it, "identifier") == s.Primary {
				c.demand(it, e)
			}
		}
	}
}

// chosenOf is a reference to one of several; with only one of them it may be left out.
func (c *compiler) chosenOf(n *yamldoc.Node, of int, e *entity) string {
	if n == nil {
		return ""
	}
	if in := c.missing[n]; in != nil {
		if of > 1 && !e.late {
			c.missingInput(n, in)
		}
		return ""
	}
	c.expressions(n)
	return n.Text
}

// environmentOf is an environment for the plan.
func (c *compiler) environmentOf(e *entity) core.Environment {
	out := core.Environment{Found: c.foundOf(e), Type: textAt(e.body, "type"), Group: e.group, GroupName: e.groupName,
		Variables: c.targetVariables(e.body.Get("variables"), e)}
	if e.use != nil {
		for _, it := range itemsOf(e.use.Get("gitOpsClusters")) {
			out.Clusters = append(out.Clusters, textAt(it, "identifier"))
		}
	}
	return out
}

// infrastructureOf is an infrastructure for the plan.
func (c *compiler) infrastructureOf(e *entity) core.Infrastructure {
	out := core.Infrastructure{Found: c.foundOf(e), Environment: e.env.ref, DeploymentType: textAt(e.body, "deploymentType"), Type: textAt(e.body, "type"),
		AllowSimultaneous: textAt(e.body, "allowSimultaneousDeployments") == "true"}
	for _, it := range itemsOf(e.body.Get("scopedServices")) {
		out.Scoped = append(out.Scoped, it.Text)
	}
	if spec := e.body.Get("spec"); spec != nil {
		c.demand(spec, e)
		out.Spec, _ = c.data(spec).(map[string]any)
	}
	for _, n := range e.over {
		spec, _ := c.data(n.Get("spec")).(map[string]any)
		if typ := textAt(n, "type"); typ != "" && typ != out.Type {
			out.Type, out.Spec = typ, spec
			continue
		}
		out.Spec = maps.Clone(out.Spec)
		maps.Copy(out.Spec, spec)
	}
	return out
}

// targetVariables reads the variables of a document; what is wrong with how they are
// written has been told.
func (c *compiler) targetVariables(list *yamldoc.Node, e *entity) (out []core.TargetVariable) {
	for _, it := range itemsOf(list) {
		value, name, typ := it.Get("value"), textAt(it, "name"), textAt(it, "type")
		if name == "" || value == nil {
			continue
		}
		if d := it.Get("default"); c.empty(value) && d != nil && !c.empty(d) {
			value = d
		}
		v := core.TargetVariable{Variable: core.Variable{Name: name, Type: typ, Required: textAt(it, "required") == "true"}}
		switch in := c.missing[value]; {
		case in != nil && v.Required && !e.late:
			c.missingInput(value, in)
		case v.Required && c.empty(value) && !e.late:
			c.errorf(value, CodeMissingInput, "set value:", "variable %s of %s is required and has no value", name, e.words)
		}
		v.Value = c.variableValue(value, typ, "variable "+name)
		c.expressions(value)
		v.Of, v.Pos = c.words(value, e)
		out = append(out, v)
	}
	return out
}

// words say what gave a value.
func (c *compiler) words(n *yamldoc.Node, e *entity) (string, core.Position) {
	if c.placedIn(n) != nil && (c.shown == nil || c.shown.causes[n] == "") {
		return e.words, n.Pos
	}
	o := c.origin(n)
	return strings.TrimSpace(string(o.By) + " " + o.Of), o.Position
}

// parts reads a list of manifests, config files or artifacts; wrapper is the key that
// each stands below, "" for none.
func (c *compiler) parts(list *yamldoc.Node, wrapper string, e *entity) (out []core.Part) {
	for _, it := range itemsOf(list) {
		if w := it.Get(wrapper); wrapper != "" && w != nil {
			it = w
		}
		if it.Kind != yamldoc.Map {
			continue
		}
		if wrapper != "" {
			c.demand(it, e)
		}
		out = append(out, c.partOf(it, e))
	}
	return out
}

func (c *compiler) partOf(m *yamldoc.Node, e *entity) core.Part {
	p := core.Part{Identifier: textAt(m, "identifier"), Type: textAt(m, "type"), Of: e.words, Pos: m.Pos}
	if spec := m.Get("spec"); spec != nil {
		p.Spec, _ = c.data(spec).(map[string]any)
	} else if t := m.Get("template"); t != nil {
		p.Type = "template"
		p.Spec, _ = c.data(t).(map[string]any)
	}
	return p
}

// data is a value as it is kept in the plan, its expressions checked.
func (c *compiler) data(n *yamldoc.Node) any {
	if n == nil {
		return nil
	}
	c.expressions(n)
	return literal(n)
}

// demand asks for every input below a node that nobody gave.
func (c *compiler) demand(n *yamldoc.Node, e *entity) {
	if e.late {
		return
	}
	if in := c.missing[n]; in != nil && !in.blank {
		c.missingInput(n, in)
	}
	for _, it := range n.Items {
		c.demand(it, e)
	}
	for _, en := range n.Entries {
		c.demand(en.Value, e)
	}
}
