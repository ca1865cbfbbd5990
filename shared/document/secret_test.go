package document_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/document"
)

// TestTakeValue cuts the value out and leaves the rest as its author wrote it.
func TestTakeValue(t *testing.T) {
	const head = "secret:\n  type: SecretText # kept\n  name: s\n  identifier: s\n  spec:\n    secretManagerIdentifier: harnessSecretManager\n    valueType: Inline\n"
	for name, tc := range map[string]struct{ text, rest, value string }{
		"block":              {head + "    value: s3cr3t # mine\n", head + "    value:\n", "s3cr3t"},
		"block, many lines":  {head + "    value: |\n      a\n      b\n", head + "    value:\n", "a\nb\n"},
		"flow, plain":        {"secret: {type: SecretText, name: s, spec: {valueType: Inline, value: s3cr3t}} # kept\n", "secret: {type: SecretText, name: s, spec: {valueType: Inline, value:}} # kept\n", "s3cr3t"},
		"flow, not the last": {"secret: {type: SecretText, spec: {value: s3 cr3t, valueType: Inline}}\n", "secret: {type: SecretText, spec: {value:, valueType: Inline}}\n", "s3 cr3t"},
		"flow, double":       {`secret: {type: SecretText, spec: {valueType: Inline, value: "a\"}, b"}}`, `secret: {type: SecretText, spec: {valueType: Inline, value:}}`, `a"}, b`},
		"flow, single":       {`secret: {type: SecretText, spec: {valueType: Inline, value: 'it''s'}}`, `secret: {type: SecretText, spec: {valueType: Inline, value:}}`, `it's`},
		"JSON":               {`{"secret":{"type":"SecretText","spec":{"valueType":"Inline","value":"s3cr3t"}}}`, `{"secret":{"type":"SecretText","spec":{"valueType":"Inline","value":null}}}`, "s3cr3t"},
	} {
		t.Run(name, func(t *testing.T) {
			rest, value, err := document.TakeValue(tc.text)
			if err != nil || value == nil || *value != tc.value {
				t.Fatal(value, err)
			}
			if rest != tc.rest {
				t.Errorf("%s\nwant\n%s", rest, tc.rest)
			}
		})
	}
}
