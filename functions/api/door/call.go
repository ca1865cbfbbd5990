package door

import (
	"context"
	"net/http"
	"net/url"
	"regexp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// call is one request: who asks, in which scope.
type call struct {
	*http.Request
	ctx context.Context
	who core.Principal
	at  core.Scope // Org and Project empty where a route has none
	q   url.Values
}

type handler func(*call) (httpio.Answer, error)

// own are routes of Slipway's own.
func own(h handler) httpio.Handler { return serve(h, noScope) }

// account are Harness's NG routes that need no project.
func account(h handler) httpio.Handler { return serve(h, accountScope) }

// project are Harness's NG routes on a project, named by query parameters.
func project(h handler) httpio.Handler { return serve(h, queryScope) }

// v1Route are Harness's v1 routes, the project named by the path.
func v1Route(h handler) httpio.Handler { return serve(h, pathScope) }

func serve(h handler, scope func(*call) error) httpio.Handler {
	return func(r *http.Request) (httpio.Answer, error) {
		c := &call{Request: r, ctx: r.Context(), who: core.PrincipalOf(r.Context()), q: r.URL.Query()}
		switch {
		case c.who.Account == "":
			return httpio.Answer{}, fault.New(fault.Unauthenticated, "a token is needed: send it as x-api-key or Authorization: Bearer")
		case c.who.Kind != core.PrincipalUser:
			return httpio.Answer{}, fault.New(fault.Forbidden, "this route is for users")
		}
		c.at.Account = c.who.Account
		if err := scope(c); err != nil {
			return httpio.Answer{}, err
		}
		return h(c)
	}
}

func noScope(*call) error { return nil }

// accountScope refuses an account that is not the token's.
func accountScope(c *call) error {
	for _, named := range []string{c.q.Get("accountIdentifier"), c.q.Get("routingId"), c.Header.Get("Harness-Account")} {
		if named != "" && named != c.who.Account {
			return fault.New(fault.Forbidden, "the token is of another account than %q", named)
		}
	}
	return nil
}

func queryScope(c *call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	for _, name := range []string{"orgIdentifier", "projectIdentifier"} {
		if c.q.Get(name) == "" {
			return fault.New(fault.Invalid, "query parameter %s is needed", name)
		}
	}
	return c.in(c.q.Get("orgIdentifier"), c.q.Get("projectIdentifier"))
}

func pathScope(c *call) error {
	if err := accountScope(c); err != nil {
		return err
	}
	return c.in(c.PathValue("org"), c.PathValue("project"))
}

// identifier is the form of identifiers in Harness's REST interface (BEHAVIOUR §1.3).
var identifier = regexp.MustCompile(`^[a-zA-Z_][0-9a-zA-Z_$]{0,127}$`)

// in sets the project, whose path is part of keys.
func (c *call) in(org, project string) error {
	for what, id := range map[string]string{"organization": org, "project": project} {
		if !identifier.MatchString(id) {
			return fault.New(fault.Invalid, "%q cannot be the identifier of a %s: use letters, digits and _, at most 128", id, what)
		}
	}
	c.at.Org, c.at.Project = org, project
	return nil
}
