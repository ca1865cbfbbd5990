package target

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Place is where a service may go.
type Place struct{ Environment, Infrastructure string }

// Together says which of a stage's services and places go at the same time.
type Together struct{ Services, Places bool }

// Pairs returns every service in every place, in the order in which they go, and how
// many of them go at once (BEHAVIOUR §5.5).
func Pairs(services []string, places []Place, at Together) (pairs []core.Pair, concurrency int) {
	if len(services) == 0 {
		services = []string{""}
	}
	if len(places) == 0 {
		places = []Place{{}}
	}
	pair := func(s string, p Place) {
		pairs = append(pairs, core.Pair{Service: s, Environment: p.Environment, Infrastructure: p.Infrastructure})
	}
	if at.Places && !at.Services { // a service everywhere, then the next one
		for _, s := range services {
			for _, p := range places {
				pair(s, p)
			}
		}
		return pairs, len(places)
	}
	for _, p := range places {
		for _, s := range services {
			pair(s, p)
		}
	}
	switch {
	case at.Places:
		return pairs, len(pairs)
	case at.Services:
		return pairs, len(services)
	}
	return pairs, 1
}

// Filter picks environments, infrastructures or clusters (BEHAVIOUR §5.4).
type Filter struct {
	Entities []string // environments, infrastructures, gitOpsClusters
	All      bool
	Any      bool // one of the tags is enough
	Tags     map[string]string
}

// Kinds of entities that filters pick.
const (
	Environments    = "environments"
	Infrastructures = "infrastructures"
)

// Match reports whether filters pick an entity of a kind with such tags: one of them
// is enough. A tag without a value asks for the tag alone.
func Match(filters []Filter, entity string, tags map[string]string) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool {
		return slices.Contains(f.Entities, entity) && f.match(tags)
	})
}

// Picks reports whether filters say anything about a kind of entity.
func Picks(filters []Filter, entity string) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool { return slices.Contains(f.Entities, entity) })
}

func (f Filter) match(tags map[string]string) bool {
	if f.All {
		return true
	}
	matched := 0
	for k, want := range f.Tags {
		if have, ok := tags[k]; ok && (want == "" || have == want) {
			matched++
		}
	}
	if f.Any {
		return matched > 0
	}
	return matched == len(f.Tags) && matched > 0
}
