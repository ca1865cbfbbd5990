// Package delegatetest is a control plane for tests of delegates: a real HTTP
// server that hands out tasks and keeps what comes back.
package delegatetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-cd/slipway/shared/wire"
)

// Token is the one the server takes.
const Token = "test-join-token"

// patience is how long a test waits for something before it fails.
const patience = 30 * time.Second

// Server is a control plane. Its methods may be called at any time.
type Server struct {
	URL string
	t   testing.TB

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced on every change
	queued    []wire.Task   // not handed out yet
	claimed   map[string]wire.Task
	canceled  []wire.TaskRef
	next      map[string]wire.Task // by the id of the task before
	stale     map[string]bool
	failing   map[string]int // answers of a route that are 503 from now on
	syncs     []wire.SyncRequest
	completed []wire.CompleteRequest
	chunks    map[string]map[int]wire.LogChunk
	fence     map[string]int64 // whose chunks they are
	order     []string         // routes in the order of their calls
	interval  int64
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{
		t: t, changed: make(chan struct{}), claimed: map[string]wire.Task{}, next: map[string]wire.Task{},
		stale: map[string]bool{}, failing: map[string]int{}, chunks: map[string]map[int]wire.LogChunk{}, fence: map[string]int64{}, interval: 20,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.RouteSync, handle(s, wire.RouteSync, s.sync))
	mux.HandleFunc("POST "+wire.RouteComplete, handle(s, wire.RouteComplete, s.complete))
	mux.HandleFunc("POST "+wire.RouteLogs, handle(s, wire.RouteLogs, s.logs))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// handle decodes, calls and encodes, all under the lock.
func handle[In, Out any](s *Server, route string, f func(In) Out) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			http.Error(w, "unknown token", http.StatusUnauthorized)
			return
		}
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.order = append(s.order, route)
		s.change()
		if s.failing[route] > 0 {
			s.failing[route]--
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(f(in))
	}
}

func (s *Server) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// sync hands out what fits, and again what was claimed and is not held.
func (s *Server) sync(req wire.SyncRequest) wire.SyncResponse {
	s.syncs = append(s.syncs, req)
	resp := wire.SyncResponse{NextMS: s.interval, Cancel: s.canceled}
	for _, t := range s.claimed {
		if !slices.Contains(req.Holding, t.TaskRef) {
			resp.Tasks = append(resp.Tasks, t)
		}
	}
	for free := req.Free; free > 0 && len(s.queued) > 0; free-- {
		t := s.queued[0]
		s.queued = s.queued[1:]
		s.claimed[t.ID] = t
		resp.Tasks = append(resp.Tasks, t)
	}
	return resp
}

func (s *Server) complete(req wire.CompleteRequest) wire.CompleteResponse {
	s.completed = append(s.completed, req)
	s.keep(req.Task, req.Log)
	if s.stale[req.Task.ID] {
		return wire.CompleteResponse{Stale: true}
	}
	delete(s.claimed, req.Task.ID)
	if t, ok := s.next[req.Task.ID]; ok && req.More {
		return wire.CompleteResponse{Next: &t}
	}
	return wire.CompleteResponse{}
}

func (s *Server) logs(req wire.LogRequest) wire.LogResponse {
	s.keep(req.Task, req.Chunk)
	return wire.LogResponse{Cancel: slices.Contains(s.canceled, req.Task)}
}

// keep stores a chunk once and fails the test when a number comes back with other
// lines. Each dispatch of a task has its own log; the latest is kept.
func (s *Server) keep(ref wire.TaskRef, chunk wire.LogChunk) {
	id := ref.ID
	if len(chunk.Lines) == 0 || ref.Fence < s.fence[id] {
		return
	}
	if s.chunks[id] == nil || ref.Fence > s.fence[id] {
		s.chunks[id], s.fence[id] = map[int]wire.LogChunk{}, ref.Fence
	}
	if old, ok := s.chunks[id][chunk.Seq]; ok {
		if fmt.Sprint(old) != fmt.Sprint(chunk) {
			s.t.Errorf("task %s: chunk %d came twice with different lines", id, chunk.Seq)
		}
		return
	}
	size := 0
	for _, l := range chunk.Lines {
		size += len(l.Text)
	}
	if size > wire.MaxLogChunkBytes {
		s.t.Errorf("task %s: chunk %d has %d bytes", id, chunk.Seq, size)
	}
	s.chunks[id][chunk.Seq] = chunk
}

// Add queues tasks. Fence 0 becomes 1.
func (s *Server) Add(tasks ...wire.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tasks {
		t.Fence = max(t.Fence, 1)
		s.queued = append(s.queued, t)
	}
	s.change()
}

// Then makes next the answer to the completion of the task with that id.
func (s *Server) Then(id string, next wire.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next.Fence = max(next.Fence, 1)
	s.next[id] = next
}

// Cancel cancels a task from now on.
func (s *Server) Cancel(ref wire.TaskRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.claimed, ref.ID)
	s.canceled = append(s.canceled, ref)
}

// Stale makes completions of the task stale.
func (s *Server) Stale(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale[id] = true
}

// Fail makes the next n calls of a route fail with 503.
func (s *Server) Fail(route string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing[route] = n
}

// Interval sets when delegates are to call again, in ms.
func (s *Server) Interval(ms int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interval = ms
}

// AwaitSync waits until cond holds of the last sync.
func (s *Server) AwaitSync(what string, cond func(wire.SyncRequest) bool) {
	s.t.Helper()
	s.until(what, func() bool {
		n := len(s.syncs)
		return n > 0 && cond(s.syncs[n-1])
	})
}

// AwaitSyncs waits until n syncs have come in all.
func (s *Server) AwaitSyncs(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d syncs", n), func() bool { return len(s.syncs) >= n })
}

// AwaitCall waits for a call of the route, whatever its answer.
func (s *Server) AwaitCall(route string) {
	s.t.Helper()
	s.until("a call of "+route, func() bool { return slices.Contains(s.order, route) })
}

// AwaitIdle waits for a sync, from now on, that holds nothing.
func (s *Server) AwaitIdle() {
	s.t.Helper()
	before := len(s.Syncs())
	s.until("an idle delegate", func() bool {
		return slices.ContainsFunc(s.syncs[before:], func(r wire.SyncRequest) bool { return len(r.Holding) == 0 })
	})
}

// until waits until cond, called with the lock, holds.
func (s *Server) until(what string, cond func() bool) {
	s.t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		ok, changed := cond(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Completion waits for the first completion of the task.
func (s *Server) Completion(id string) (req wire.CompleteRequest) {
	s.t.Helper()
	s.until("the completion of "+id, func() bool {
		i := slices.IndexFunc(s.completed, func(r wire.CompleteRequest) bool { return r.Task.ID == id })
		if i >= 0 {
			req = s.completed[i]
		}
		return i >= 0
	})
	return req
}

// Completions returns every completion received, repeated ones included.
func (s *Server) Completions() []wire.CompleteRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.completed)
}

// Syncs returns every sync received.
func (s *Server) Syncs() []wire.SyncRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.syncs)
}

// Calls returns the routes called, in order.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// AwaitLine waits until a line of the task's log is stored that contains text.
func (s *Server) AwaitLine(id, text string) {
	s.t.Helper()
	s.until(fmt.Sprintf("a line %q of %s", text, id), func() bool {
		return slices.ContainsFunc(s.lines(id), func(l wire.LogLine) bool { return strings.Contains(l.Text, text) })
	})
}

// Lines returns the task's log so far, in order, as "LEVEL text".
func (s *Server) Lines(id string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, l := range s.lines(id) {
		out = append(out, l.Level+" "+l.Text)
	}
	return out
}

func (s *Server) lines(id string) []wire.LogLine {
	var out []wire.LogLine
	for seq := 1; seq <= len(s.chunks[id]); seq++ {
		chunk, ok := s.chunks[id][seq]
		if !ok {
			s.t.Errorf("task %s: chunk %d of %d is missing", id, seq, len(s.chunks[id]))
		}
		out = append(out, chunk.Lines...)
	}
	return out
}
