package engine

import (
	"strings"
	"testing"
)

// TestHosts holds which hosts a stage knows: those its infrastructure lists.
func TestHosts(t *testing.T) {
	hosts := []any{"a-<+env.identifier>", "b"}
	tests := map[string]struct {
		spec map[string]any
		want string // or a part of the error
	}{
		"listed":        {map[string]any{"hosts": hosts}, "[a-prod, b]"},
		"all of them":   {map[string]any{"hosts": hosts, "hostFilter": map[string]any{"type": "All", "spec": map[string]any{}}}, "[a-prod, b]"},
		"some by name":  {map[string]any{"hosts": hosts, "hostFilter": map[string]any{"type": "HostNames", "spec": map[string]any{"value": []any{"b"}}}}, "[b]"},
		"by attributes": {map[string]any{"hosts": hosts, "hostFilter": map[string]any{"type": "HostAttributes", "spec": map[string]any{"value": map[string]any{}}}}, "not supported yet: hosts by their attributes"},
		"a connector's": {map[string]any{"connectorRef": "pdc"}, "not supported yet: hosts that only a connector"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := deploying()
			s.w.root.Target.Infrastructures[0].Spec = tc.spec
			for _, text := range []string{"<+stage.output.hosts>", "<+pipeline.stages.b.output.hosts>"} {
				v, err := s.renderText("x "+text, nil)
				if got, _ := v.(string); got != "x "+tc.want && (err == nil || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("%s = %v, %v; want %s", text, v, err, tc.want)
				}
			}
		})
	}
	s := deploying()
	s.w.root.Target = nil
	if v, err := s.renderText("<+stage.output.hosts>", nil); v != "null" && v != nil || err != nil {
		t.Errorf("a stage that deploys nothing has %v, %v", v, err)
	}
}
