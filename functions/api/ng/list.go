package ng

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/api/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
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
	// choose leaves out rows that others stand for; nil for none.
	choose func([]found) []found
	// refused are query parameters that are not understood.
	refused []string
	// include are further scopes of which rows are listed, behind those of the query's.
	include []core.Scope
}

// found is a row of a list with where it lives.
type found struct {
	core.EntityRow
	at core.Scope
}

// rows are the entities of a kind that a list shows, in order, and the page asked for.
func (d *door) rows(c *request.Call, r resource, l listing) (page []found, total int, p httpio.Paging, err error) {
	at, parent := r.ref(c).Scope, r.ref(c).Parent
	if err := c.Allow(govern.View, core.EntityRef{Kind: r.kind, Scope: at}); err != nil {
		return nil, 0, p, err
	}
	if err := httpio.Unsupported(c.Q, append(l.refused, "filterIdentifier", "repoName", "branch", "repoIdentifier")...); err != nil {
		return nil, 0, p, err
	}
	if p, err = readPaging(c.Q, l); err != nil {
		return nil, 0, p, err
	}
	compare, err := order(c.Q, l.order)
	if err != nil {
		return nil, 0, p, err
	}
	term := strings.ToLower(c.Q.Get("searchTerm"))
	var all []found
	for _, s := range slices.Concat([]core.Scope{at}, inSight(c, r.kind, l.include), inSight(c, r.kind, wider(c, at))) {
		rows, err := d.Catalogue.List(c.Ctx, s, r.kind)
		if err != nil {
			return nil, 0, p, err
		}
		for _, row := range rows {
			if (parent == "" || row.Parent == parent) && l.wants(c.Q, row) && (l.passes == nil || l.passes(row)) && mentions(row, term) {
				all = append(all, found{row, s})
			}
		}
	}
	if l.choose != nil {
		all = l.choose(all)
	}
	slices.SortStableFunc(all, func(a, b found) int { return compare(a.EntityRow, b.EntityRow) })
	return httpio.Cut(all, p), len(all), p, nil
}

// widening are the query parameters that ask for what can be referred to from a scope
// too, not only for what lives in it.
var widening = []string{"includeAllConnectorsAvailableAtScope", "includeAllConnectorsAccessibleAtScope", "includeAllSecretsAccessibleAtScope",
	"includeAllServicesAccessibleAtScope", "includeAllVariablesAccessibleAtScope", "includeAllAccessibleAtScope"}

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

// wants reports whether a row is among those that the query names.
func (l listing) wants(q url.Values, row core.EntityRow) bool {
	for _, name := range append([]string{"identifiers"}, l.ids...) {
		if wanted := httpio.Values(q, name); len(wanted) > 0 && !slices.Contains(wanted, row.Identifier) {
			return false
		}
	}
	for _, name := range l.facts {
		have := row.Facts[name]
		if name == "type" {
			have = row.Type
		}
		if wanted := q.Get(name); wanted != "" && wanted != have {
			return false
		}
	}
	return true
}

func readPaging(q url.Values, l listing) (httpio.Paging, error) {
	page := url.Values{"page": {cmp.Or(q.Get(l.page), q.Get("page"), q.Get("pageIndex"))}}
	page.Set("size", cmp.Or(q.Get(l.size), q.Get("size"), q.Get("pageSize")))
	return httpio.ReadPaging(page, "size", cmp.Or(l.fallback, 50), maxPage)
}

// mentions reports whether a row has a search term, in small letters, in its name,
// identifier or tags.
func mentions(r core.EntityRow, term string) bool {
	if term == "" {
		return true
	}
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), term) }
	if has(r.Name) || has(r.Identifier) {
		return true
	}
	for k, v := range r.Tags {
		if has(k) || has(v) {
			return true
		}
	}
	return false
}

// contains reports whether text has part in it, in any case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// fields are what lists may be ordered by.
var fields = map[string]func(a, b core.EntityRow) int{
	"name":           func(a, b core.EntityRow) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
	"identifier":     func(a, b core.EntityRow) int { return cmp.Compare(a.Identifier, b.Identifier) },
	"createdAt":      func(a, b core.EntityRow) int { return cmp.Compare(a.Created, b.Created) },
	"lastModifiedAt": func(a, b core.EntityRow) int { return cmp.Compare(a.Updated, b.Updated) },
	"lastUpdatedAt":  func(a, b core.EntityRow) int { return cmp.Compare(a.Updated, b.Updated) },
}

// order reads the parameters sort and sortOrders: "field,ASC" or "field,DESC".
func order(q url.Values, fallback string) (func(a, b core.EntityRow) int, error) {
	text := cmp.Or(q.Get("sort"), q.Get("sortOrders"), fallback, "lastModifiedAt,DESC")
	name, direction, _ := strings.Cut(text, ",")
	compare, ok := fields[name]
	if !ok {
		return nil, fault.New(fault.Unsupported, "not supported yet: lists in the order %s", text)
	}
	if strings.EqualFold(direction, "DESC") {
		return func(a, b core.EntityRow) int { return compare(b, a) }, nil
	}
	return compare, nil
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
func (d *door) shown(c *request.Call, r resource, rows []found) ([]any, error) {
	items := []any{}
	for _, row := range rows {
		if r.row != nil {
			items = append(items, r.row(row.EntityRow, row.at))
			continue
		}
		e, err := d.Catalogue.Get(c.Ctx, entity.Ref(row.at, r.kind, row.EntityRow))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		item, err := r.show(e)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}
