package schema

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// names are the identifiers of one scope.
type names struct {
	exact, folded map[string]*yamldoc.Node // folded: by the identifier in small letters
}

// register notes the identifier of a stage, step or group among its neighbours:
// it must be unique (BEHAVIOUR §7.2, §7.4); two that differ in case only are kept
// and warned about.
func (c *checker) register(n *yamldoc.Node) {
	if c.names == nil {
		c.names = &names{}
	}
	c.names.note(c, n.Get("identifier"), "identifier")
}

// keyed looks at the items of a list that differ in one field.
func (c *checker) keyed(list *yamldoc.Node, key string) {
	if len(list.Items) < 2 {
		return
	}
	in := &names{}
	for _, it := range list.Items {
		in.note(c, it.Get(key), key)
	}
}

func (s *names) note(c *checker, n *yamldoc.Node, key string) {
	if !n.Scalar() || open(n) || n.Text == "" {
		return
	}
	if s.exact == nil {
		s.exact, s.folded = map[string]*yamldoc.Node{}, map[string]*yamldoc.Node{}
	}
	if first := s.exact[n.Text]; first != nil {
		c.errorf(n, CodeDuplicate, "give each its own "+key, "the %s %q is already there on line %d", key, n.Text, first.Pos.Line)
		return
	}
	low := strings.ToLower(n.Text)
	if first := s.folded[low]; first != nil {
		c.add(core.SeverityWarning, n, n.Pos, CodeSimilar,
			fmt.Sprintf("the %s %s differs from %s on line %d in case only", key, n.Text, first.Text, first.Pos.Line), "both are kept; rename one")
	} else {
		s.folded[low] = n
	}
	s.exact[n.Text] = n
}
