package meter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Row is one cause's use of one thing.
type Row struct {
	Cause    string  `json:"cause"`
	Service  string  `json:"service"`
	Unit     string  `json:"unit"`
	Quantity float64 `json:"quantity"`
	Price    float64 `json:"price"` // dollars for Per units
	Per      float64 `json:"per"`   // GB are of 2^30 bytes, quantities of them too
	Dollars  float64 `json:"dollars"`
}

// Bill is what was used and what it costs. It holds at least that: a process that
// died may have counted more, and init times are not counted.
type Bill struct {
	Region   string  `json:"region"`
	Date     string  `json:"date"` // of the prices
	Currency string  `json:"currency"`
	Rows     []Row   `json:"rows"` // by cause, then by service
	Dollars  float64 `json:"dollars"`
}

// NewBill prices what was used by cause, and transitions by machine.
func NewBill(by map[string]core.Use, transitions map[string]int64) Bill {
	b := Bill{Region: PriceRegion, Date: PriceDate, Currency: "USD", Rows: []Row{}}
	for _, machine := range slices.Sorted(maps.Keys(transitions)) {
		b.add("machine "+machine, transition, float64(transitions[machine]))
	}
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		for _, p := range prices {
			b.add(cause, p, p.of(by[cause]))
		}
	}
	return b
}

func (b *Bill) add(cause string, p price, quantity float64) {
	if quantity == 0 {
		return
	}
	r := Row{Cause: cause, Service: p.service, Unit: p.unit, Quantity: quantity, Price: p.dollars, Per: p.per,
		Dollars: quantity / p.per * p.dollars}
	if p.per == gb {
		r.Quantity, r.Per = quantity/gb, 1
	}
	b.Rows = append(b.Rows, r)
	b.Dollars += r.Dollars
}

// Without is the bill without some causes.
func (b Bill) Without(causes ...string) Bill {
	rows := b.Rows
	b.Rows, b.Dollars = []Row{}, 0
	for _, r := range rows {
		if !slices.Contains(causes, r.Cause) {
			b.Rows, b.Dollars = append(b.Rows, r), b.Dollars+r.Dollars
		}
	}
	return b
}

// Quantity is how much of a service's unit was used by some causes, by all when
// none is given.
func (b Bill) Quantity(service, unit string, causes ...string) float64 {
	n := 0.0
	for _, r := range b.Rows {
		if r.Service == service && r.Unit == unit && (len(causes) == 0 || slices.Contains(causes, r.Cause)) {
			n += r.Quantity
		}
	}
	return n
}

// ByService adds the causes up.
func (b Bill) ByService() []Row {
	var sums []Row
	for _, p := range append([]price{transition}, prices...) {
		sum := Row{Service: p.service, Unit: p.unit, Price: p.dollars, Per: p.per}
		if p.per == gb {
			sum.Per = 1
		}
		for _, r := range b.Rows {
			if r.Service == p.service && r.Unit == p.unit {
				sum.Quantity, sum.Dollars = sum.Quantity+r.Quantity, sum.Dollars+r.Dollars
			}
		}
		if sum.Quantity != 0 {
			sums = append(sums, sum)
		}
	}
	return sums
}

// Table is the bill as text, divided by n: causes down, what they use across, and
// what each of these costs.
func (b Bill) Table(n float64) string {
	var out strings.Builder
	heads := b.ByService()
	cell := func(v float64) { fmt.Fprintf(&out, " %12s", fmt.Sprintf("%.4g", v/n)) }
	fmt.Fprintf(&out, "%-18s", "")
	for _, h := range heads {
		fmt.Fprintf(&out, " %12.12s", h.Service)
	}
	fmt.Fprintf(&out, "\n%-18s", "cause")
	for _, h := range heads {
		fmt.Fprintf(&out, " %12s", h.Unit)
	}
	out.WriteString("      dollars\n")
	var causes []string
	for _, r := range b.Rows {
		if !slices.Contains(causes, r.Cause) {
			causes = append(causes, r.Cause)
		}
	}
	line := func(name string, quantity func(Row) float64, dollars float64) {
		fmt.Fprintf(&out, "%-18s", name)
		for _, h := range heads {
			cell(quantity(h))
		}
		cell(dollars)
		out.WriteByte('\n')
	}
	for _, c := range causes {
		dollars := 0.0
		for _, r := range b.Rows {
			if r.Cause == c {
				dollars += r.Dollars
			}
		}
		line(c, func(h Row) float64 { return b.Quantity(h.Service, h.Unit, c) }, dollars)
	}
	line("all", func(h Row) float64 { return h.Quantity }, b.Dollars)
	line("dollars", func(h Row) float64 { return h.Dollars }, b.Dollars)
	return out.String()
}
