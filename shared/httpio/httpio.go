// Package httpio is how doors speak HTTP: bounded bodies in, JSON and Harness's
// envelopes out, every error translated once, pages, and routes that are served
// at the root and under /gateway. It knows nothing of what the routes do.
package httpio

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Answer is what a handler has to say. Status 0 is 200; a nil Body is none.
type Answer struct {
	Status int
	Header map[string]string
	Body   any
}

// Raw is a body that is sent as it is.
type Raw struct {
	Type string // its Content-Type
	Data []byte
}

// Handler decodes, makes one call and answers; its error is translated to
// Harness's envelope by the kind it has (see package fault).
type Handler func(r *http.Request) (Answer, error)

// ServeHTTP implements http.Handler.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := h.answer(r)
	if err != nil {
		WriteError(w, r, err)
		return
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	writeJSON(w, r, a.Status, a.Body)
}

// answer calls the handler. A panic is a fault of ours: it ends the request alone, with an
// answer, and is in the log.
func (h Handler) answer(r *http.Request) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(r.Context(), "a handler has panicked", "route", r.Pattern, "correlationId", CorrelationID(r), "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "%s could not be served: that is a fault of Slipway's, and in its log", r.Pattern)
		}
	}()
	return h(r)
}

// writeJSON writes a value as JSON, a Raw as it is, or nothing but the status when it is nil.
// What is larger than a function may answer is refused, wherever it runs.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	raw, ok := v.(Raw)
	if !ok {
		body, err := json.Marshal(v)
		if err != nil { // values are our own: a bug
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		raw = Raw{Type: "application/json", Data: append(body, '\n')}
	}
	if raw.sent() > core.MaxSent {
		WriteError(w, r, fault.New(fault.TooLarge, "the answer is larger than 6 MB, which is all that can be sent: ask for less at once"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", raw.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(raw.Data)
}

// sent is how many bytes Lambda makes of a body: text becomes a string, all else base64.
func (b Raw) sent() int {
	if utf8.Valid(b.Data) {
		return core.Written(b.Data)
	}
	return base64.StdEncoding.EncodedLen(len(b.Data))
}
