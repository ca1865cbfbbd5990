package compile

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// deploymentType is the type of the stages that deploy services.
const deploymentType = "Deployment"

// deployment is a Deployment stage with the documents its references may mean.
type deployment struct {
	c          *compiler
	stage      *yamldoc.Node
	spec       *yamldoc.Node
	what, path string
	typ        string // deploymentType, "" when it is not known

	// Each use is a reference in the stage, in its order: what the plan calls it.
	uses   []string
	places []target.Place
	// The documents, each once by what the plan calls it.
	services, environments, infrastructures, overrides []*entity

	many     bool // it is written as several services or environments
	at       target.Together
	told     bool // that they do not go together
	borrowed bool // its service or environment is another stage's
}

// deployments finds the documents of all Deployment stages and gives them their
// inputs. Those of the pipeline have their values by now.
func (c *compiler) deployments(p *yamldoc.Node) {
	c.deploys = map[*yamldoc.Node]*deployment{}
	before := len(c.open)
	byStage := map[string]*deployment{}
	c.eachStage(p.Get("stages"), func(s *yamldoc.Node) {
		spec := s.Get("spec")
		if textAt(s, "type") != deploymentType || spec == nil || spec.Kind != yamldoc.Map {
			return
		}
		id := textAt(s, "identifier")
		d := &deployment{c: c, stage: s, spec: spec, what: "stage " + id, path: join("stages."+id, "spec")}
		d.typ, _ = c.knownText(d, spec.Get("deploymentType"))
		d.read(byStage)
		c.deploys[spec] = d
		byStage[id] = d
	})
	for _, in := range c.open[before:] {
		if !in.given {
			c.fallback(in)
		}
	}
	for _, name := range keys(c.later) {
		c.unknownInput(p, name, name)
	}
}

// eachStage calls f for the stages of a list, those in parallels too.
func (c *compiler) eachStage(list *yamldoc.Node, f func(*yamldoc.Node)) {
	if list == nil {
		return
	}
	for _, it := range list.Items {
		if s := it.Get("stage"); s != nil && s.Kind == yamldoc.Map {
			f(s)
		}
		c.eachStage(it.Get("parallel"), f)
	}
}

// deploymentRules are the fields of a Deployment stage's spec.
var deploymentRules = rules{
	"execution": {}, "deploymentType": {}, "service": {}, "services": {}, "environment": {}, "environments": {}, "environmentGroup": {},
	"gitOpsEnabled": {}, "rollbackSteps": {}, "customDeploymentRef": {}, "deploymentMetadata": {}, "multiDeploymentConfig": {}, "description": {},
	"serviceConfig": {}, "infrastructure": {}, "serviceDependencies": {refuse: "serviceDependencies"},
}

// The fields of what stands in it.
var (
	serviceRules = rules{"serviceRef": {}, "serviceInputs": {}, "useFromStage": {}, "gitBranch": {}, "disableArtifactValidation": {}, "failureStrategies": {}}
	servesRules  = rules{"values": {}, "useFromStage": {}, "metadata": {}, "disableArtifactValidation": {}, "failureStrategies": {}}
	envRules     = rules{
		"environmentRef": {}, "environmentInputs": {}, "serviceOverrideInputs": {}, "servicesOverrides": {}, "useFromStage": {}, "gitBranch": {},
		"deployToAll": {}, "filters": {}, "infrastructureDefinition": {}, "infrastructureDefinitions": {}, "gitOpsClusters": {}, "failureStrategies": {},
		"provisioner": {},
	}
	envsRules  = rules{"values": {}, "filters": {}, "metadata": {}, "failureStrategies": {}}
	groupRefs  = rules{"envGroupRef": {}, "deployToAll": {}, "environments": {}, "filters": {}, "metadata": {}, "failureStrategies": {}, "__uuid": {}}
	multiRules = rules{"onFailure": {}, "when": {}, "maxConcurrency": {}}
)

// noSteps reports an execution without steps.
func noSteps(n *yamldoc.Node) bool {
	for _, e := range n.Entries {
		if len(e.Value.Items) > 0 || e.Value.Scalar() && e.Value.Text != "" {
			return false
		}
	}
	return n.Kind == yamldoc.Map
}

// read finds what a stage deploys and where.
func (d *deployment) read(before map[string]*deployment) {
	c, m := d.c, d.spec
	if s := d.field(m, "services", servesRules); s != nil {
		d.many = true
		d.at.Services = d.parallel(s)
		if from := d.source(s, before); from != nil {
			d.uses, d.services, d.at.Services = from.uses, from.services, from.at.Services
		}
		for _, v := range d.items(s, "values") {
			d.service(v, before)
		}
	} else if s := d.field(m, "service", serviceRules); s != nil {
		d.service(s, before)
	} else if s := d.field(m, "serviceConfig", configRules); s != nil {
		d.config(s, before)
	}
	switch {
	case m.Get("environments") != nil:
		if e := d.field(m, "environments", envsRules); e != nil {
			d.many, d.at.Places = true, d.parallel(e)
			d.values(e, d.filters(e, nil))
		}
	case m.Get("environmentGroup") != nil:
		if g := d.field(m, "environmentGroup", groupRefs); g != nil {
			d.many, d.at.Places = true, d.parallel(g)
			d.group(g)
		}
	case m.Get("environment") == nil && m.Get("infrastructure") != nil:
		if in := d.field(m, "infrastructure", ownRules); in != nil {
			d.place(in, before)
		}
	default:
		if e := d.field(m, "environment", envRules); e != nil {
			d.environment(e, before, nil)
		}
	}
	if len(d.places) > 1 || len(d.uses) > 1 {
		d.many = true
	}
	d.override()
	if e := m.Entry("rollbackSteps"); e != nil {
		c.add(core.SeverityWarning, e.Value, e.Key.Pos, CodeUnknownField, "rollbackSteps in the spec of "+d.what+" never run", "move them into execution:")
	}
	switch {
	case len(d.uses) == 0:
		c.lacking(m, d.what+" names no service", "add service: with a serviceRef")
	case len(d.places) == 0:
		c.lacking(m, d.what+" names no environment", "add environment: with an environmentRef and infrastructureDefinitions")
	}
}

// field returns a field that is a map, nil for one that is absent or (and said) none.
func (d *deployment) field(m *yamldoc.Node, key string, rs rules) *yamldoc.Node {
	n := m.Get(key)
	switch {
	case n == nil || n.Kind == yamldoc.Null && d.c.missing[n] == nil:
		return nil
	case d.c.missing[n] != nil:
		d.c.missingInput(n, d.c.missing[n])
		return nil
	case n.Kind != yamldoc.Map:
		d.c.wrong(n, key+" of "+d.what, "a map")
		return nil
	}
	d.c.check(n, key+" of "+d.what, rs)
	d.own(n, key)
	return n
}

// own tells of what stands beside a reference and changes nothing here.
func (d *deployment) own(n *yamldoc.Node, key string) {
	if e := n.Entry("failureStrategies"); e != nil && !d.c.empty(e.Value) {
		d.c.warnf(e.Value, CodeMeaning, "write them at the stage", "failureStrategies of %s of %s are not looked at: those of the stage count", key, d.what)
	}
	if e := n.Entry("gitBranch"); e != nil && !d.c.empty(e.Value) {
		d.c.warnf(e.Value, CodeMeaning, "give the documents of that branch", "gitBranch of %s of %s is not looked at: documents are used as they are given", key, d.what)
	}
}

// items are the maps in a list.
func (d *deployment) items(m *yamldoc.Node, key string) []*yamldoc.Node {
	n := m.Get(key)
	switch {
	case n == nil || d.c.empty(n) && d.c.missing[n] == nil:
		return nil
	case d.c.missing[n] != nil:
		d.c.missingInput(n, d.c.missing[n])
		return nil
	case n.Kind != yamldoc.List:
		d.c.wrong(n, key+" of "+d.what, "a list")
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.Items), func(it *yamldoc.Node) bool {
		if it.Kind != yamldoc.Map {
			d.c.wrong(it, "an item of "+key+" of "+d.what, "a map")
			return true
		}
		return false
	})
}

// parallel reports whether the values of a field go at the same time.
func (d *deployment) parallel(m *yamldoc.Node) bool {
	return textAt(m.Get("metadata"), "parallel") == "true"
}

// source is the earlier stage that a field takes its value from, nil for none
// (BEHAVIOUR §5.3).
func (d *deployment) source(m *yamldoc.Node, before map[string]*deployment) *deployment {
	use := m.Get("useFromStage")
	if use == nil || d.c.empty(use) {
		return nil
	}
	d.borrowed = true
	id, n := use.Text, use
	if use.Kind == yamldoc.Map {
		if id, n = d.c.scalar(use, "stage", "useFromStage of "+d.what); n == nil {
			return nil
		}
	}
	from := before[id]
	switch {
	case from == nil:
		d.c.lacking(n, d.what+" uses what stage "+id+" deploys, and no Deployment stage before it is called so", "name an earlier Deployment stage")
		return nil
	case from.borrowed:
		d.c.lacking(n, d.what+" uses what stage "+id+" deploys, which is another stage's itself", "name the stage that says it")
		return nil
	case from.typ != "" && d.typ != "" && from.typ != d.typ:
		d.c.lacking(n, d.what+" deploys "+d.typ+": stage "+id+" deploys "+from.typ, "use what a stage of the same deploymentType deploys")
		return nil
	}
	return from
}

// lacking says what a run needs; for whoever only looks it is a warning, as Harness's
// schema takes it.
func (c *compiler) lacking(n *yamldoc.Node, msg, help string) {
	sev := core.SeverityError
	if c.opt.Lenient {
		sev = core.SeverityWarning
	}
	c.add(sev, n, n.Pos, CodeMissingField, msg, help)
}
