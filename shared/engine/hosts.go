package engine

import "github.com/slipway-cd/slipway/shared/core"

// hosts are those that a Deployment stage deploys to (BEHAVIOUR §6.2), as far as its
// infrastructure lists them itself.
func (s *scope) hosts(stage *core.Node) (any, error) {
	if stage.Target == nil {
		return nil, nil
	}
	d, err := s.elsewhere(stage)
	if err != nil || d == nil || d.Infrastructure == nil {
		return nil, err
	}
	listed := d.Infrastructure.Spec["hosts"]
	filter, _ := d.Infrastructure.Spec["hostFilter"].(map[string]any)
	if spec, ok := filter["spec"].(map[string]any); ok && filter["type"] == "HostNames" {
		listed = spec["value"]
	} else if ok && filter["type"] == "HostAttributes" {
		return nil, missing("hosts by their attributes").err()
	}
	if listed == nil {
		return nil, missing("hosts that only a connector or a cloud knows").err()
	}
	return d.at.render(listed, nil)
}
