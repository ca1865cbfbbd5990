package httpio

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Envelope is Harness's answer to what went well: ResponseDTO.
type Envelope struct {
	Status        string `json:"status"` // SUCCESS
	Data          any    `json:"data"`
	MetaData      any    `json:"metaData"` // always null
	CorrelationID string `json:"correlationId"`
}

// OK wraps data in Harness's envelope.
func OK(r *http.Request, data any) Answer {
	return Answer{Body: Envelope{Status: "SUCCESS", Data: data, CorrelationID: CorrelationID(r)}}
}

// Problem is Harness's answer to what went wrong: PipelineError, with the
// diagnostics of a refused document beside it.
type Problem struct {
	Status           string            `json:"status"` // ERROR
	Code             string            `json:"code"`
	Message          string            `json:"message"`
	CorrelationID    string            `json:"correlationId"`
	DetailedMessage  *string           `json:"detailedMessage"` // always null
	ResponseMessages []ResponseMessage `json:"responseMessages"`
	Metadata         any               `json:"metadata"` // null, or what the error tells in Details
	Diagnostics      core.Diagnostics  `json:"diagnostics,omitempty"`
}

// ResponseMessage is one of several things to say about a failure.
type ResponseMessage struct {
	Code         string   `json:"code"`
	Level        string   `json:"level"` // ERROR or WARN
	Message      string   `json:"message"`
	FailureTypes []string `json:"failureTypes"`
}

// diagnosed is an error about a document.
type diagnosed struct {
	error
	diagnostics core.Diagnostics
}

func (d *diagnosed) Unwrap() error { return d.error }

// Diagnosed is the error of a document that was refused. Its kind is
// fault.Unsupported when the document is right but for what is not executed yet.
func Diagnosed(ds core.Diagnostics) error {
	kind := fault.Unsupported
	for _, d := range ds {
		if d.Severity == core.SeverityError {
			kind = fault.Invalid
		}
	}
	return &diagnosed{fault.New(kind, "%s", ds), ds}
}

// unseen is an error that is told under another status, for clients that would not see
// more than that.
type unseen struct{ error }

func (m *unseen) Unwrap() error { return m.error }

// Missing tells with status 400 that something is not there, in place of 404: Harness's
// clients look for the code of a failure under 400 alone, and learn from the code that
// what they keep a state of has been deleted. Other errors stay as they are.
func Missing(err error) error {
	if fault.Is(err, fault.NotFound) {
		return &unseen{err}
	}
	return err
}

// Told tells with status 400 that something exists already or is in use, in place of 409,
// for the same clients: they show their users what is said under 400, and else the
// status alone. Other errors stay as they are.
func Told(err error) error {
	if fault.Is(err, fault.AlreadyExists) || fault.Is(err, fault.Conflict) {
		return &unseen{err}
	}
	return err
}

// Plainly undoes Missing and Told.
func Plainly(err error) error {
	if m, ok := errors.AsType[*unseen](err); ok {
		return m.error
	}
	return err
}

// Placed adds to an error what is wrong with the document that it is about.
func Placed(err error, ds ...core.Diagnostic) error { return &diagnosed{err, ds} }

// detailed is an error that has more to tell a client's program than its words.
type detailed interface {
	error
	Details() any
}

// WriteError translates an error. What is broken inside is logged, not told.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	class := fault.ClassOf(err)
	if _, ok := errors.AsType[*unseen](err); ok {
		class.HTTP = http.StatusBadRequest
	}
	p := Problem{Status: "ERROR", Code: class.Code, Message: err.Error(), CorrelationID: CorrelationID(r), ResponseMessages: []ResponseMessage{}}
	if fault.KindOf(err) == fault.Internal {
		Log(r, err)
		p.Message = "something went wrong inside Slipway; its log says more: " + p.CorrelationID
	}
	if d, ok := errors.AsType[*diagnosed](err); ok {
		p.Diagnostics = d.diagnostics
	}
	if d, ok := errors.AsType[detailed](err); ok {
		p.Metadata = d.Details()
	}
	for _, x := range p.Diagnostics {
		level := "ERROR"
		if x.Severity == core.SeverityWarning {
			level = "WARN"
		}
		p.ResponseMessages = append(p.ResponseMessages, ResponseMessage{Code: class.Code, Level: level, Message: x.String(), FailureTypes: []string{}})
	}
	if len(p.ResponseMessages) == 0 {
		p.ResponseMessages = append(p.ResponseMessages, ResponseMessage{Code: class.Code, Level: "ERROR", Message: p.Message, FailureTypes: []string{}})
	}
	switch class.HTTP {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, r, class.HTTP, p)
}

// Log notes an error that the client is not told, under the request's id.
func Log(r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "a request failed", "method", r.Method, "route", r.Pattern, "correlation", CorrelationID(r), "error", err)
}
