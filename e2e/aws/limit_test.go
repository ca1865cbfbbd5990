package aws

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// limits are the bounds of the services below, or ours where they are narrower,
// each tried at the bound and one byte over it.
var limits = []struct {
	name  string
	bytes int
	// slack is how many bytes of the bound a service may need for its own: the
	// largest that it takes is looked for.
	slack int
	// try uses n bytes and says how it went; words are what a refusal has to name.
	try   func(t *testing.T, w *world, n int) error
	words string
}{
	{"DynamoDB: an item of 400 KB", core.MaxItemBytes, 1024, putItem, "409600"},
	{"Step Functions: 256 KB into an execution", core.MaxPayloadBytes, 0, startExecution, "262144"},
	{"Step Functions: 256 KB out of a task", core.MaxPayloadBytes, 0, finishToken, "262144"},
	{"EventBridge: an entry of 256 KB", core.MaxBusEventBytes, 1024, publish, "262144"},
	{"Secrets Manager: a value of 64 KB", 64 << 10, 0, putSecret, "65536"},
	{"ours: a body of 5 MB", httpio.MaxBody, 0, sendBody, "5242880"},
	{"ours: a stored document of 3 MB", core.MaxEntityYAML, 0, savePipeline, "3145728"},
	{"ours: a chunk of a log within an item", core.MaxItemBytes - 4096, 0, storeChunk, "98304"},
}

// TestLimits goes to each bound and over it.
func TestLimits(t *testing.T) {
	for _, w := range worlds(t) {
		for _, l := range limits {
			t.Run(w.name+"/"+l.name, func(t *testing.T) {
				n := l.bytes
				for low := n - l.slack; low < n; { // by halves
					mid := (low + n + 1) / 2
					if l.try(t, w, mid) == nil {
						low = mid
					} else {
						n = mid - 1
					}
				}
				if err := l.try(t, w, n); err != nil {
					t.Errorf("%d bytes: %v", n, err)
				}
				err := l.try(t, w, n+1)
				if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), l.words) {
					t.Errorf("%d bytes: %v, want a refusal that names %s", n+1, err, l.words)
				}
			})
		}
	}
}

// TestGateway sends bodies about the 10 MB that API Gateway takes, and about the
// 6 MB that a function takes of it: all are over our own bound, and refused as that.
func TestGateway(t *testing.T) {
	for _, w := range worlds(t) {
		for _, n := range []int{6 << 20, 6<<20 + 1, 10 << 20, 10<<20 + 1} {
			if err := sendBody(t, w, n); !fault.Is(err, fault.TooLarge) {
				t.Errorf("%s: %d bytes: %v", w.name, n, err)
			}
		}
		// Within ours, but of what takes twice the room on the way to a function.
		body := `{"yaml":"# ` + strings.Repeat(`\"`, 2<<20) + `"}`
		if a, err := w.call(t.Context(), "POST", "/slipway/v1/runs", "admin", body); err != nil || a.status >= 500 {
			t.Errorf("%s: a body of quotes: %v %v", w.name, a, err)
		}
	}
}

// padded is JSON of exactly n bytes.
func padded(n int) json.RawMessage {
	return json.RawMessage(`{"a":"` + strings.Repeat("x", n-8) + `"}`)
}

func putItem(t *testing.T, w *world, n int) error {
	it := core.Item{Key: core.Key{PK: "A#limit#" + newID(), SK: "item"}, Version: 1, Body: padded(n)}
	if err := w.ports.Store.Write(t.Context(), core.Put{Item: it}); err != nil {
		return err
	}
	back, err := w.ports.Store.Get(t.Context(), it.Key, true)
	if err == nil && len(back.Body) != len(it.Body) {
		err = fmt.Errorf("%d bytes came back of %d", len(back.Body), len(it.Body))
	}
	return err
}

func startExecution(t *testing.T, w *world, n int) error {
	// It leaves at once.
	in := `{"account":"limit","run":"x","track":"0","next":{"kind":"Leave"},"pad":"`
	return w.ports.Workflow.Start(t.Context(), core.MachineBranch, "limit-"+newID(), json.RawMessage(in+strings.Repeat("x", n-len(in)-2)+`"}`))
}

// finishToken finishes a token that nobody waits for: one within the bound is gone.
func finishToken(t *testing.T, w *world, n int) error {
	err := w.ports.Workflow.Finish(t.Context(), strings.Repeat("A", 32), padded(n))
	if fault.Is(err, fault.Gone) {
		return nil
	}
	return err
}

func publish(t *testing.T, w *world, n int) error {
	return w.ports.Bus.Publish(t.Context(), core.BusEvent{ID: newID(), Type: "limit", Time: 1_790_000_000_000, Detail: padded(n)})
}

func putSecret(t *testing.T, w *world, n int) error {
	return w.refused(w.call(t.Context(), "PUT", "/slipway/v1/secrets/limit", "admin", strings.Repeat("x", n)))
}

func sendBody(t *testing.T, w *world, n int) error {
	body := fmt.Sprintf(`{"inputs":{"x":"%s"}}`, strings.Repeat("x", n-len(`{"inputs":{"x":""}}`)))
	return w.refused(w.call(t.Context(), "POST", "/slipway/v1/runs", "admin", body))
}

func savePipeline(t *testing.T, w *world, n int) error {
	id := "p" + newID()
	return w.refused(w.call(t.Context(), "POST", "/v1/orgs/default/projects/default/pipelines", "admin",
		fmt.Sprintf(`{"pipeline_yaml":%q,"identifier":%q}`, document(id, n), id)))
}

// document is a pipeline of exactly n bytes, in scripts that do not compress.
func document(id string, n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		raw := make([]byte, 150<<10)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return base64.RawStdEncoding.EncodeToString(raw)
	}
	doc := strings.ReplaceAll(oneStage([]string{script("first", "echo first", "")}), "identifier: test", "identifier: "+id)
	for i := 0; len(doc)+210<<10 < n; i++ {
		doc += "              - " + script(fmt.Sprintf("s%d", i), ": "+text(), "") + "\n"
	}
	return doc + "#" + strings.Repeat("x", n-len(doc)-2) + "\n"
}

func storeChunk(t *testing.T, w *world, n int) error {
	tag := "limit-" + newID()
	w.launch(t, oneStage([]string{script("x", "true", tag)}), "limit")
	h := w.hands(t, tag)
	task := h.take(t)
	line := wire.LogLine{Level: "INFO"}
	empty, err := json.Marshal([]wire.LogLine{line})
	if err != nil {
		return err
	}
	line.Text = strings.Repeat("x", n-len(empty))
	_, err = h.Logs(t.Context(), wire.LogRequest{Delegate: h.id.ID, Task: task.TaskRef, Chunk: wire.LogChunk{Seq: 1, Lines: []wire.LogLine{line}}})
	h.complete(t, task.TaskRef)
	return err
}

// refused makes an error of an answer that says "too large"; other answers are
// not about size.
func (w *world) refused(a answer, err error) error {
	switch {
	case err != nil:
		return err
	case a.status == http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "%v", a)
	case a.status >= 500:
		return fault.New(fault.Internal, "%v", a)
	}
	return nil
}

// TestSpill takes outputs and a log through a pipeline, at and over the sizes that
// are kept apart, and reads them back whole.
func TestSpill(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		// Of {"exitCode":0,"outputVariables":{"v":"…"}} all but the dots.
		const around = len(`{"exitCode":0,"outputVariables":{"v":""}}`)
		sizes := map[string]int{"inline": core.MaxInlineOutputs - around, "spilled": core.MaxInlineOutputs + 1 - around, "large": 200 << 10}
		var steps []string
		for id, n := range sizes {
			steps = append(steps, writer(id, n, "v"), reader("read"+id, id))
		}
		lines, times := 50_000, 200
		if raced { // make test-aws has them whole
			lines, times = 5_000, 20
		}
		const line = "0123456789012345678901234567890123456789012345678901234567890123456789012345678"
		quotes := `l=$(head -c 24000 /dev/zero | tr '\0' '"'); for i in $(seq ` + fmt.Sprint(times) + `); do echo "$l"; done` // each takes twice the room, twice
		steps = append(steps, script("log", fmt.Sprintf("yes %s | head -n %d", line, lines), ""), script("quotes", quotes, ""), writer("over", 300<<10, "v", "w"))
		run := w.launch(t, oneStage(steps), "spill")
		r := w.await(t, run, "ends", ended)
		if f := node(r, "over").Failure; r.Status != "Failed" || f == nil || !strings.Contains(f.Message, "512 KB") {
			t.Fatalf("%s: %s", w.name, show(r))
		}
		apart := map[int]bool{}
		for _, events := range w.record(t, run).Tracks {
			for _, ev := range events {
				if c := ev.Completed; c != nil && c.OutputsRef != nil {
					apart[c.OutputsRef.Bytes] = true
				}
			}
		}
		if diff := cmp.Diff(map[int]bool{core.MaxInlineOutputs + 1: true, 200<<10 + around: true}, apart); diff != "" {
			t.Errorf("%s: outputs kept apart: %s", w.name, diff)
		}
		for id, n := range sizes {
			if got := strings.TrimSpace(w.logs(t, r, "read"+id)); got != fmt.Sprint(n) {
				t.Errorf("%s: %s read back has %s bytes, want %d", w.name, id, got, n)
			}
		}
		if log := w.logs(t, r, "quotes"); log != strings.Repeat(strings.Repeat(`"`, 24000)+"\n", times) {
			t.Errorf("%s: the log of long lines has %d bytes, want %d", w.name, len(log), times*24001)
		}
		if log := w.logs(t, r, "log"); log != strings.Repeat(line+"\n", lines) {
			t.Errorf("%s: the log has %d bytes, want %d", w.name, len(log), lines*(len(line)+1))
		}
	})
}

// writer is a step with output variables of n bytes each.
func writer(id string, n int, variables ...string) string {
	var text, out strings.Builder
	for i, v := range variables {
		fmt.Fprintf(&text, "%s=$(head -c %d /dev/zero | tr '\\0' x)\n", v, n)
		fmt.Fprintf(&out, "%s{name: %s, type: String, value: %s}", map[bool]string{true: ", "}[i > 0], v, v)
	}
	return script(id, text.String(), "", "outputVariables: ["+out.String()+"]")
}

// value is the expression of a step's output variable v.
func value(step string) string { return "<+execution.steps." + step + ".output.outputVariables.v>" }

// reader is a step that counts the bytes of another's output variable v: a text
// has 256 KB at most, which is less than a step's outputs.
func reader(id, step string) string {
	return script(id, "cat > all <<'END'\n"+value(step)+"\nEND\ntr -d '\\n' < all | wc -c", "")
}

// carrier is a step that is handed the output variable v of the step make n times.
func carrier(id, tag string, n int) string {
	var env []string
	for i := range n {
		env = append(env, fmt.Sprintf("{name: V%d, type: String, value: %s}", i, value("make")))
	}
	return script(id, "echo ${#V0}", tag, "environmentVariables: ["+strings.Join(env, ", ")+"]")
}

// TestLargestOutputs takes outputs of exactly 1 MB and refuses a byte more.
func TestLargestOutputs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const around = len(`{"outputVariables":{"v":"","w":""}}`)
		const kept = 200 << 10 // of v, which is read back
		tag := "outputs-" + newID()
		run := w.launch(t, oneStage([]string{script("x", "true", tag), reader("y", "x")}), "outputs")
		h := w.hands(t, tag)
		task := h.take(t)
		end := func(n int) error {
			v := map[string]any{"v": strings.Repeat("x", kept), "w": strings.Repeat("x", n-around-kept)}
			_, err := h.Complete(t.Context(), wire.CompleteRequest{Delegate: h.id.ID, Task: task.TaskRef,
				Outcome: wire.Outcome{OK: true, Outputs: map[string]any{"outputVariables": v}}})
			return err
		}
		if err := end(wire.MaxOutputBytes + 1); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "1048576") {
			t.Errorf("%s: a byte over 1 MB: %v", w.name, err)
		}
		if err := end(wire.MaxOutputBytes); err != nil {
			t.Fatalf("%s: 1 MB: %v", w.name, err)
		}
		r := w.await(t, run, "ends", ended)
		out, _ := node(r, "x").Outputs["outputVariables"].(map[string]any)
		if text, _ := out["w"].(string); r.Status != "Success" || len(text) != wire.MaxOutputBytes-around-kept {
			t.Fatalf("%s: read back were %d bytes: %s", w.name, len(text), show(r))
		}
		if got := strings.TrimSpace(w.logs(t, r, "y")); got != fmt.Sprint(kept) {
			t.Errorf("%s: read back were %s bytes", w.name, got)
		}
	})
}

// TestLargestDocument runs a pipeline of 3 MB, whose plan is kept apart, and
// refuses a byte more.
func TestLargestDocument(t *testing.T) {
	if raced {
		t.Skip("takes half a minute with the race detector; make test-aws runs it without")
	}
	each(t, func(t *testing.T, w *world) {
		_, err := w.user["admin"].Launch(t.Context(), client.Launch{YAML: document("large", yamldoc.MaxDocument+1), File: "large.yaml"})
		if err == nil || !strings.Contains(err.Error(), "3 MB") {
			t.Errorf("%s: a byte over 3 MB: %v", w.name, err)
		}
		run := w.launch(t, document("large", yamldoc.MaxDocument), "large")
		if r := w.await(t, run, "ends", ended); r.Status != "Success" {
			t.Errorf("%s: %s", w.name, show(r))
		}
		item, err := w.ports.Store.Get(t.Context(), core.PlanKey(core.DefaultAccount, run), true)
		if err != nil || len(item.Body) > 100 {
			t.Errorf("%s: the plan's item has %d bytes: %v", w.name, len(item.Body), err)
		}
	})
}

// TestLargeHandOver gives a delegate more at once than one answer can carry, and
// fails a step that is too large by itself.
func TestLargeHandOver(t *testing.T) {
	if raced {
		t.Skip("carries megabytes; make test-aws runs it without the race detector")
	}
	each(t, func(t *testing.T, w *world) {
		const n = 100_000
		tag := "large-" + newID()
		var beside []string
		for i := range 8 {
			beside = append(beside, carrier(fmt.Sprintf("s%d", i), tag, 5))
		}
		run := w.launch(t, oneStage([]string{writer("make", n, "v"), parallel(beside...),
			carrier("over", tag, 22)}), "large")
		w.await(t, run, "has its steps on offer", func(r view.Run) bool { return node(r, "s7").Task != "" && node(r, "s0").Task != "" || r.Ended })
		one, err := w.delegate(tag)
		if err != nil {
			t.Fatal(err)
		}
		defer one.kill()
		r := w.await(t, run, "ends", ended)
		for i := range 8 {
			if id := fmt.Sprintf("s%d", i); node(r, id).Status != "Success" || w.logs(t, r, id) != fmt.Sprint(n, "\n") {
				t.Fatalf("%s: %s", w.name, show(r))
			}
		}
		if f := node(r, "over").Failure; f == nil || !strings.Contains(f.Message, "2097152") {
			t.Errorf("%s: %s", w.name, show(r))
		}
	})
}
