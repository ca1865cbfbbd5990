package client

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Refused says that a pipeline cannot run; nothing has been started. Its kind is
// fault.Invalid.
type Refused struct {
	Diagnostics core.Diagnostics
	err         error
}

func (r *Refused) Error() string { return r.Diagnostics.String() }

// Unwrap gives the error its kind.
func (r *Refused) Unwrap() error { return r.err }

// envelope is what error answers have in common, Harness's and ours.
type envelope struct {
	Message     string           `json:"message"`
	Diagnostics core.Diagnostics `json:"diagnostics"`
}

// statusError is the fault for a status that is no success. What stands between
// us and the server may answer in HTML: then the status line has to do.
func statusError(resp *http.Response, body []byte) error {
	var e envelope
	if json.Unmarshal(body, &e) != nil || e.Message == "" {
		e.Message = "the server answered " + resp.Status
		if text := strings.TrimSpace(string(body)); text != "" && len(text) < 300 && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "{") {
			e.Message += ": " + text
		}
	}
	err := fault.New(fault.OfHTTP(resp.StatusCode), "%s", e.Message)
	if len(e.Diagnostics) > 0 {
		return &Refused{Diagnostics: e.Diagnostics, err: err}
	}
	return err
}
