package workflow_test

import (
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/asl"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow"
	"github.com/slipway-cd/slipway/localstack/embedded/workflow/flowtest"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

func open(weak *workflow.Weak) func(*testing.T, map[string][]byte, core.Functions) core.Workflow {
	return func(t *testing.T, definitions map[string][]byte, fns core.Functions) core.Workflow {
		t.Helper()
		t.Parallel()
		w, err := workflow.New(workflow.Config{
			Definitions: parseAll(t, definitions, map[string]string{
				"Work": "arn:aws:lambda:local:000000000000:function:work",
				"Wait": "arn:aws:states:local:000000000000:stateMachine:wait",
			}),
			Functions: fns, Clock: clock.System(), IDs: clock.NewIDs(clock.System()), Records: flowtest.NewRecords(), Weak: weak,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		return w
	}
}

func parseAll(t testing.TB, definitions map[string][]byte, values map[string]string) map[string]*asl.Machine {
	t.Helper()
	out := map[string]*asl.Machine{}
	for name, text := range definitions {
		m, err := asl.Parse(name+".asl.json", text, values)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = m
	}
	return out
}

func TestContract(t *testing.T) { contract.Workflow(t, open(nil)) }

func TestContractWeak(t *testing.T) {
	contract.Workflow(t, open(&workflow.Weak{Seed: 7, Duplicate: 0.5, Delay: 20e6}))
}
