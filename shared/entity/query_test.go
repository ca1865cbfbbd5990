package entity_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/entity/entitytest"
)

// plain answers a query as slowly and as plainly as can be.
func plain(kept map[core.EntityRef]core.Entity, q entity.Query) (all []string) {
	var rows []core.Entity
	scopes := append([]core.Scope{q.Scope}, q.Also...)
	for _, e := range kept {
		text := strings.ToLower(strings.Join(append(slices.Concat(slices.Collect(maps.Keys(e.Tags)), slices.Collect(maps.Values(e.Tags))), e.Name, e.Identifier), "\n"))
		if e.Kind == q.Kind && slices.Contains(scopes, e.Scope) && (q.Parent == "" || e.Parent == q.Parent) &&
			(len(q.Identifiers) == 0 || slices.Contains(q.Identifiers, e.Identifier)) && strings.Contains(text, strings.ToLower(q.Search)) &&
			(q.Passes == nil || q.Passes(entity.Row(e))) {
			rows = append(rows, e)
		}
	}
	if passing := slices.Clone(rows); q.Newest {
		rows = slices.DeleteFunc(rows, func(e core.Entity) bool {
			return slices.ContainsFunc(passing, func(x core.Entity) bool {
				return x.Unlabelled() == e.Unlabelled() && (x.Updated > e.Updated || x.Updated == e.Updated && x.Label < e.Label)
			})
		})
	}
	slices.SortFunc(rows, func(a, b core.Entity) int {
		n := map[entity.Order]int{entity.ByName: cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), entity.ByIdentifier: cmp.Compare(a.Identifier, b.Identifier),
			entity.ByCreated: cmp.Compare(a.Created, b.Created), entity.ByUpdated: cmp.Compare(a.Updated, b.Updated)}[q.Order]
		if n = cmp.Or(n, cmp.Compare(a.Path(), b.Path())); q.Descending {
			n = -n
		}
		return cmp.Or(n, slices.Index(scopes, a.Scope)-slices.Index(scopes, b.Scope))
	})
	for _, e := range rows {
		all = append(all, e.String()+" "+e.Scope.Path())
	}
	return all
}

// TestListsAnswerAsIfTheySortedEverything asks random queries between random changes, by
// two processes, and holds the answers to those of a plain filter and sort.
func TestListsAnswerAsIfTheySortedEverything(t *testing.T) {
	one, ports := open(t)
	writers := []*entity.Catalogue{one, entity.NewCatalogue(ports)}
	r := rand.New(rand.NewPCG(1, 2))
	scopes := []core.Scope{home, {Account: "a", Org: "o"}, {Account: "a"}}
	kept := map[core.EntityRef]core.Entity{}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	for step := range 600 {
		e := core.Entity{EntityRef: core.EntityRef{Kind: core.EntityTemplate, Scope: scopes[r.IntN(3)], Identifier: fmt.Sprintf("t%02d", r.IntN(30)), Label: pick("1", "2")},
			Name: pick("Build", "build", "Ünder", "Zed"), Tags: map[string]string{pick("Team", "tier"): pick("Red", "")}, Type: pick("Step", "Stage"), Stable: true}
		if r.IntN(2) == 0 { // of a kind with parents
			e.EntityRef = core.EntityRef{Kind: core.EntityInputSet, Scope: e.Scope, Parent: pick("p", "q", "p/q"), Identifier: e.Identifier}
			e.Stable = false
		}
		c := writers[r.IntN(2)]
		if _, there := kept[e.EntityRef]; there && r.IntN(3) == 0 {
			if err := c.Delete(t.Context(), e.EntityRef, by); err == nil {
				delete(kept, e.EntityRef)
			} else if !strings.Contains(err.Error(), "stable version") {
				t.Fatal(err)
			}
		} else {
			kept[e.EntityRef] = must[core.Entity](t)(c.Put(t.Context(), e, by))
		}
		q := entity.Query{Kind: core.EntityKind(pick("template", "inputSet")), Scope: scopes[0], Also: scopes[1 : 1+r.IntN(3)], Descending: r.IntN(2) == 0,
			Order: entity.Order(pick("", "name", "identifier", "created", "updated")), Skip: r.IntN(8), Limit: r.IntN(20)}
		q.Search = pick("", "", "BUILD", "t1", "red", "ü", "dt0")
		if q.Kind == core.EntityInputSet {
			q.Parent = pick("", "p", "q", "p/q", "none")
		} else {
			q.Newest = r.IntN(3) == 0
		}
		if r.IntN(4) == 0 {
			q.Identifiers = []string{"t05", pick("t03", "t05", "nothing"), "t20"}
		}
		if r.IntN(4) == 0 {
			q.Passes = func(row core.EntityRow) bool { return row.Type == "Step" }
		}
		rows, total, err := writers[r.IntN(2)].List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := plain(kept, q)
		got := []string{fmt.Sprint(total)}
		for _, row := range rows {
			got = append(got, row.Ref(q.Kind).String()+" "+row.At.Path())
		}
		page := want[min(q.Skip, len(want)):]
		if q.Limit > 0 {
			page = page[:min(q.Limit, len(page))]
		}
		if diff := gocmp.Diff(append([]string{fmt.Sprint(len(want))}, page...), got); diff != "" {
			t.Fatalf("step %d, %+v:\n%s", step, q, diff)
		}
	}
}

// Reading a directory for the first time takes few calls, however many shards it has.
func TestDirectoryIsReadInFewCalls(t *testing.T) {
	c, ports := open(t)
	for i := range 300 {
		id := fmt.Sprintf("s%03d", i)
		must[core.Entity](t)(c.Create(t.Context(), service(id, id), by))
	}
	counted := &counting{Store: ports.Store}
	ports.Store = counted
	fresh := entity.NewCatalogue(ports)
	q := entity.Query{Kind: core.EntityService, Scope: home, Limit: 5}
	for _, calls := range []int{20, 1} { // the store of this test answers in short pages, and late
		counted.calls = 0
		if rows := listed(t, fresh, q); len(rows) != 5 || counted.calls > calls {
			t.Errorf("%d rows in %d calls, at most %d are needed", len(rows), counted.calls, calls)
		}
	}
}

// counting is a store that counts what is read from it.
type counting struct {
	core.Store
	calls int
}

func (s *counting) Get(ctx context.Context, key core.Key, strong bool) (core.Item, error) {
	s.calls++
	return s.Store.Get(ctx, key, strong)
}

func (s *counting) Query(ctx context.Context, q core.Query) (core.Page, error) {
	s.calls++
	return s.Store.Query(ctx, q)
}

// TestPagesWhileOthersWrite reads 10,000 entities page by page while others are added and
// deleted between the pages.
func TestPagesWhileOthersWrite(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	c := entity.NewCatalogue(core.Ports{Store: &entitytest.Memory{}, Clock: at, IDs: clock.NewIDs(at)})
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 10_000 {
		must[core.Entity](t)(c.Create(t.Context(), service(fmt.Sprintf("s%05d", 2*i), ""), by))
	}
	q := entity.Query{Kind: core.EntityService, Scope: home, Limit: 250}
	for name, tc := range map[string]struct {
		order   entity.Order
		deletes bool
		next    func(q *entity.Query, last entity.Listed)
	}{
		"behind the last row":            {entity.ByPath, true, func(q *entity.Query, last entity.Listed) { q.After = last.Path() }},
		"by number, what is new is last": {entity.ByCreated, false, func(q *entity.Query, _ entity.Listed) { q.Skip += q.Limit }},
	} {
		t.Run(name, func(t *testing.T) {
			q, seen, there := q, map[string]int{}, map[string]bool{}
			q.Order = tc.order
			for _, l := range listed(t, c, entity.Query{Kind: q.Kind, Scope: home}) {
				there[l.Identifier] = true
			}
			for rows := listed(t, c, q); len(rows) > 0; rows = listed(t, c, q) {
				for _, l := range rows {
					seen[l.Identifier]++
				}
				at.Advance(time.Millisecond)
				must[core.Entity](t)(c.Put(t.Context(), service(fmt.Sprintf("s%05d", 2*r.IntN(10_000)+1), ""), by))
				if gone := fmt.Sprintf("s%05d", 2*r.IntN(10_000)); tc.deletes && there[gone] {
					delete(there, gone)
					if err := c.Delete(t.Context(), service(gone, "").EntityRef, by); err != nil {
						t.Fatal(err)
					}
				}
				tc.next(&q, rows[len(rows)-1])
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s came %d times", id, n)
				}
			}
			for id := range there {
				if seen[id] == 0 {
					t.Errorf("%s was there throughout and did not come", id)
				}
			}
		})
	}
}

// Of versions changed at one moment the first counts as the newest.
func TestNewestOfEquals(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	c := entity.NewCatalogue(core.Ports{Store: &entitytest.Memory{}, Clock: at, IDs: clock.NewIDs(at)})
	for _, label := range []string{"2", "1", "3"} {
		must[core.Entity](t)(c.Create(t.Context(), core.Entity{EntityRef: core.EntityRef{Kind: core.EntityTemplate, Scope: home, Identifier: "t", Label: label}}, by))
	}
	if rows := listed(t, c, entity.Query{Kind: core.EntityTemplate, Scope: home, Newest: true}); len(rows) != 1 || rows[0].Label != "1" {
		t.Errorf("%+v", rows)
	}
}

// TestListsDoNotAllocateByRow lists and searches among thousands.
func TestListsDoNotAllocateByRow(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	c := entity.NewCatalogue(core.Ports{Store: &entitytest.Memory{}, Clock: at, IDs: clock.NewIDs(at)})
	for i := range 3_000 {
		must[core.Entity](t)(c.Create(t.Context(), service(fmt.Sprintf("s%04d", i), ""), by))
	}
	one := entity.Query{Kind: core.EntityService, Scope: home, Order: entity.ByName, Limit: 10}
	search, filter, last := one, one, one
	search.Search, filter.Passes, last.Skip = "S 7", func(r core.EntityRow) bool { return r.Type == "none" }, 2_980
	for name, q := range map[string]entity.Query{"a page": one, "the last page": last, "a search": search, "a filter": filter} {
		if n := testing.AllocsPerRun(10, func() { listed(t, c, q) }); n > 50 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
