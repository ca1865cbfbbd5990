package harness

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// purpose are the fields that say what overrides are for, and how they are called.
var purpose = []string{"type", "environmentRef", "serviceRef", "infraIdentifier", "identifier"}

// readOverrides makes a document of listed overrides. Their text says what they change, and
// only when its author wrote so what they are for, which the item does.
func readOverrides(_ context.Context, _ *Source, _ url.Values, item any) (string, error) {
	given := text(item, "yaml")
	if given == "" {
		spec, ok := lean(at(item, "spec")).(map[string]any)
		if !ok {
			spec = map[string]any{}
		}
		whole, err := json.Marshal(map[string]any{"overrides": spec})
		if err != nil {
			return "", err
		}
		given = string(whole)
	}
	docs, diags := yamldoc.Parse("overrides "+text(item, "identifier"), []byte(given))
	if diags.Blocks() {
		return "", fault.New(fault.Invalid, "%s", diags)
	}
	if len(docs) != 1 {
		return given, nil
	}
	body := docs[0].Root
	for _, first := range []string{"overrides", "serviceOverrides"} {
		if b := body.Get(first); b != nil {
			body = b
		}
	}
	if body.Kind != yamldoc.Map || body.Get("environmentRef") != nil {
		return given, nil
	}
	for _, field := range purpose {
		if v := text(item, field); v != "" && body.Get(field) == nil {
			body.Entries = append(body.Entries, yamldoc.Entry{Key: yamldoc.NewString(field, body.Pos), Value: yamldoc.NewString(v, body.Pos)})
		}
	}
	return docs[0].Root.Encode()
}
