package ng

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// maxPage is how many entities a page may have.
const maxPage = 1000

// listing says how a route lists.
type listing struct {
	page, size string // the query's parameters: "page" and "size", or "pageIndex" and "pageSize"
	fallback   int    // items of a page when the query does not say
	order      string // when the query does not say, as "name,ASC"
	// passes decides on a row by what is particular to the kind; nil for all.
	passes func(core.EntityRow) bool
	// ids are query parameters, beside "identifiers", that name the entities wanted.
	ids []string
	// facts are query parameters that a fact of that name must equal.
	facts []string
	// newest leaves of each template the version that was changed last.
	newest bool
	// refused are query parameters that are not understood.
	refused []string
	// include are further scopes of which rows are listed, behind those of the query's.
	include []core.Scope
}

// rows are the entities of a kind that a list shows, in order, and the page asked for.
func (d *door) rows(c *request.Call, r resource, l listing) (page []entity.Listed, total int, p httpio.Paging, err error) {
	ref := r.ref(c)
	if err := c.Allow(govern.View, core.EntityRef{Kind: r.kind, Scope: ref.Scope}); err != nil {
		return nil, 0, p, err
	}
	if err := httpio.Unsupported(c.Q, append(l.refused, "filterIdentifier", "pageToken", "repoName", "branch", "repoIdentifier")...); err != nil {
		return nil, 0, p, err
	}
	if p, err = readPaging(c.Q, l); err != nil {
		return nil, 0, p, err
	}
	q := entity.Query{Kind: r.kind, Scope: ref.Scope, Also: inSight(c, r.kind, append(slices.Clone(l.include), wider(c, ref.Scope)...)),
		Parent: ref.Parent, Search: c.Q.Get("searchTerm"), Newest: l.newest, Skip: p.Page * p.Size, Limit: p.Size}
	if err := request.Order(cmp.Or(c.Q.Get("sort"), c.Q.Get("sortOrders"), l.order, "lastModifiedAt,DESC"), &q); err != nil {
		return nil, 0, p, err
	}
	l.wants(c.Q, &q)
	if q.Search != "" && c.Q.Get("sort")+c.Q.Get("sortOrders") == "" {
		page, total, err = d.namesakesFirst(c, q)
	} else {
		page, total, err = d.Catalogue.List(c.Ctx, q)
	}
	return page, total, p, err
}

// namesakesFirst lists what is called just as a search says before what has it in its
// name. Harness's SDK finds an entity by its name so, and does not read every page.
func (d *door) namesakesFirst(c *request.Call, q entity.Query) ([]entity.Listed, int, error) {
	called := func(r core.EntityRow) bool { return strings.EqualFold(r.Name, q.Search) || r.Identifier == q.Search }
	first, rest := q, q
	first.Passes, first.Skip, first.Limit = request.All(q.Passes, called), 0, 0
	rest.Passes = request.All(q.Passes, func(r core.EntityRow) bool { return !called(r) })
	page, n, err := d.Catalogue.List(c.Ctx, first)
	if err != nil {
		return nil, 0, err
	}
	page = page[min(q.Skip, n):min(q.Skip+q.Limit, n)]
	room := q.Limit - len(page)
	rest.Skip, rest.Limit = max(0, q.Skip-n), max(1, room)
	more, total, err := d.Catalogue.List(c.Ctx, rest)
	return append(page, more[:min(room, len(more))]...), n + total, err
}

// widening are the query parameters that ask for what can be referred to from a scope
// too, not only for what lives in it.
var widening = []string{"includeAllConnectorsAvailableAtScope", "includeAllConnectorsAccessibleAtScope", "includeAllSecretsAccessibleAtScope",
	"includeAllServicesAccessibleAtScope", "includeAllVariablesAccessibleAtScope", "includeAllEnvGroupsAccessibleAtScope", "includeAllAccessibleAtScope"}

// wider are the scopes above one, when the query asks for them.
func wider(c *request.Call, at core.Scope) []core.Scope {
	if !slices.ContainsFunc(widening, func(name string) bool { return c.Q.Get(name) == "true" }) {
		return nil
	}
	above := entity.Visible(at)
	return above[:len(above)-1]
}

// inSight leaves out the scopes in which the caller may not see what there is.
func inSight(c *request.Call, kind core.EntityKind, scopes []core.Scope) []core.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s core.Scope) bool {
		return c.Allow(govern.View, core.EntityRef{Kind: kind, Scope: s}) != nil
	})
}

// wants puts into a query which rows are asked for by parameters and by what is
// particular to the kind.
func (l listing) wants(q url.Values, to *entity.Query) {
	filters := []func(core.EntityRow) bool{l.passes}
	for _, name := range append([]string{"identifiers"}, l.ids...) {
		switch wanted := httpio.Values(q, name); {
		case len(wanted) == 0:
		case to.Identifiers == nil:
			to.Identifiers = wanted
		default:
			filters = append(filters, func(r core.EntityRow) bool { return slices.Contains(wanted, r.Identifier) })
		}
	}
	for _, name := range l.facts {
		switch wanted := q.Get(name); {
		case wanted == "":
		case name == "type":
			filters = append(filters, func(r core.EntityRow) bool { return r.Type == wanted })
		default:
			filters = append(filters, func(r core.EntityRow) bool { return r.Facts[name] == wanted })
		}
	}
	to.Passes = request.All(filters...)
}

func readPaging(q url.Values, l listing) (httpio.Paging, error) {
	page := url.Values{"page": {cmp.Or(q.Get(l.page), q.Get("page"), q.Get("pageIndex"))}}
	page.Set("size", cmp.Or(q.Get(l.size), q.Get("size"), q.Get("pageSize")))
	return httpio.ReadPaging(page, "size", cmp.Or(l.fallback, 50), maxPage)
}

// contains reports whether text has part in it, in any case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// list answers with a page of entities, each as show has it, in Harness's PageResponse.
func (d *door) list(r resource, l listing) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		rows, total, p, err := d.rows(c, r, l)
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(c, r, rows)
		return httpio.OK(c.Request, httpio.NGPageOf(items, total, p)), err
	}
}

// listAll answers with a page's entities alone, as Harness's access lists do.
func (d *door) listAll(r resource, l listing) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		rows, _, _, err := d.rows(c, r, l)
		if err != nil {
			return httpio.Answer{}, err
		}
		items, err := d.shown(c, r, rows)
		return httpio.OK(c.Request, items), err
	}
}

// shown reads the entities of a page. One that is deleted meanwhile is left out.
func (d *door) shown(c *request.Call, r resource, rows []entity.Listed) ([]any, error) {
	items := []any{}
	if r.row != nil {
		for _, row := range rows {
			items = append(items, r.row(row.EntityRow, row.At))
		}
		return items, nil
	}
	all, err := d.Catalogue.Documents(c.Ctx, r.kind, rows)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		item, err := r.show(e)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}
