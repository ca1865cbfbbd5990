package request

import (
	"encoding/base64"

	"github.com/slipway-cd/slipway/shared/fault"
)

// ValidationID is the id under which a pipeline's validation is read. It is made when it
// is read: what was changed or mended meanwhile counts.
func ValidationID(pipeline string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(pipeline))
}

// Validated is the pipeline of such an id.
func Validated(id string) (pipeline string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || !Identifier.Match(text) {
		return "", fault.New(fault.NotFound, "there is no validation %q", id)
	}
	return string(text), nil
}
