package workflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

func TestRecordRoundTrip(t *testing.T) {
	full := &record{
		status: core.ExecutionRunning, machine: "m", name: "x", digest: "d", input: []byte(`{}`), started: 1, stopped: 2,
		output: []byte(`3`), failure: "E", cause: "C", parent: "p", child: "c", state: "S", given: []byte(`4`), entered: 5,
		retries: []int{0, 300}, token: "t", seq: 6, due: 7, deadline: 8, beat: 9, history: []uint16{1, 65535}, transitions: 10, events: 11,
	}
	small := &record{status: core.ExecutionSucceeded, machine: "m", name: "x"}
	for name, r := range map[string]*record{"full": full, "small": small} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(r.encode())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r, got, cmp.AllowUnexported(record{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecordOfANewerVersion(t *testing.T) {
	data := (&record{status: core.ExecutionRunning, machine: "m", name: "x"}).encode()
	unknown := append(append([]byte(nil), data...), 99, 2, 1, 1)
	if r, err := decode(unknown); err != nil || r.name != "x" {
		t.Errorf("an unknown field must be skipped: %v", err)
	}
	data[0]++
	if _, err := decode(data); err == nil {
		t.Error("an unknown format must be refused")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add((&record{status: core.ExecutionRunning, machine: "m", name: "x", retries: []int{1}}).encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := decode(data); err == nil {
			if again, err := decode(r.encode()); err != nil || again.name != r.name {
				t.Errorf("not the same again: %v", err)
			}
		}
	})
}
