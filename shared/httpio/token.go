package httpio

import (
	"net/http"
	"strings"
)

// HeaderKey is where Harness's clients send their token.
const HeaderKey = "X-Api-Key"

// Token finds the credential of a request: x-api-key, or Authorization: Bearer;
// "" when there is none.
func Token(h http.Header) string {
	if key := h.Get(HeaderKey); key != "" {
		return key
	}
	scheme, value, _ := strings.Cut(h.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(value)
	}
	return ""
}

// ownHeaders begin the headers that say something to the authorizer alone.
const ownHeaders = "X-Slipway-"

// Strip removes what says who is asking: behind the authorizer only the context
// does.
func Strip(h http.Header) {
	h.Del(HeaderKey)
	h.Del("Authorization")
	for name := range h {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), ownHeaders) {
			delete(h, name)
		}
	}
}
