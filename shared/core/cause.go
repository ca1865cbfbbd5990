package core

import "context"

type causeKey struct{}

// WithCause returns a context that says what the calls made with it are for, one
// word: "sync", "complete", "enter". Meters count by it.
func WithCause(ctx context.Context, cause string) context.Context {
	return context.WithValue(ctx, causeKey{}, cause)
}

// CauseOf returns what calls made with ctx are for, "other" when nobody said.
func CauseOf(ctx context.Context) string {
	if c, ok := ctx.Value(causeKey{}).(string); ok {
		return c
	}
	return "other"
}
