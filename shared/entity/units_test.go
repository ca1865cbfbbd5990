package entity_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity/entitytest"
	"github.com/slipway-cd/slipway/shared/meter"
)

var update = flag.Bool("update", false, "write what the catalogue takes of DynamoDB into its page")

const page = "../../docs/reference/catalogue.md"

// TestUnits holds the page to what documents take of DynamoDB, counted by its rules;
// whether those are its rules is asked of DynamoDB itself (TestCatalogueUnits).
func TestUnits(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	ports := meter.Estimate(core.Ports{Store: &entitytest.Memory{}, Secrets: &entitytest.Values{}, Clock: at, IDs: clock.NewIDs(at)})
	costs, err := entitytest.Measure(t.Context(), ports, 10, 1_000, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- units: written by `go test ./shared/entity -run TestUnits -update` -->\n", "<!-- end of units -->"
	before, rest, ok := strings.Cut(string(text), begin)
	have, after, more := strings.Cut(rest, end)
	if !ok || !more {
		t.Fatalf("%s has no place for the table", page)
	}
	want := table(costs)
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(have, want); diff != "" {
		t.Errorf("%s is outdated: -update writes it\n%s", page, diff)
	}
}

// table has a column for each number of others.
func table(costs []entitytest.Cost) string {
	var b strings.Builder
	b.WriteString("| operation | beside 10 | 1,000 | 10,000 |\n|---|---|---|---|\n")
	for i, c := range costs {
		switch {
		case c.Beside == 0:
			fmt.Fprintf(&b, "| %s | %s | | |\n", c.What, units(c.Use))
		case c.Beside == costs[0].Beside:
			fmt.Fprintf(&b, "| %s |", c.What)
			for _, x := range costs[i:] {
				if x.What == c.What {
					fmt.Fprintf(&b, " %s |", units(x.Use))
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// units are write and read units.
func units(u core.Use) string {
	half := func(n int64) string { return strconv.FormatFloat(float64(n)/2, 'f', -1, 64) }
	if u[core.WriteHalves] == 0 {
		return half(u[core.ReadHalves]) + " r"
	}
	return half(u[core.WriteHalves]) + " w, " + half(u[core.ReadHalves]) + " r"
}
