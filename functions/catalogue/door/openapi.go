package door

import (
	_ "embed" // openapi.json
	"encoding/json"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// openapi describes what is served; a test writes it and holds it to the routes.
//
//go:embed openapi.json
var openapi json.RawMessage

func (d *door) showOpenAPI(*request.Call) (httpio.Answer, error) {
	return httpio.Answer{Body: openapi}, nil
}
