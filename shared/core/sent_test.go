package core_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
)

// What texts are said to take is never less than what they take.
func TestSent(t *testing.T) {
	every := ""
	for r := range rune(0x300) {
		every += string(r)
	}
	for name, text := range map[string]string{"plain": "a: 1", "quotes": `"\`, "lines": "a\n\tb\r", "expressions": "<+pipeline.name> && 1", "controls": "\x00\x01\b\f\x1f\x7f",
		"separators": "\u2028\u2029", "all": every, "none": ""} {
		t.Run(name, func(t *testing.T) {
			plain := func(v any) []byte { // without its quotes
				var b bytes.Buffer
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(false)
				if err := e.Encode(v); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()[1 : b.Len()-2]
			}
			if want := len(plain(text)); core.Written(text) < want || core.Written(text) != want {
				t.Errorf("%d bytes, have %d", core.Written(text), want)
			}
			value, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			if want := len(plain(string(value[1 : len(value)-1]))); core.Sent(text) < want || core.Sent(text) != want {
				t.Errorf("%d bytes in an answer, have %d", core.Sent(text), want)
			}
		})
	}
}
