package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// override finds what overrides the services of the stage where it deploys them, and
// gives it the inputs that stand beside the environment (BEHAVIOUR §4).
func (d *deployment) override() {
	var sheets []*sheet
	for n := 1; len(d.environments) > 0; n++ {
		s := d.c.sheet(Reference{Kind: KindOverride, At: d.c.home, Nth: n})
		if s == nil {
			break
		}
		sheets = append(sheets, s)
	}
	for _, env := range d.environments {
		of := []*entity{env}
		if own := env.body.Get("overrides"); own != nil && own.Kind == yamldoc.Map {
			d.overrides = append(d.overrides, &entity{sheet: env.sheet, root: env.root, body: own, words: env.words, late: env.late, env: env,
				override: core.OverrideEnvironment, legacy: true, pair: core.Pair{Environment: env.ref}})
		}
		var byService []*entity
		for _, s := range sheets {
			for _, o := range d.applying(s, env) {
				d.overrides = append(d.overrides, o)
				switch o.override {
				case core.OverrideEnvironment:
					of = append(of, o)
				case core.OverrideService:
					byService = append(byService, o)
				default:
					d.c.give(nil, d.path+".overrides", o)
				}
			}
		}
		d.c.give(env.use.Get("environmentInputs"), d.path+".environment.environmentInputs", of...)
		d.serviceOverrides(env, byService)
	}
	slices.SortStableFunc(d.overrides, func(a, b *entity) int {
		return cmp.Or(cmp.Compare(slices.Index(overrideTypes, a.override), slices.Index(overrideTypes, b.override)), cmp.Compare(a.rank(), b.rank()))
	})
}

// rank orders overrides of a type, the weakest first: older forms, then those of the
// account, the organization and the project.
func (e *entity) rank() int {
	switch {
	case e.legacy:
		return 0
	case e.anywhere() || e.scope.Project != "":
		return 2
	}
	return 1
}

// serviceOverrides gives overrides of services their inputs: those for all of them,
// or for each its own.
func (d *deployment) serviceOverrides(env *entity, overrides []*entity) {
	each := d.items(env.use, "servicesOverrides")
	for _, o := range overrides {
		from := env.use.Get("serviceOverrideInputs")
		for _, it := range each {
			if ref := textAt(it, "serviceRef"); ref == o.pair.Service {
				from = it.Get("serviceOverrideInputs")
			}
		}
		d.c.give(from, d.path+".environment.serviceOverrideInputs", o)
	}
}

// applying makes of an override one for each thing in the environment that it is for.
func (d *deployment) applying(s *sheet, env *entity) (out []*entity) {
	typ := typeOf(s)
	if !s.means(textAt(s.body, "environmentRef"), env) {
		return nil
	}
	make1 := func(pair core.Pair) {
		o := d.c.copyOf(s, s.id(), env.at)
		pair.Environment = env.ref
		o.override, o.pair, o.env, o.late = typ, pair, env, env.late
		o.legacy = s.root.Get("serviceOverrides") != nil
		o.words = strings.Trim("override of "+pair.Service+" in "+pair.Environment+"/"+pair.Infrastructure, "/")
		o.words = strings.Replace(o.words, "override of  in", "override of", 1)
		out = append(out, o)
	}
	services, infras := []string{""}, []string{""}
	if typ == core.OverrideService || typ == core.OverrideInfrastructureService {
		services = nil
		for _, e := range d.services {
			if s.means(textAt(s.body, "serviceRef"), e) {
				services = append(services, e.ref)
			}
		}
	}
	if typ == core.OverrideInfrastructure || typ == core.OverrideInfrastructureService {
		infras = nil
		for _, e := range d.infrastructures {
			if e.env.ref == env.ref && e.ref == textAt(s.body, "infraIdentifier") {
				infras = append(infras, e.ref)
			}
		}
	}
	for _, service := range services {
		for _, infra := range infras {
			make1(core.Pair{Service: service, Infrastructure: infra})
		}
	}
	return out
}

// typeOf is an override's type: as it says, or by what it names.
func typeOf(s *sheet) core.OverrideType {
	if t := core.OverrideType(textAt(s.body, "type")); slices.Contains(overrideTypes, t) {
		return t
	}
	service, infra := textAt(s.body, "serviceRef") != "", textAt(s.body, "infraIdentifier") != ""
	switch {
	case service && infra:
		return core.OverrideInfrastructureService
	case infra:
		return core.OverrideInfrastructure
	case service:
		return core.OverrideService
	}
	return core.OverrideEnvironment
}

// means reports whether a reference in a document is to an entity.
func (s *sheet) means(ref string, e *entity) bool {
	if bare(ref) != e.id() {
		return false
	}
	at, _ := scopeOf(ref, s.scope)
	switch {
	case e.anywhere():
		return true
	case strings.HasPrefix(ref, "account."):
		return e.at.Org == ""
	case s.anywhere() && strings.HasPrefix(ref, "org."):
		return e.at.Org != "" && e.at.Project == ""
	case s.anywhere():
		return true
	}
	return at.Org == e.at.Org && at.Project == e.at.Project
}

// overrideOf is an override for the plan.
func (c *compiler) overrideOf(e *entity) core.Override {
	fields := e.body
	if !e.legacy {
		fields = e.fields()
	}
	o := core.Override{Type: e.override, Pair: e.pair, Legacy: e.legacy, Pos: fields.Pos}
	o.Variables = c.targetVariables(fields.Get("variables"), e)
	o.Manifests = c.parts(fields.Get("manifests"), "manifest", e)
	for i, m := range o.Manifests {
		if !target.Overridable(m.Type) {
			c.lacking(fields.Get("manifests").Items[i], "a manifest of type "+m.Type+" cannot override another", "put it into the service")
		}
	}
	o.ConfigFiles = c.parts(fields.Get("configFiles"), "configFile", e)
	for _, key := range []string{"applicationSettings", "connectionStrings"} {
		n := fields.Get(key)
		if n == nil || c.empty(n) {
			continue
		}
		if e.override != core.OverrideEnvironment {
			c.lacking(n, key+" are overridden for a whole environment only", "write them in an override of type ENV_GLOBAL_OVERRIDE")
			continue
		}
		if o.Spec == nil {
			o.Spec = map[string]any{}
		}
		o.Spec[key] = c.data(n)
	}
	return o
}
