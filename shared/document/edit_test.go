package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

func TestWith(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"in its line":        {"# ours\ntrigger:\n  name: T # T\n  enabled: true # now\n", "# ours\ntrigger:\n  name: T # T\n  enabled: false # now\n"},
		"not there":          {"trigger:\n  # of it\n  name: T\n", "trigger:\n  # of it\n  enabled: false\n  name: T\n"},
		"in braces":          {"trigger: {enabled: true, name: T}\n", "trigger: {enabled: false, name: T}\n"},
		"not there, braces":  {"trigger: {name: T}\n", "trigger:\n  name: T\n  enabled: false\n"},
		"in quotes":          {"trigger:\n  enabled: \"true\"\n", "trigger:\n  enabled: false\n"},
		"said twice by name": {"trigger:\n  tags: {enabled: true}\n  enabled: true\n", "trigger:\n  tags: {enabled: true}\n  enabled: false\n"},
	} {
		got, err := document.With(tc.text, core.EntityTrigger, "enabled", "false")
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
