package spell

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"timeout", "timeout", 0}, {"timout", "timeout", 1}, {"Tmeout", "Timeout", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 2}, {strings.Repeat("x", maxWord+1), "x", maxWord},
	} {
		if got := Distance(tc.a, tc.b); got != tc.want || Distance(tc.b, tc.a) != got {
			t.Errorf("%q, %q: %d, want %d either way", tc.a, tc.b, got, tc.want)
		}
	}
}
