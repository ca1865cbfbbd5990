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
