// Package request is how the REST doors see one request: who asks, in which scope, and
// with which parameters. Routes say by their wrapper how the scope is named.
package request

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Call is one request.
type Call struct {
	*http.Request
	Ctx context.Context //nolint:containedctx // it is the request's
	Who core.Principal
	At  core.Scope // Org and Project empty where a route has none
	Q   url.Values
}

// Handler answers a request.
type Handler func(*Call) (httpio.Answer, error)

// Own are routes of Slipway's own on the whole account.
func Own(h Handler) httpio.Handler { return serve(h, wholeAccount) }

// Located are routes whose handlers find out where they act, and say so with In or
// Within.
func Located(h Handler) httpio.Handler { return serve(h, noScope) }

// OfRun are routes on a run, which lives where its pipeline does: {run} in the path, or
// {id} of something that begins with a run's and a dot. action is what they do with it.
// where is asked for credentials that are not for the whole account.
func OfRun(action govern.Action, h Handler, where func(ctx context.Context, account, run string) (core.Scope, error)) httpio.Handler {
	return serve(h, func(c *Call) error {
		if err := accountScope(c); err != nil {
			return err
		}
		run, _, _ := strings.Cut(cmp.Or(c.PathValue("run"), c.PathValue("id")), ".")
		var at core.Scope
		if c.Who.Scope != (core.Scope{}) {
			var err error
			if at, err = where(c.Ctx, c.Who.Account, run); err != nil {
				return err
			}
		}
		at.Account = c.Who.Account
		return c.Allow(action, Run(at, run))
	})
}

// Run is a run, as Allow is asked about it.
func Run(at core.Scope, id string) core.EntityRef {
	return core.EntityRef{Kind: "run", Scope: at, Identifier: id}
}

// Account are Harness's NG routes that need no project.
func Account(h Handler) httpio.Handler { return serve(h, accountScope) }

// Project are Harness's NG routes on a project, named by query parameters.
func Project(h Handler) httpio.Handler { return serve(h, queryScope) }

// Scoped are Harness's NG routes on an account, organization or project: the query says
// which, as far as it says anything. Their handlers ask Allow.
func Scoped(h Handler) httpio.Handler { return serve(h, anyScope) }

// V1 are Harness's v1 routes, the project named by the path.
func V1(h Handler) httpio.Handler { return serve(h, pathScope) }

// V1Scoped are Harness's v1 routes on an account, organization or project, named by the
// path as far as it names anything.
func V1Scoped(h Handler) httpio.Handler { return serve(h, anyPathScope) }

func serve(h Handler, scope func(*Call) error) httpio.Handler {
	return func(r *http.Request) (httpio.Answer, error) {
		c := &Call{Request: r, Ctx: r.Context(), Who: core.PrincipalOf(r.Context()), Q: r.URL.Query()}
		switch {
		case c.Who.Account == "":
			return httpio.Answer{}, fault.New(fault.Unauthenticated, "a token is needed: send it as x-api-key or Authorization: Bearer")
		case c.Who.Kind != core.PrincipalUser:
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for users")
		}
		c.At.Account = c.Who.Account
		if err := scope(c); err != nil {
			return httpio.Answer{}, err
		}
		return h(c)
	}
}

func noScope(*Call) error { return nil }

func wholeAccount(c *Call) error { return c.InReach() }

// InReach refuses what lies outside of what the credential is for.
func (c *Call) InReach() error {
	return govern.Allow(c.Who, govern.View, core.EntityRef{Kind: "resource", Scope: c.At, Identifier: c.Pattern})
}

// accountScope refuses an account that is not the token's.
func accountScope(c *Call) error {
	for _, named := range []string{c.Q.Get("accountIdentifier"), c.Q.Get("routingId"), c.Header.Get("Harness-Account")} {
		if named != "" && named != c.Who.Account {
			return fault.New(fault.Forbidden, "the token is of another account than %q", named)
		}
	}
	return nil
}

func queryScope(c *Call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	for _, name := range []string{"orgIdentifier", "projectIdentifier"} {
		if c.Q.Get(name) == "" {
			return fault.New(fault.Invalid, "query parameter %s is needed", name)
		}
	}
	return c.In(c.Q.Get("orgIdentifier"), c.Q.Get("projectIdentifier"))
}

func anyScope(c *Call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	return c.Within(c.Q.Get("orgIdentifier"), c.Q.Get("projectIdentifier"))
}

func anyPathScope(c *Call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	return c.Within(c.PathValue("org"), c.PathValue("project"))
}

// Within sets the scope: the account, when org is empty, or an organization, when
// project is.
func (c *Call) Within(org, project string) error {
	switch {
	case org == "" && project == "":
		c.At.Org, c.At.Project = "", "" // a body may say more: Allow decides
		return nil
	case org == "":
		return fault.New(fault.Invalid, "project %q: its organization is needed too, as orgIdentifier", project)
	case project == "":
		if !Identifier.MatchString(org) {
			return fault.New(fault.Invalid, "%q cannot be the identifier of an organization: use letters, digits and _, at most 128", org)
		}
		c.At.Org, c.At.Project = org, ""
		return c.InReach()
	}
	return c.In(org, project)
}

func pathScope(c *Call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	return c.In(c.PathValue("org"), c.PathValue("project"))
}

// Identifier is the form of identifiers in Harness's REST interface (BEHAVIOUR §1.3).
var Identifier = regexp.MustCompile(`^[a-zA-Z_][0-9a-zA-Z_$]{0,127}$`)

// In sets the project, whose path is part of keys.
func (c *Call) In(org, project string) error {
	for what, id := range map[string]string{"organization": org, "project": project} {
		if !Identifier.MatchString(id) {
			return fault.New(fault.Invalid, "%q cannot be the identifier of a %s: use letters, digits and _, at most 128", id, what)
		}
	}
	c.At.Org, c.At.Project = org, project
	return c.InReach()
}
