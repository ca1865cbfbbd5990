package compile

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/target"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// environment reads one use of an environment and the infrastructures in it. picked
// is what filters say, nil for none.
func (d *deployment) environment(m *yamldoc.Node, before map[string]*deployment, picked []target.Filter) {
	if from := d.source(m, before); from != nil {
		d.places, d.environments, d.infrastructures = from.places, from.environments, from.infrastructures
		d.many = d.many || len(d.places) > 1
		return
	}
	ref, n := d.reference(m, "environmentRef")
	if n == nil {
		return
	}
	u := envUse{m, n, ref, d.documents(KindEnvironment, n, ref), slices.Concat(picked, d.filters(m, nil))}
	d.use(u)
}

// envUse is one use of an environment: a reference and what it may mean.
type envUse struct {
	m, n    *yamldoc.Node
	ref     string
	found   []*entity
	filters []target.Filter
}

// use adds an environment with its places, and gives it its inputs.
func (d *deployment) use(u envUse) {
	for _, e := range u.found {
		e.use = u.m
		d.environments = put(d.environments, e)
	}
	var ids []string
	switch {
	case textAt(u.m, "deployToAll") == "true":
		ids = d.allInfrastructures(u, nil)
	case target.Picks(u.filters, target.Infrastructures):
		ids = d.allInfrastructures(u, u.filters)
	default:
		ids = d.namedInfrastructures(u)
	}
	if len(ids) == 0 && d.gitOps() {
		ids = []string{""} // its clusters are told apart further on
	}
	for _, id := range ids {
		d.places = append(d.places, target.Place{Environment: u.ref, Infrastructure: id})
	}
	if len(ids) == 0 && len(u.found) > 0 {
		d.c.lacking(u.m, "environment "+u.ref+" of "+d.what+" names no infrastructure", "add infrastructureDefinitions:, or deployToAll: true")
	}
}

// gitOps reports a stage that deploys through GitOps.
func (d *deployment) gitOps() bool {
	return textAt(d.spec, "gitOpsEnabled") == "true" || textAt(d.stage, "gitOpsEnabled") == "true"
}

// namedInfrastructures reads the infrastructures an environment names.
func (d *deployment) namedInfrastructures(u envUse) (ids []string) {
	list := u.m.Get("infrastructureDefinitions")
	if one := u.m.Get("infrastructureDefinition"); one != nil && !d.c.empty(one) && (list == nil || d.c.empty(list)) {
		list = one
	}
	switch {
	case list == nil || d.c.missing[list] == nil && d.c.empty(list):
		return nil
	case d.c.missing[list] != nil:
		d.c.missingInput(list, d.c.missing[list])
		return nil
	case list.Kind == yamldoc.List:
		for _, it := range list.Items {
			ids = append(ids, d.infrastructure(u, it)...)
		}
		return ids
	}
	return d.infrastructure(u, list)
}

// infrastructure reads one infrastructure: a map, or its identifier alone.
func (d *deployment) infrastructure(u envUse, it *yamldoc.Node) []string {
	id, n := it.Text, it
	if it.Kind == yamldoc.Map {
		id, n = d.reference(it, "identifier")
	} else if known, _ := d.c.knownText(d, it); known != "" {
		id = known
	}
	if n == nil || id == "" {
		return nil
	}
	names := []string{id}
	if strings.Contains(id, "<+") {
		names = d.axis(id)
	}
	for _, e := range u.found {
		var found []*entity
		for _, name := range names {
			if in := d.c.infrastructure(e, name); in != nil {
				in.late, in.named = e.late || len(names) > 1, n
				found = append(found, in)
			} else if !e.late {
				d.c.notFound(n, "infrastructure "+name+" of "+e.words)
			}
		}
		if names == nil {
			found = d.bounded(n, d.c.allIn(e, d.typ))
		}
		for _, in := range found {
			d.check(in, n)
			d.infrastructures = put(d.infrastructures, in)
		}
		if it.Kind == yamldoc.Map {
			d.c.give(it.Get("inputs"), d.path+".environment.infrastructureDefinitions."+id+".inputs", found...)
		} else {
			d.c.give(nil, d.path+".environment.infrastructureDefinitions."+id+".inputs", found...)
		}
	}
	return []string{id}
}

// check holds an infrastructure to the stage's deployment type.
func (d *deployment) check(in *entity, n *yamldoc.Node) {
	if typ := textAt(in.body, "deploymentType"); !in.late && typ != "" && d.typ != "" && typ != d.typ && !strings.Contains(typ, "<+") {
		d.told = true
		d.c.lacking(n, in.words+" is for "+typ+": "+d.what+" deploys "+d.typ, "use an infrastructure of the stage's deploymentType")
	}
}

// allInfrastructures adds all infrastructures of an environment that filters pick.
func (d *deployment) allInfrastructures(u envUse, filters []target.Filter) (ids []string) {
	if strings.Contains(u.ref, "<+") {
		d.c.late(u.n, "the environment whose infrastructures are all meant,")
		return nil
	}
	for _, e := range u.found {
		found := d.bounded(u.n, slices.DeleteFunc(d.c.allIn(e, d.typ), func(in *entity) bool {
			return filters != nil && !target.Match(filters, target.Infrastructures, d.c.quietTags(in.body))
		}))
		for _, in := range found {
			d.infrastructures = put(d.infrastructures, in)
			ids = append(ids, in.ref)
		}
		d.c.give(nil, d.path+".environment.infrastructureDefinitions", found...)
	}
	return ids
}

// values reads several environments: those that are named, or all that filters pick.
func (d *deployment) values(m *yamldoc.Node, filters []target.Filter) {
	named := d.items(m, "values")
	for _, v := range named {
		d.c.check(v, "an environment of "+d.what, envRules)
		d.environment(v, nil, filters)
	}
	if len(named) == 0 && len(filters) > 0 {
		d.pick(m, d.c.all(KindEnvironment, d.c.home, ""), filters)
	}
}

// pick uses the environments that filters pick.
func (d *deployment) pick(m *yamldoc.Node, from []*entity, filters []target.Filter) {
	from = slices.DeleteFunc(from, func(e *entity) bool {
		return !target.Match(filters, target.Environments, d.c.quietTags(e.body))
	})
	for _, e := range d.bounded(m, from) {
		d.use(envUse{m, m, e.ref, []*entity{e}, filters})
	}
}

// group reads an environment group (BEHAVIOUR §3.7, §5.4).
func (d *deployment) group(m *yamldoc.Node) {
	ref, n := d.reference(m, "envGroupRef")
	if n == nil {
		return
	}
	if strings.Contains(ref, "<+") {
		d.c.late(n, "envGroupRef of "+d.what)
		return
	}
	g := d.c.entity(KindEnvironmentGroup, d.c.home, ref)
	if g == nil {
		d.c.notFound(n, "environment group "+ref)
		return
	}
	var all []*entity
	members := g.body.Get("envIdentifiers")
	if members == nil {
		return
	}
	for _, it := range members.Items {
		if e := d.c.entity(KindEnvironment, d.c.home, it.Text); e != nil {
			e.group, e.groupName = ref, textAt(g.body, "name")
			all = append(all, e)
		} else {
			d.c.notFound(it, "environment "+it.Text)
		}
	}
	filters := d.filters(m, nil)
	named := d.items(m, "environments")
	switch {
	case textAt(m, "deployToAll") == "true" || len(named) == 0 && len(filters) == 0:
		for _, e := range all {
			d.use(envUse{m, n, e.ref, []*entity{e}, []target.Filter{{Entities: []string{target.Infrastructures}, All: true}}})
		}
	case len(named) == 0:
		d.pick(m, all, filters)
	}
	for _, v := range named {
		d.c.check(v, "an environment of "+d.what, envRules)
		ref, at := d.reference(v, "environmentRef")
		if at == nil {
			continue
		}
		i := slices.IndexFunc(all, func(e *entity) bool { return e.ref == ref || bare(e.ref) == ref })
		if i < 0 {
			d.c.lacking(at, "environment "+ref+" of "+d.what+" is not in the group "+textAt(g.body, "identifier"), "name one of the group")
			continue
		}
		d.use(envUse{v, at, all[i].ref, all[i : i+1], slices.Concat(filters, d.filters(v, nil))})
	}
}

// filters reads the filters of a field (BEHAVIOUR §5.4).
func (d *deployment) filters(m *yamldoc.Node, out []target.Filter) []target.Filter {
	for _, it := range d.items(m, "filters") {
		f := target.Filter{All: textAt(it, "type") == "all", Any: textAt(it.Get("spec"), "matchType") == "any", Tags: map[string]string{}}
		for _, e := range itemsOf(it.Get("entities")) {
			f.Entities = append(f.Entities, e.Text)
		}
		if tags := d.c.settled(it.Get("spec").Get("tags")); tags != nil {
			if isExpression(tags) {
				d.c.late(tags, "the tags of a filter of "+d.what)
			}
			for _, e := range tags.Entries {
				f.Tags[e.Key.Text], _ = d.c.knownText(d, e.Value)
				if isExpression(e.Value) && f.Tags[e.Key.Text] == "" {
					d.c.late(e.Value, "a tag of a filter of "+d.what)
				}
			}
		}
		out = append(out, f)
	}
	return out
}
