package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// The fields of services and infrastructure that are written in their stage.
var (
	configRules = rules{"service": {}, "serviceRef": {}, "serviceDefinition": {}, "stageOverrides": {}, "useFromStage": {}, "description": {}}
	ownRules    = rules{
		"environment": {}, "environmentRef": {}, "infrastructureDefinition": {}, "useFromStage": {}, "description": {},
		"allowSimultaneousDeployments": {},
		"infrastructureKey":            {}, // what it came to once; it is made anew
	}
	ownInfraRules = rules{"type": {}, "spec": {}, "provisioner": {}, "description": {}, "name": {}, "identifier": {}}
)

// ownInfrastructure is what a stage's own infrastructure is called, which has no name.
const ownInfrastructure = "infrastructure"

// config reads a service that is written in its stage, in the older form. A document of
// that identifier, if there is one, only says what it is called.
func (d *deployment) config(m *yamldoc.Node, before map[string]*deployment) {
	over := m.Get("stageOverrides")
	if over != nil && d.c.empty(over) {
		over = nil
	}
	if from := d.source(m, before); from != nil {
		d.uses, d.typ = from.uses, cmp.Or(d.typ, from.typ)
		for _, e := range from.services {
			d.services = append(d.services, e.changed(nil, over))
		}
		return
	}
	if use := m.Get("useFromStage"); use != nil && !d.c.empty(use) {
		return // told
	}
	def := m.Get("serviceDefinition")
	if def == nil || def.Kind != yamldoc.Map {
		d.c.lacking(m, "serviceConfig of "+d.what+" has no serviceDefinition", "add serviceDefinition:, or name the service by service: with a serviceRef")
		return
	}
	if typ, _ := d.c.knownText(d, def.Get("type")); typ != "" && d.typ != "" && typ != d.typ {
		d.told = true
		d.c.lacking(def, "the serviceDefinition is for "+typ+": "+d.what+" deploys "+d.typ, "give both the same type")
	} else if d.typ == "" {
		d.typ = typ
	}
	ref, found := d.ownOr(KindService, m, "service", "serviceRef")
	if ref == "" {
		return
	}
	d.uses = append(d.uses, ref)
	d.c.sources(def, d.c.home, d.path+".serviceConfig")
	for _, e := range found {
		d.services = put(d.services, e.changed(def, over))
	}
}

// changed is an entity with another definition, or with something laid over its own.
func (e *entity) changed(definition, over *yamldoc.Node) *entity {
	out := *e
	out.definition = cmp.Or(definition, e.definition)
	if over != nil {
		out.over = append(slices.Clone(e.over), over)
	}
	return &out
}

// ownOr reads what a stage writes itself below one key or refers to by another: how
// the plan calls it, and what that may mean.
func (d *deployment) ownOr(kind Kind, m *yamldoc.Node, own, byRef string) (ref string, found []*entity) {
	if body := m.Get(own); body != nil && body.Kind == yamldoc.Map {
		id, n := d.reference(body, "identifier")
		if n == nil {
			return "", nil
		}
		return id, []*entity{d.standIn(kind, body, id)}
	}
	ref, n := d.reference(m, byRef)
	if n == nil {
		return "", nil
	}
	if kind == KindEnvironment || strings.Contains(ref, "<+") {
		return ref, d.documents(kind, n, ref)
	}
	if e := d.c.entity(kind, d.c.home, ref); e != nil {
		return ref, []*entity{e}
	}
	body := yamldoc.NewMap(n.Pos)
	body.Set("identifier", yamldoc.NewString(bare(ref), n.Pos))
	body.Set("name", yamldoc.NewString(bare(ref), n.Pos))
	return ref, []*entity{d.standIn(kind, body, ref)}
}

// standIn is a document that only the stage knows.
func (d *deployment) standIn(kind Kind, body *yamldoc.Node, ref string) *entity {
	at, _ := scopeOf(ref, d.c.home)
	return &entity{sheet: &sheet{kind: kind, root: body, body: body}, root: body, body: body, ref: ref, at: at, words: noun[kind] + " " + ref}
}

// place reads an infrastructure that is written in its stage.
func (d *deployment) place(m *yamldoc.Node, before map[string]*deployment) {
	var envs, infras []*entity
	ref := ""
	if from := d.source(m, before); from != nil {
		if len(from.places) != 1 {
			d.c.lacking(m, d.what+" uses the infrastructure of a stage that deploys to several", "name a stage that deploys to one")
			return
		}
		ref, envs, infras = from.places[0].Environment, from.environments, from.infrastructures
		m = m.At("useFromStage", "overrides") // what is other here
	} else if use := m.Get("useFromStage"); use != nil && !d.c.empty(use) {
		return // told
	}
	if m.Get("environment") != nil || m.Get("environmentRef") != nil || envs == nil && m != nil {
		if ref, envs = d.ownOr(KindEnvironment, m, "environment", "environmentRef"); ref == "" {
			return
		}
	}
	def := m.Get("infrastructureDefinition")
	switch {
	case def != nil && def.Kind == yamldoc.Map:
		d.c.check(def, "infrastructureDefinition of "+d.what, ownInfraRules)
	case infras == nil && m != nil:
		d.c.lacking(m, "infrastructure of "+d.what+" has no infrastructureDefinition", "add infrastructureDefinition: with a type and a spec")
		return
	default:
		def = nil
	}
	id := ownInfrastructure
	for _, env := range envs {
		env = env.changed(nil, nil)
		env.use = cmp.Or(env.use, m, d.spec)
		d.environments = put(d.environments, env)
		if infras == nil {
			d.infrastructures = append(d.infrastructures, d.ownInfra(m, def, env))
			continue
		}
		for _, in := range infras {
			in = in.changed(nil, def)
			in.env, id = env, in.ref
			d.infrastructures = append(d.infrastructures, in)
		}
	}
	if len(envs) > 0 {
		d.places = append(d.places, target.Place{Environment: ref, Infrastructure: id})
	}
}

// ownInfra is a stage's own infrastructure as a document.
func (d *deployment) ownInfra(m, def *yamldoc.Node, env *entity) *entity {
	body := &yamldoc.Node{Kind: yamldoc.Map, Pos: def.Pos, Entries: slices.Clone(def.Entries)}
	if e := m.Entry("allowSimultaneousDeployments"); e != nil {
		body.Entries = append(body.Entries, *e)
	}
	for _, key := range []string{"identifier", "name"} {
		if body.Get(key) == nil {
			body.Set(key, yamldoc.NewString(ownInfrastructure, def.Pos))
		}
	}
	in := d.standIn(KindInfrastructure, body, ownInfrastructure)
	in.env, in.late, in.words = env, env.late, "infrastructure of "+d.what
	return in
}

// provisioner is the field with the steps that make a stage's infrastructure first
// (BEHAVIOUR §3.8), nil for none.
func (c *compiler) provisioner(spec *yamldoc.Node) *yamldoc.Node {
	for _, at := range [][]string{{"environment", "provisioner"}, {"infrastructure", "infrastructureDefinition", "provisioner"}} {
		if n := spec.At(at...); n != nil && n.Kind == yamldoc.Map && !noSteps(n) {
			return n
		}
	}
	return nil
}

// provision compiles the steps that make a stage's infrastructure: a group before all
// others. What undoes them comes after what undoes those.
func (w walk) provision(n *core.Node, m *yamldoc.Node) (undo []*core.Node) {
	what := "the provisioner of " + w.what
	w.c.check(m, what, executionRules)
	g := &core.Node{Kind: core.KindGroup, Identifier: "provisioner", Name: "provisioner", FQN: n.FQN + core.ProvisionerPath, Pos: m.Pos, Selectors: n.Selectors}
	n.Children = append(n.Children, g)
	in := walk{c: w.c, track: w.track, path: g.FQN + ".steps.", seen: newIDs(), selectors: w.selectors, what: what}
	if list := w.c.listAt(m, "steps", what); list != nil {
		in.steps(g, list)
	}
	in.path = g.FQN + ".rollbackSteps."
	return in.undo(g, m)
}
