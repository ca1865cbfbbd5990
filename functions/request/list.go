package request

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

// orders are what lists may be ordered by.
var orders = map[string]entity.Order{"name": entity.ByName, "identifier": entity.ByIdentifier, "createdAt": entity.ByCreated,
	"lastModifiedAt": entity.ByUpdated, "lastUpdatedAt": entity.ByUpdated}

// Order puts an order into a query: "field,ASC" or "field,DESC", or "{field DESC}" as
// Harness's SDK writes it.
func Order(text string, q *entity.Query) error {
	name, direction, _ := strings.Cut(strings.ReplaceAll(strings.Trim(text, "{}"), " ", ","), ",")
	order, ok := orders[name]
	if !ok {
		return fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", text)
	}
	q.Order, q.Descending = order, strings.EqualFold(direction, "DESC")
	return nil
}

// All passes what all of several filters pass. A filter that is nil passes everything,
// and is not asked.
func All(filters ...func(core.EntityRow) bool) func(core.EntityRow) bool {
	filters = slices.DeleteFunc(filters, func(f func(core.EntityRow) bool) bool { return f == nil })
	switch len(filters) {
	case 0:
		return nil
	case 1:
		return filters[0]
	}
	return func(r core.EntityRow) bool {
		return !slices.ContainsFunc(filters, func(f func(core.EntityRow) bool) bool { return !f(r) })
	}
}
