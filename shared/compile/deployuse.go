package compile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// MaxCandidates is how many documents a reference that is known only in the run may
// mean.
const MaxCandidates = 100

// service reads one use of a service.
func (d *deployment) service(m *yamldoc.Node, before map[string]*deployment) {
	if from := d.source(m, before); from != nil {
		d.uses, d.services = append(d.uses, from.uses...), append(d.services, from.services...)
		return
	}
	ref, n := d.reference(m, "serviceRef")
	if n == nil {
		return
	}
	d.uses = append(d.uses, ref)
	found := d.documents(KindService, n, ref)
	for _, e := range found {
		if typ := textAt(e.body.Get("serviceDefinition"), "type"); !e.late && typ != "" && d.typ != "" && typ != d.typ && !strings.Contains(typ, "<+") {
			d.told = true
			d.c.lacking(n, e.words+" is for "+typ+": "+d.what+" deploys "+d.typ, "use a service of the stage's deploymentType")
		}
		d.services = put(d.services, e)
	}
	path := d.path + ".service.serviceInputs"
	d.c.give(m.Get("serviceInputs"), path, found...)
	for _, e := range found {
		d.c.sources(e.body.Get("serviceDefinition"), e.at, path)
	}
}

// put adds an entity that is not there yet.
func put(list []*entity, e *entity) []*entity {
	if slices.ContainsFunc(list, func(o *entity) bool { return o.ref == e.ref && o.env == e.env }) {
		return list
	}
	return append(list, e)
}

// reference reads a reference to a document: as it is written when its expression is
// known only in the run, else what it comes to.
func (d *deployment) reference(m *yamldoc.Node, key string) (string, *yamldoc.Node) {
	n := m.Get(key)
	switch {
	case n == nil || d.c.missing[n] == nil && d.c.empty(n):
		if m.Get("useFromStage") == nil && m.Get("filters") == nil {
			d.c.lacking(m, d.what+" has no "+key, "add "+key+":")
		}
		return "", nil
	case d.c.missing[n] != nil:
		d.c.missingInput(n, d.c.missing[n])
		return "", nil
	case !n.Scalar():
		d.c.wrong(n, key+" of "+d.what, "a reference")
		return "", nil
	}
	d.c.expressions(n)
	text, _ := d.c.knownText(d, n)
	if text == "" {
		text = n.Text
	}
	return text, n
}

// documents finds what a reference may mean: one document, or all of the kind when it
// is known only in the run.
func (d *deployment) documents(kind Kind, n *yamldoc.Node, ref string) []*entity {
	at := d.c.home
	if !strings.Contains(ref, "<+") {
		e := d.c.entity(kind, at, ref)
		if e == nil {
			d.c.notFound(n, noun[kind]+" "+ref)
			return nil
		}
		e.named = n
		return []*entity{e}
	}
	var found []*entity
	for _, name := range d.axis(ref) {
		if e := d.c.entity(kind, at, name); e != nil {
			found = append(found, e)
		} else {
			d.c.notFound(n, noun[kind]+" "+name)
		}
	}
	if found == nil {
		found = d.c.all(kind, at, "")
		if kind == KindService {
			found = slices.DeleteFunc(found, func(e *entity) bool {
				typ := textAt(e.body.Get("serviceDefinition"), "type")
				return typ != "" && d.typ != "" && typ != d.typ
			})
		}
	}
	for _, e := range found {
		e.late, e.named = true, n
	}
	return d.bounded(n, found)
}

// bounded refuses a reference that may mean too many documents.
func (d *deployment) bounded(n *yamldoc.Node, found []*entity) []*entity {
	if len(found) > MaxCandidates {
		d.c.errorf(n, CodeTooMany, "make it known before the run, or give fewer documents", "%s may mean any of %d documents: at most %d are allowed", n.Text, len(found), MaxCandidates)
		return nil
	}
	return found
}

var matrixAxis = regexp.MustCompile(`^<\+(?:stage\.)?matrix\.([a-zA-Z_][0-9a-zA-Z_]*)>$`)

// axis are the values that a reference takes in the stage's own matrix, nil when they
// are not known.
func (d *deployment) axis(ref string) []string {
	m := matrixAxis.FindStringSubmatch(ref)
	if m == nil {
		return nil
	}
	list := d.stage.Get("strategy").Get("matrix").Get(m[1])
	if list == nil || list.Kind != yamldoc.List {
		return nil
	}
	var out []string
	for _, it := range list.Items {
		if !it.Scalar() || isExpression(it) {
			return nil
		}
		out = append(out, it.Text)
	}
	return out
}
