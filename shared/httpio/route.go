package httpio

import (
	"context"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Gateway is the prefix under which Harness's clients look for every route.
const Gateway = "/gateway"

// Routes are handlers by pattern, "METHOD /path/{name}" as http.ServeMux has them.
type Routes map[string]http.Handler

// Mux serves routes at the root and under Gateway. A path or method that is not
// served is answered in Harness's envelope. Errors carry ids of these.
func Mux(ids core.IDs, routes Routes) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(pattern, h)
		mux.Handle(method+" "+Gateway+path, h)
	}
	return Correlate(ids, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, pattern := mux.Handler(r); pattern == "" {
			missing(w, r, h)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// missing says in Harness's words what the mux's own handler would say in text.
func missing(w http.ResponseWriter, r *http.Request, h http.Handler) {
	verdict := &statusOnly{header: http.Header{}}
	h.ServeHTTP(verdict, r)
	if verdict.status == http.StatusMethodNotAllowed {
		allow := verdict.header.Get("Allow")
		w.Header().Set("Allow", allow)
		writeJSON(w, r, verdict.status, Problem{Status: "ERROR", Code: "INVALID_REQUEST", CorrelationID: CorrelationID(r),
			Message: r.Method + " is not served here; try " + allow, ResponseMessages: []ResponseMessage{}})
		return
	}
	WriteError(w, r, fault.New(fault.NotFound, "there is no route %s %s", r.Method, r.URL.Path))
}

// statusOnly keeps a handler's status and header.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }

// LocalPath is the request's path without Gateway.
func LocalPath(r *http.Request) string { return Local(r.URL.Path) }

// Local is a path without Gateway.
func Local(path string) string {
	if rest, ok := strings.CutPrefix(path, Gateway); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}

type correlationKey struct{}

// Correlate gives each request an id that its answer and the log carry, unless
// something around it has.
func Correlate(ids core.IDs, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if CorrelationID(r) == "" {
			id := ids.New()
			r = r.WithContext(context.WithValue(r.Context(), correlationKey{}, id))
			w.Header().Set("X-Request-Id", id)
		}
		next.ServeHTTP(w, r)
	})
}

// CorrelationID returns the request's id, "" without Correlate.
func CorrelationID(r *http.Request) string {
	id, _ := r.Context().Value(correlationKey{}).(string)
	return id
}
