package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
)

// BenchmarkSerialRun is the run of three stages, 17 transitions, on records in
// memory: what the workflow itself costs.
func BenchmarkSerialRun(b *testing.B) {
	var flow *workflow.Workflow
	tokens := make(chan string, 1)
	system := clock.System()
	flow, err := workflow.New(workflow.Config{
		Definitions: stages(b), Clock: system, IDs: clock.NewIDs(system), Records: flowtest.NewRecords(),
		Functions: flowtest.Func(func(_ context.Context, _ string, payload json.RawMessage) (json.RawMessage, error) {
			var p struct{ Token string }
			err := json.Unmarshal(payload, &p)
			tokens <- p.Token
			return nil, err
		}),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer flow.Close()
	ctx := context.Background()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		name := func(i int) string { return fmt.Sprintf("%d-%d", n, i) }
		input, _ := json.Marshal(map[string]any{"account": "a", "run": "r", "track": "t", "next": route("RunStage", name(1), nil)})
		if err := flow.Start(ctx, core.MachinePipeline, name(0), input); err != nil {
			b.Fatal(err)
		}
		for i := 1; i <= 3; i++ {
			then := route("RunStage", name(i+1), nil)
			if i == 3 {
				then = route("Done", "", nil)
			}
			out, _ := json.Marshal(route("Leave", "", then))
			if err := flow.Finish(ctx, <-tokens, out); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed()/time.Microsecond)/float64(b.N)/17, "µs/transition")
}
