package engine

import (
	"errors"

	"github.com/slipway-cd/slipway/shared/core"
)

// combined is what the nodes that have ended below n amount to (BEHAVIOUR §13.7):
// SUCCESS while none has failed.
func (s *scope) combined(n *core.Node) (any, bool, error) {
	f, err := s.w.lookup(n, false)
	if err != nil || !f.Found {
		return nil, false, err
	}
	if f.Status.Terminal() || n.Kind == core.KindStep {
		return statusText(f.Status), true, nil
	}
	var ended []core.Status
	need := &Need{}
	s.ended(n, &ended, need)
	if len(need.Refs) > 0 {
		return nil, false, need
	}
	return statusText(core.Aggregate(ended...)), true, nil
}

// ended collects the statuses of the nodes that have ended below n, outermost first,
// and what has to be looked up for that.
func (s *scope) ended(n *core.Node, out *[]core.Status, need *Need) {
	for _, c := range s.w.run.Children(n) {
		if c.Kind == core.KindParallel {
			s.ended(c, out, need)
			continue
		}
		f, err := s.w.lookup(c, false)
		switch more, ok := errors.AsType[*Need](err); {
		case ok:
			need.Refs = append(need.Refs, more.Refs...)
		case f.Status.Terminal():
			*out = append(*out, f.Status)
		case f.Found:
			s.ended(c, out, need)
		}
	}
}

// statusText is how combined statuses are written.
func statusText(s core.Status) string {
	if s == core.Succeeded {
		return "SUCCESS"
	}
	return string(s)
}
