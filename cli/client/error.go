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

// Stale says that somebody else has changed what is there since it was read. Its kind
// is fault.Conflict.
type Stale struct {
	There Entity
	err   error
}

func (s *Stale) Error() string { return s.err.Error() }

// Unwrap gives the error its kind.
func (s *Stale) Unwrap() error { return s.err }

// envelope is what error answers have in common, Harness's and ours.
type envelope struct {
	Message     string           `json:"message"`
	Diagnostics core.Diagnostics `json:"diagnostics"`
	Metadata    struct {
		Version   int64  `json:"version"`
		UpdatedBy string `json:"updatedBy"`
		Updated   int64  `json:"updated"`
		YAML      string `json:"yaml"`
	} `json:"metadata"`
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
	if m := e.Metadata; fault.Is(err, fault.Conflict) && m.Version > 0 {
		return &Stale{Entity{Version: m.Version, By: m.UpdatedBy, Updated: m.Updated, YAML: m.YAML}, err}
	}
	if len(e.Diagnostics) > 0 {
		return &Refused{Diagnostics: e.Diagnostics, err: err}
	}
	return err
}
