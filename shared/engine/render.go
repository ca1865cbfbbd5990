package engine

import (
	"fmt"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/steps"
)

// renderSpec evaluates every expression of a step's spec just before it starts
// (BEHAVIOUR §13.8). It returns the secrets the result refers to.
func (w *walk) renderSpec(n *core.Node, step steps.Step) (map[string]any, []string, error) {
	s := &scope{w: w, n: n, secrets: map[string]bool{}}
	out := make(map[string]any, len(n.Spec))
	for key, v := range n.Spec {
		var opts []expr.Option
		if slices.Contains(step.DeferIn, key) {
			opts = []expr.Option{expr.Defer(step.Defer...)}
		}
		r, err := s.render(v, opts)
		if isNeed(err) {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", n.Pos, key, err)
		}
		out[key] = r
	}
	var refs []string
	for ref := range s.secrets {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return out, refs, nil
}

// render evaluates the strings of a JSON value.
func (s *scope) render(v any, opts []expr.Option) (any, error) {
	switch v := v.(type) {
	case string:
		return s.renderText(v, opts)
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			r, err := s.render(e, opts)
			if err != nil {
				return nil, err
			}
			m[k] = r
		}
		return m, nil
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			r, err := s.render(e, opts)
			if err != nil {
				return nil, err
			}
			l[i] = r
		}
		return l, nil
	default:
		return v, nil
	}
}

// renderText evaluates one string. Lists and maps keep their shape; scalars become
// text, as they would in YAML. With a deferral the result is rendered once more
// on the delegate, so it stays text whatever it is.
func (s *scope) renderText(text string, opts []expr.Option) (any, error) {
	if !expr.Has(text) {
		return text, nil
	}
	if len(opts) > 0 {
		return expr.RenderString(text, s, opts...)
	}
	v, err := expr.Render(text, s)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case []any, map[string]any:
		return v, nil
	default:
		return expr.Format(v), nil
	}
}
