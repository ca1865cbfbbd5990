package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/steps"
	"github.com/slipway-cd/slipway/shared/strategy"
	"github.com/slipway-cd/slipway/shared/wire"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

const limitsPage = "docs/reference/limits.md"

// limits are the rows of the page of limits as the code has them.
var limits = map[string]string{
	"a YAML document":                  size(yamldoc.MaxDocument),
	"one scalar in it":                 size(yamldoc.MaxScalar),
	"maps and lists inside each other": fmt.Sprint(yamldoc.MaxDepth),
	"aliases, values, blank lines in a row, keys without a value": strings.Join([]string{count(yamldoc.MaxAliases),
		count(yamldoc.MaxNodes), count(yamldoc.MaxEmptyLines), count(yamldoc.MaxEmpty)}, ", "),
	"branches of a parallel block":                                       fmt.Sprint(compile.MaxParallel),
	"iterations of a loop":                                               fmt.Sprint(strategy.MaxIterations),
	"the values of a loop's iterations, as JSON":                         size(engine.MaxLoopBytes),
	"what a stage hands to the pipeline it runs, and gets back, as JSON": size(core.MaxChainBytes) + " each",
	"an expression's source; what it renders to":                         size(expr.MaxSource) + "; " + size(expr.MaxResult),
	"`<+` and brackets inside each other":                                fmt.Sprint(expr.MaxNesting),
	"steps of one evaluation":                                            count(expr.MaxSteps),
	"a timeout or duration":                                              fmt.Sprintf("10 s to %d weeks", steps.MaxDuration/(7*24*time.Hour)),
	"a run, when its pipeline sets no timeout":                           fmt.Sprintf("%d days", engine.MaxLifetime/(24*time.Hour)),
	"a line of a log; a step's log":                                      size(wire.MaxLogLineBytes) + "; " + size(wire.MaxStepLogBytes),
	"steps a delegate holds at once":                                     fmt.Sprint(wire.MaxHolding),
	"the body of a request":                                              size(httpio.MaxBody) + "; a delegate's 8 MB",
	"an item; items in one write; bytes in one write":                    size(core.MaxItemBytes) + "; " + fmt.Sprint(core.MaxWriteItems) + "; " + size(core.MaxWriteBytes),
	"a page of a query":                                                  size(core.MaxPageBytes),
	"input or output of a state":                                         size(core.MaxPayloadBytes),
	"an execution's name":                                                fmt.Sprintf("%d characters", core.MaxExecutionName),
	"a bus event":                                                        size(core.MaxBusEventBytes),
}

func size(n int) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}

func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// TestLimits holds the page of limits to the code.
func TestLimits(t *testing.T) {
	page := map[string]string{}
	for line := range strings.Lines(string(text(t, limitsPage))) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			page[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		}
	}
	for what, want := range limits {
		if page[what] != want {
			t.Errorf("%s says of %q %q; the code has %q", limitsPage, what, page[what], want)
		}
	}
}
