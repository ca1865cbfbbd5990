package aws

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/wire"
)

// TestManyOutputs shows a run whose outputs are more than one answer can carry, in
// what takes twice the room on the way to a function: those that find none are
// fetched one by one.
func TestManyOutputs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n, around = 4, len(`{"outputVariables":{"v":""}}`)
		text := strings.Repeat(`"`, (wire.MaxOutputBytes-around)/2)
		tag := "outputs-" + newID()
		var beside []string
		ids := []string{"a", "b", "c", "d"}
		for _, id := range ids {
			beside = append(beside, script(id, "true", tag))
		}
		run := w.launch(t, oneStage([]string{parallel(beside...)}), "outputs")
		h := w.hands(t, tag)
		for range n {
			_, err := h.Complete(t.Context(), wire.CompleteRequest{Delegate: h.id.ID, Task: h.take(t).TaskRef,
				Outcome: wire.Outcome{OK: true, Outputs: map[string]any{"outputVariables": map[string]any{"v": text}}}})
			if err != nil {
				t.Fatal(w.name, err)
			}
		}
		r := w.await(t, run, "ends", ended)
		apart := 0
		for _, id := range ids {
			got := node(r, id)
			if got.OutputsAt != "" {
				apart++
				w.must(t, http.StatusOK, "GET", got.OutputsAt, "admin", "").into(t, &got.Outputs)
			}
			if v, _ := got.Outputs["outputVariables"].(map[string]any); v["v"] != text {
				t.Errorf("%s: %s has other outputs", w.name, id)
			}
		}
		if apart != n-2 {
			t.Errorf("%s: %d of %d outputs are apart, want %d", w.name, apart, n, n-2)
		}
		w.must(t, http.StatusNotFound, "GET", "/slipway/v1/runs/"+run+"/outputs/nothing", "admin", "")
	})
}
