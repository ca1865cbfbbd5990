package harness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverridesBecomeDocuments(t *testing.T) {
	item := func(more map[string]any) map[string]any {
		out := map[string]any{"identifier": "o", "type": "ENV_SERVICE_OVERRIDE", "environmentRef": "dev", "serviceRef": "account.web", "infraIdentifier": nil}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	const head = "  type: ENV_SERVICE_OVERRIDE\n  environmentRef: dev\n  serviceRef: account.web\n  identifier: o\n"
	for name, tc := range map[string]struct {
		more map[string]any
		want string
	}{
		"whole":        {map[string]any{"yaml": "overrides: # mine\n  environmentRef: dev\n"}, "overrides: # mine\n  environmentRef: dev\n"},
		"without head": {map[string]any{"yaml": "overrides:\n  variables: [a]\n"}, "overrides:\n  variables:\n  - a\n" + head},
		"nothing":      {nil, "overrides:\n" + head},
		"a spec":       {map[string]any{"spec": map[string]any{"variables": []any{"a"}, "manifests": nil}}, "overrides:\n  variables:\n  - a\n" + head},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readOverrides(t.Context(), nil, nil, item(tc.more))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := readOverrides(t.Context(), nil, nil, item(map[string]any{"yaml": "a: [b"})); err == nil {
		t.Error("it reads what is no YAML")
	}
}
