// Package door is the authorizer's: a token in, a principal out. It alone looks
// at credentials; every other door takes the principal from the context.
package door

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Headers that carry who is asking. Every X-Slipway- header is the platform's
// own: none of a client's gets past the authorizer.
const (
	headerAs    = "X-Slipway-As"
	ownHeaders  = "X-Slipway-"
	maxToken    = 4 << 10 // bytes of a token that are worth looking up
	delegatePre = "/slipway/v1/delegate/"
)

// Authorizer is safe for concurrent use.
type Authorizer struct{ govern *govern.Govern }

// New returns an Authorizer that knows the tokens govern knows.
func New(g *govern.Govern) *Authorizer { return &Authorizer{g} }

// Request is a credential, and the user its owner wants to act as ("" for none).
type Request struct {
	Token string `json:"token"`
	As    string `json:"as,omitempty"`
}

// Authorize says who a credential belongs to: fault.Unauthenticated when nobody,
// fault.Forbidden when its owner may not act as that user.
func (a *Authorizer) Authorize(ctx context.Context, req Request) (core.Principal, error) {
	if len(req.Token) > maxToken {
		return core.Principal{}, fault.New(fault.Unauthenticated, "the token is not known or was revoked")
	}
	p, err := a.govern.Authenticate(ctx, req.Token, req.As)
	switch {
	case fault.Is(err, fault.NotFound) && req.As != "":
		return core.Principal{}, fault.New(fault.Forbidden, "acting as %q: %w", req.As, err)
	case fault.Is(err, fault.NotFound):
		return core.Principal{}, fault.New(fault.Unauthenticated, "the token's user is gone")
	}
	return p, err
}

// Middleware lets only requests with a good token through, with the principal in
// their context and without credentials. Delegates get to their own routes and no
// others; nobody else gets to those.
func (a *Authorizer) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := a.Authorize(r.Context(), Request{Token: httpio.Token(r.Header), As: r.Header.Get(headerAs)})
		if err == nil {
			err = admitted(p, r)
		}
		if err != nil {
			httpio.WriteError(w, r, err)
			return
		}
		r = r.Clone(core.WithPrincipal(r.Context(), p))
		strip(r.Header)
		next.ServeHTTP(w, r)
	})
}

func admitted(p core.Principal, r *http.Request) error {
	own := strings.HasPrefix(path.Clean(httpio.LocalPath(r))+"/", delegatePre)
	switch {
	case own && p.Kind != core.PrincipalDelegate:
		return fault.New(fault.Forbidden, "this route is for delegates: it takes a join token")
	case !own && p.Kind != core.PrincipalUser:
		return fault.New(fault.Forbidden, "a join token is good for the routes of delegates only")
	}
	return nil
}

// strip removes what says who is asking: from here on only the context does.
func strip(h http.Header) {
	h.Del(httpio.HeaderKey)
	h.Del("Authorization")
	for name := range h {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), ownHeaders) {
			delete(h, name)
		}
	}
}
