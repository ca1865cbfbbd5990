package compile

import (
	"strings"
	"testing"
)

func TestPlaceForm(t *testing.T) {
	for text, want := range map[string]bool{
		"default": true, "with space": true, "äöü": true, "a.b-c": true, strings.Repeat("ü", 128): true,
		"": false, "a/b": false, "a#b": false, "a\nb": false, "a\u200bb": false, "\x00": false, strings.Repeat("ü", 129): false,
	} {
		if got := placeForm(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
