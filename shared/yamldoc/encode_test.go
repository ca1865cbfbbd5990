package yamldoc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// TestEncode writes documents in block style that read as the same.
func TestEncode(t *testing.T) {
	for name, text := range map[string]string{
		"json":    `{"connector": {"name": "a: b", "spec": {"n": 1.10, "on": "yes", "no": null, "list": [1, "2", {"x": []}], "e": {}, "t": true}}}`,
		"strings": `a: ["", " x", "true", "1e3", "~", "null", "- a", "#c", "<+input>", "a\tb", "0x1f", "1_000", "2024-01-01", ".5", "é", "*a", "&a", "!t", "%d", "@x", "\u00a0", "y", "No", "a: b", "b #c"]`,
		"lines":   "script: |\n  a\n\n    b: \"c\"\nkeep: |+\n  x\n\nstrip: |-\n  - y\n",
		"quotes":  `a: "it's \"so\"\n and \\ then"` + "\n",
		"keys":    "? \"a b\"\n: 1\n'yes': 2\n\"1\": 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			docs, diags := yamldoc.Parse("in", []byte(text))
			if diags.Blocks() {
				t.Fatal(diags)
			}
			out, err := docs[0].Root.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, diags := yamldoc.Parse("out", []byte(out))
			if diags.Blocks() {
				t.Fatalf("%s\n%s", out, diags)
			}
			if diff := cmp.Diff(docs[0].Root.Any(), again[0].Root.Any()); diff != "" {
				t.Errorf("%s\n%s", out, diff)
			}
		})
	}
}
