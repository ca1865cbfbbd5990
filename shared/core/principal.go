package core

import "context"

// PrincipalKind says what a credential is for.
type PrincipalKind string

// Principal kinds.
const (
	PrincipalUser     PrincipalKind = "user"     // a person or service account
	PrincipalDelegate PrincipalKind = "delegate" // a join token
)

// Principal is who a request comes from, as the authorizer found out.
type Principal struct {
	Kind    PrincipalKind `json:"kind"`
	Account string        `json:"account"`
	Actor   Actor         `json:"actor"`
	Admin   bool          `json:"admin,omitempty"`
	// Scope is what the credential is for, where it is not the whole account.
	Scope Scope `json:"scope,omitzero"`
}

type principalKey struct{}

// WithPrincipal returns a context that carries the request's principal.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the request's principal; the zero one when there is none.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
