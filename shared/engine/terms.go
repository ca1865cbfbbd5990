package engine

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/steps"
)

// terms are what a step is started under.
type terms struct {
	timeout   int64 // ms
	own       bool  // the timeout is the step's own, not that of its type
	selectors []string
}

// terms evaluates a step's timeout and delegate selectors as it starts
// (BEHAVIOUR §13.8).
func (w *walk) terms(n *core.Node, step steps.Step) (terms, error) {
	t := terms{timeout: n.Timeout, own: n.Timeout > 0 || n.TimeoutText != ""}
	s := &scope{w: w, n: n, secrets: map[string]bool{}}
	if n.TimeoutText != "" {
		text, err := expr.RenderString(n.TimeoutText, s)
		if isNeed(err) {
			return t, err
		}
		d, bad := steps.ParseDuration(strings.TrimSpace(text))
		if err == nil {
			err = bad
		}
		if err != nil {
			return t, fmt.Errorf("%s: timeout: %w", n.Pos, err)
		}
		t.timeout = d.Milliseconds()
	}
	if t.timeout == 0 {
		t.timeout = step.DefaultTimeout.Milliseconds()
	}
	for _, text := range n.Selectors {
		words, err := s.words(text)
		if isNeed(err) {
			return t, err
		}
		if err != nil {
			return t, fmt.Errorf("%s: delegateSelectors: %w", n.Pos, err)
		}
		t.selectors = append(t.selectors, words...)
	}
	return t, nil
}

// words are the words a text stands for: itself, or what its expression comes to, a
// list or words with commas between.
func (s *scope) words(text string) ([]string, error) {
	if !expr.Has(text) {
		return []string{text}, nil
	}
	v, err := expr.Render(text, s)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	if !ok {
		for w := range strings.SplitSeq(expr.Format(v), ",") {
			items = append(items, w)
		}
	}
	var out []string
	for _, it := range items {
		if w := strings.TrimSpace(expr.Format(it)); w != "" {
			out = append(out, w)
		}
	}
	return out, nil
}
