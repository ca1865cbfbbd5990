//go:build slow

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/view"
)

// chatter is a script that prints numbered lines, notes in a file how far it has
// come, and takes a second or two.
func chatter(lines int, progress string) string {
	return fmt.Sprintf(`for i in $(seq 1 %d); do echo "line $i"; echo $i > %s; sleep 0.01; done`, lines, progress)
}

// TestLogPlatformKilled kills the platform twice while a delegate of its own
// prints: every line arrives, once and in order.
func TestLogPlatformKilled(t *testing.T) {
	const lines = 200
	w := newWorld(t, childConfig{})
	w.config.Speed = 1
	w.up()
	w.outside(0, false)
	progress := w.dir + "/progress"
	out, err := w.client.Launch(t.Context(), client.Launch{YAML: oneStage(shellStep("x", chatter(lines, progress), "")), File: "x.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"40", "120"} {
		reached(t, progress, at)
		w.platform.kill()
		w.up()
	}
	r := w.ends(out.Run)
	if r.Status != "Success" {
		t.Fatal(show(r))
	}
	if got := w.log(r, "x"); got != numbered(lines) {
		t.Errorf("the log is not whole: %d of %d lines\n%s", strings.Count(got, "\n"), lines, got)
	}
}

// TestLogDelegateKilled kills the delegate while it prints: what it printed up to
// then arrives, from the next start on, and nothing twice.
func TestLogDelegateKilled(t *testing.T) {
	w := newWorld(t, childConfig{})
	w.config.Speed = 1
	w.up()
	d := w.outside(0, false)
	progress := w.dir + "/progress"
	out, err := w.client.Launch(t.Context(), client.Launch{YAML: oneStage(shellStep("x", chatter(10_000, progress), "")), File: "x.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	reached(t, progress, "60")
	d.kill()
	w.outside(0, false)
	r := w.ends(out.Run)
	if r.Status != "Failed" || node(r, "x").Failure.Types[0] != "DELEGATE_RESTART" {
		t.Fatal(show(r))
	}
	got := w.log(r, "x")
	n := strings.Count(got, "line ")
	if n < 59 { // the sixtieth may still have been in the pipe
		t.Errorf("%d lines arrived of the 60 that were printed", n)
	}
	if !strings.HasPrefix(got, numbered(n)) {
		t.Errorf("the log is not in order: %s", got)
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// reached waits until the script has come as far as the number.
func reached(t *testing.T, path, number string) {
	t.Helper()
	for range 3000 {
		body, _ := os.ReadFile(path)
		got := strings.TrimSpace(string(body))
		if len(got) > len(number) || len(got) == len(number) && got >= number {
			return
		}
		wait(5 * time.Millisecond)
	}
	t.Fatalf("the script never came to %s", number)
}

// ends waits for the run's end.
func (w *world) ends(run string) view.Run {
	w.t.Helper()
	for range 3000 {
		if r, err := w.client.Run(w.t.Context(), run); err == nil && r.Ended {
			return r
		}
		wait(10 * time.Millisecond)
	}
	w.t.Fatal("the run did not end")
	return view.Run{}
}

// log reads a step's whole log over REST.
func (w *world) log(r view.Run, step string) string {
	w.t.Helper()
	var b strings.Builder
	for after := 0; ; {
		l, err := w.client.Logs(w.t.Context(), r.ID, node(r, step).Task, after)
		if err != nil {
			w.t.Fatal(err)
		}
		b.WriteString(join(l.Lines))
		if l.Next == after {
			return b.String()
		}
		after = l.Next
	}
}
