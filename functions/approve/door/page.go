package door

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/steps"
)

// The pages are whole in themselves: no script, nothing fetched.
var (
	//go:embed style.css
	style string

	// policy allows the page its own style and its own form, nothing else.
	policy = "default-src 'none'; style-src 'sha256-" + hash(style) + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// inputPrefix begins the names of form fields that are approver inputs.
const inputPrefix = "input."

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// askForm is what the page that asks shows.
type askForm struct {
	Problem                        string
	Pipeline, Confirm, Run, Number string
	Step, Message, User, By        string
	Digest, Until                  string
	Groups                         []string
	Minimum, Given                 int
	Inputs                         []inputField
	Action, Comments               string
}

// inputField is one question, with the value it has now.
type inputField struct {
	Field, Name, Help, Value string
	Required                 bool
	Choices                  []choice
	Many                     bool
}

type choice struct {
	Value  string
	Chosen bool
}

// form is the page's data; filled holds what was entered before.
func (a asked) form(filled url.Values, problem string) askForm {
	spec := a.approval.Approval.Spec
	f := askForm{Problem: problem, Pipeline: a.run.Name, Confirm: a.run.Pipeline, Run: a.run.ID, Step: a.approval.Name,
		Message: spec.Message, User: who(govern.Actor(a.user)), By: who(a.run.By), Digest: a.link.Digest, Groups: spec.UserGroups,
		Until: time.UnixMilli(a.link.Expires).UTC().Format("2006-01-02 15:04 MST"), Minimum: spec.MinimumCount,
		Given: len(a.approval.Approval.Activities), Action: filled.Get("action"), Comments: filled.Get("comments"),
		Number: strconv.FormatInt(a.run.Sequence, 10)}
	for _, in := range spec.Inputs {
		f.Inputs = append(f.Inputs, fieldOf(in, filled))
	}
	return f
}

func who(a core.Actor) string {
	if a.Name == "" || a.Name == a.ID {
		return a.ID
	}
	return a.Name + " (" + a.ID + ")"
}

func fieldOf(in steps.ApproverInput, filled url.Values) inputField {
	f := inputField{Field: inputPrefix + in.Name, Name: in.Name, Help: in.Description, Value: in.DefaultValue, Required: in.Required}
	if v, ok := filled[f.Field]; ok {
		f.Value = joined(v)
	}
	options := in.SelectManyFrom
	if f.Many = len(options) > 0; !f.Many {
		if options = in.AllowedValues; len(options) == 0 {
			options = in.SelectOneFrom
		}
	}
	chosen := map[string]bool{f.Value: !f.Many}
	if f.Many {
		for v := range strings.SplitSeq(f.Value, ",") {
			chosen[strings.TrimSpace(v)] = true
		}
	}
	for _, o := range options {
		f.Choices = append(f.Choices, choice{o, chosen[o]})
	}
	return f
}

// joined is the value of a field that may be given several times. The empty one
// stands before the choices of a list, so that choosing none can be told.
func joined(values []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }), ",")
}

// donePageData says what was recorded.
type donePageData struct{ Action, Pipeline, Run, User string }

func (a asked) done(e core.Decided) donePageData {
	return donePageData{Action: map[string]string{"APPROVE": "approved", "REJECT": "rejected"}[e.Action],
		Pipeline: a.run.Name, Run: a.run.ID, User: who(e.By)}
}

// again is an answer that was not taken: the form is shown with the reason.
type again struct {
	error
	form askForm
}

func (e *again) Unwrap() error { return e.error }

// problemData is what the page of a failure says.
type problemData struct{ Message, Correlation string }

func problem(r *http.Request, err error) problemData {
	p := problemData{Message: err.Error(), Correlation: httpio.CorrelationID(r)}
	if fault.KindOf(err) == fault.Internal {
		httpio.Log(r, err)
		p.Message = "Something went wrong inside Slipway."
	}
	return p
}

func writePage(w http.ResponseWriter, status int, page g.Node) {
	var buf bytes.Buffer
	_ = page.Render(&buf) // fails only when the writer does
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, _ = buf.WriteTo(w)
}
