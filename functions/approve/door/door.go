// Package door is the approval links': it shows what is asked and records the
// answer. The link is the credential, good for one person and one recorded
// answer; looking at it never changes anything (DESIGN §7).
package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	g "maragu.dev/gomponents"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/journal"
	"github.com/slipway-cd/slipway/shared/view"
)

const (
	maxForm    = 256 << 10 // bytes of a form
	maxComment = 16 << 10  // bytes of comments, or of one input
	route      = "/slipway/v1/approve/{token}"
)

// Config is what the routes are handed to. All of it is required.
type Config struct {
	Journal *journal.Journal
	Views   *view.Views
	Govern  *govern.Govern
	Links   *govern.Links
}

type door struct{ Config }

// New returns the routes, at the root and under /gateway. No authorizer belongs
// before them.
func New(cfg Config) http.Handler {
	d := &door{cfg}
	return httpio.Mux(cfg.Journal.Ports().IDs, httpio.Routes{
		"GET " + route:  page(d.show),
		"POST " + route: page(d.decide),
	})
}

// page serves a handler that returns a page, or an error.
func page(h func(r *http.Request) (g.Node, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, err := h(r)
		if err == nil {
			writePage(w, http.StatusOK, shown)
		} else if a, ok := errors.AsType[*again](err); ok {
			writePage(w, fault.ClassOf(err).HTTP, askPage(a.form))
		} else {
			writePage(w, fault.ClassOf(err).HTTP, failedPage(problem(r, err)))
		}
	})
}

// asked is what a good link asks for.
type asked struct {
	link     govern.Link
	user     core.User
	run      view.Run
	approval view.Approval
}

// open checks a link and finds what it is about.
func (d *door) open(ctx context.Context, token string) (asked, error) {
	var a asked
	var err error
	if a.link, err = d.Links.Open(ctx, token); err != nil {
		return a, err
	}
	if a.user, err = d.Govern.User(ctx, a.link.Account, a.link.User); err != nil {
		return a, fault.New(fault.Forbidden, "this link's user is gone: %w", err)
	}
	runID, _, _ := view.ApprovalParts(a.link.Approval)
	if a.run, err = d.Views.Run(ctx, a.link.Account, runID); err != nil {
		return a, err
	}
	for _, x := range a.run.Approvals {
		if x.ID == a.link.Approval {
			a.approval = x
		}
	}
	switch {
	case a.approval.ID == "":
		return a, fault.New(fault.NotFound, "there is no approval %s", a.link.Approval)
	case govern.LinkDigest(a.approval.ID, a.approval.Node, a.approval.Approval.Spec) != a.link.Digest:
		return a, fault.New(fault.Conflict, "what is asked has changed since this link was made")
	case a.approval.Approval.Status != "WAITING":
		return a, fault.New(fault.Gone, "this approval is not waiting any more: it is %s", a.approval.Approval.Status)
	}
	return a, nil
}

func (d *door) show(r *http.Request) (g.Node, error) {
	a, err := d.open(r.Context(), r.PathValue("token"))
	if err != nil {
		return nil, err
	}
	return askPage(a.form(url.Values{}, "")), nil
}

// decide records the answer in the form, as the link's user. An answer that is
// not taken leaves the link good and shows the form again, saying why.
func (d *door) decide(r *http.Request) (g.Node, error) {
	body, err := httpio.Bytes(r, maxForm)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "the form cannot be read: %w", err)
	}
	a, err := d.open(r.Context(), r.PathValue("token"))
	if err != nil {
		return nil, err
	}
	e, err := a.decision(form)
	if err == nil {
		err = d.record(r.Context(), a, e)
	}
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) {
		return nil, &again{err, a.form(form, err.Error())}
	}
	if err != nil {
		return nil, err
	}
	if err := d.Links.Burn(r.Context(), a.link); err != nil {
		httpio.Log(r, err) // the answer stands, and its track takes no second one
	}
	return donePage(a.done(e)), nil
}

// record gives the answer to its track.
func (d *door) record(ctx context.Context, a asked, e core.Decided) error {
	run, track, _ := view.ApprovalParts(a.link.Approval)
	_, err := d.Journal.Apply(ctx, journal.Ref{Account: a.link.Account, Run: run, Track: track},
		core.Event{Type: core.EventDecided, Source: "link:" + a.link.Nonce, Actor: a.user.ID, Decided: &e})
	return err
}

// decision reads the form. The confirmation is typed, so that no single click,
// and no program that follows links, decides anything.
func (a asked) decision(form url.Values) (core.Decided, error) {
	e := core.Decided{Approval: a.link.Approval, Action: form.Get("action"), By: govern.Actor(a.user), Comments: form.Get("comments")}
	switch {
	case form.Get("confirm") != a.run.Pipeline:
		return e, fault.New(fault.Invalid, "to confirm, type %s", a.run.Pipeline)
	case e.Action != "APPROVE" && e.Action != "REJECT":
		return e, fault.New(fault.Invalid, "choose Approve or Reject")
	case len(e.Comments) > maxComment:
		return e, fault.New(fault.TooLarge, "comments may have %d bytes", maxComment)
	}
	for _, in := range a.approval.Approval.Spec.Inputs {
		values, given := form[inputPrefix+in.Name]
		if !given {
			continue
		}
		if e.Inputs == nil {
			e.Inputs = map[string]string{}
		}
		if e.Inputs[in.Name] = joined(values); len(e.Inputs[in.Name]) > maxComment {
			return e, fault.New(fault.TooLarge, "input %s may have %d bytes", in.Name, maxComment)
		}
	}
	return e, nil
}
