package aws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/e2e/parity"
	"github.com/slipway-cd/slipway/localstack/aws/stack"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// world is a running control plane with a delegate outside of it, as people see
// it; its records and its bus are looked at only to read what was recorded.
type world struct {
	name  string
	url   string
	join  string                    // token of delegates
	user  map[string]*client.Client // admin, alice, bob
	token map[string]string
	ports core.Ports
	bus   func(context.Context) ([]event, error) // everything so far, repetitions too
	stack *stack.Stack                           // nil on the embedded platform
	dir   string                                 // of the delegates
	look  time.Duration                          // between two looks at a run
}

// event is one event on the bus.
type event struct {
	Type   string
	Detail json.RawMessage
}

// endings end what the tests of this process have shared.
var endings []func()

// worlds are the runtimes of this process: the embedded platform, and a deployed
// stack where there is one.
func worlds(t *testing.T) []*world {
	t.Helper()
	all := []*world{embedded(t)}
	if w := deployed(t); w != nil {
		all = append(all, w)
	}
	return all
}

var deployed = func() func(*testing.T) *world {
	once := sync.OnceValues(startDeployed)
	return func(t *testing.T) *world {
		t.Helper()
		w, err := once()
		if errors.Is(err, stack.ErrNone) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}()

// embedded is a platform of this process; second another one, for comparing.
var embedded, second = newEmbedded(), newEmbedded()

func newEmbedded() func(*testing.T) *world {
	once := sync.OnceValues(startEmbedded)
	return func(t *testing.T) *world {
		t.Helper()
		w, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// settle gives a control plane what people set up first, as its first admin does:
// users with tokens of their own, and a token for delegates.
func (w *world) settle(ctx context.Context, admin string) error {
	w.token, w.user = map[string]string{"admin": admin}, map[string]*client.Client{}
	made := func(path, name string) (string, error) {
		a, err := w.call(ctx, http.MethodPost, path, "admin", fmt.Sprintf(`{"name":%q}`, name))
		var out struct{ Token string }
		if err == nil && (a.status != http.StatusCreated || json.Unmarshal(a.body, &out) != nil) {
			err = fmt.Errorf("%s: making a token: %v", w.name, a)
		}
		return out.Token, err
	}
	for _, name := range []string{"alice", "bob"} {
		body := fmt.Sprintf(`{"name":%q,"email":"%s@localhost","groups":["approvers"]}`, strings.ToUpper(name[:1])+name[1:], name)
		a, err := w.call(ctx, http.MethodPut, "/slipway/v1/users/"+name, "admin", body)
		if err == nil && a.status != http.StatusOK {
			err = fmt.Errorf("%s: making %s: %v", w.name, name, a)
		}
		if err != nil {
			return err
		}
		if w.token[name], err = made("/slipway/v1/users/"+name+"/tokens", "e2e-"+newID()); err != nil {
			return err
		}
	}
	var err error
	if w.join, err = made("/slipway/v1/delegate-tokens", "e2e-"+newID()); err != nil {
		return err
	}
	for name, token := range w.token {
		if w.user[name], err = client.New(w.url, token, ""); err != nil {
			return err
		}
	}
	return nil
}

// answer is an HTTP answer read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) String() string { return fmt.Sprintf("%d %.1000s", a.status, a.body) }

// call makes one request. who "" sends no token.
func (w *world) call(ctx context.Context, method, path, who, body string, header ...string) (answer, error) {
	url := path
	if !strings.HasPrefix(path, "http") {
		url = w.url + path
	}
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if token := w.token[who]; token != "" {
		req.Header.Set("x-api-key", token)
	}
	if who == "delegate" {
		req.Header.Set("Authorization", "Bearer "+w.join)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, text}, err
}

// must makes a request that has to be answered with the status.
func (w *world) must(t *testing.T, status int, method, path, who, body string, header ...string) answer {
	t.Helper()
	a, err := w.call(t.Context(), method, path, who, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	if a.status != status {
		t.Fatalf("%s: %s %s: %v, want %d", w.name, method, path, a, status)
	}
	return a
}

// into reads JSON.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
}

// launch starts a run of a pipeline's text.
func (w *world) launch(t *testing.T, yaml, project string) string {
	t.Helper()
	out, err := w.user["admin"].Launch(t.Context(), client.Launch{YAML: yaml, File: "test.yaml", Project: project})
	if err != nil {
		t.Fatal(w.name, err)
	}
	return out.Run
}

// patience is how long a test waits for what has to come.
const patience = 10 * time.Minute

// until asks until done, more and more seldom: what it asks has to be done by the
// same two processors as what it waits for.
func until(t *testing.T, what string, done func() (bool, error)) {
	t.Helper()
	var last error
	pause := 20 * time.Millisecond
	for end := time.Now().Add(patience); time.Now().Before(end); pause = min(2*pause, 2*time.Second) {
		ok, err := done()
		if ok {
			return
		}
		last = err
		select {
		case <-time.After(pause):
		case <-t.Context().Done():
			t.Fatal(context.Cause(t.Context()))
		}
	}
	t.Fatalf("waited %v in vain: %s (%v)", patience, what, last)
}

// await waits for a run to be as wanted, seen through the API.
func (w *world) await(t *testing.T, run, what string, ok func(view.Run) bool) view.Run {
	t.Helper()
	var r view.Run
	until(t, w.name+": run "+run+" "+what, func() (bool, error) {
		var err error
		r, err = w.user["admin"].Run(t.Context(), run)
		return err == nil && ok(r), errors.Join(err, errors.New(show(r)))
	})
	return r
}

func ended(r view.Run) bool { return r.Ended }

func show(r view.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.ID, r.Status)
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "\n  %s %s", n.FQN, n.Status)
		if n.Failure != nil {
			fmt.Fprintf(&b, " %v %s", n.Failure.Types, n.Failure.Message)
		}
	}
	return b.String()
}

func node(r view.Run, id string) view.Node {
	for _, n := range r.Nodes {
		if n.Identifier == id {
			return n
		}
	}
	return view.Node{}
}

// logs returns a step's log as text.
func (w *world) logs(t *testing.T, r view.Run, id string) string {
	t.Helper()
	var b bytes.Buffer
	for after := 0; ; {
		page, err := w.user["admin"].Logs(t.Context(), r.ID, node(r, id).Task, after)
		if err != nil {
			t.Fatal(w.name, err)
		}
		for _, l := range page.Lines {
			b.WriteString(l.Text + "\n")
		}
		if page.Next == after {
			return b.String()
		}
		after = page.Next
	}
}

// record reads what a run has left, once its end is on the bus.
func (w *world) record(t *testing.T, run string) parity.Log {
	t.Helper()
	l := parity.Log{Run: run, URL: w.url}
	until(t, w.name+": the end of run "+run+" on the bus", func() (bool, error) {
		all, err := w.bus(t.Context())
		l.Bus = nil
		for _, e := range all {
			if e.Type == "run.ended" && strings.Contains(string(e.Detail), run) {
				l.Bus = append(l.Bus, e.Detail)
			}
		}
		return len(l.Bus) > 0, err
	})
	var err error
	if l.Tracks, err = parity.Read(t.Context(), w.ports.Store, core.DefaultAccount, run); err != nil {
		t.Fatal(err)
	}
	return l
}

// beside reads what is in a folder of the examples.
func beside(t *testing.T, dir string) (files []core.File) {
	t.Helper()
	names, err := filepath.Glob("../../examples/" + dir + "/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("nothing beside the example", err)
	}
	for _, name := range names {
		files = append(files, core.File{Name: name, YAML: example(t, dir+"/"+filepath.Base(name))})
	}
	return files
}

// example reads one of the repository's examples.
func example(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
