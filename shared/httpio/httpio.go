// Package httpio is how doors speak HTTP: bounded bodies in, JSON and Harness's
// envelopes out, every error translated once, pages, and routes that are served
// at the root and under /gateway. It knows nothing of what the routes do.
package httpio

import (
	"encoding/json"
	"net/http"
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
	a, err := h(r)
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
	writeJSON(w, a.Status, a.Body)
}

// writeJSON writes a value as JSON, a Raw as it is, or nothing but the status when it is nil.
func writeJSON(w http.ResponseWriter, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	if raw, ok := v.(Raw); ok {
		w.Header().Set("Content-Type", raw.Type)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(status)
		_, _ = w.Write(raw.Data)
		return
	}
	body, err := json.Marshal(v)
	if err != nil { // values are our own: a bug
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
