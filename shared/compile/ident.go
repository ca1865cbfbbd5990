package compile

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Forms of identifiers and names (BEHAVIOUR §1.3, §1.4).
var (
	identifierForm = regexp.MustCompile(`^[a-zA-Z_][0-9a-zA-Z_]{0,127}$`)
	nameForm       = regexp.MustCompile(`^[a-zA-Z_0-9.-][-0-9a-zA-Z_\s.]{0,127}$`)
	variableForm   = regexp.MustCompile(`^[a-zA-Z_][0-9a-zA-Z_.$-]{0,127}$`)
)

// placeForm reports whether text may name a scope: more lenient than §1.3, as
// documents are. A regex that counts so large a class takes 10 ms to compile,
// which every cold start of a function would pay for.
func placeForm(text string) bool {
	n := utf8.RuneCountInString(text)
	return n >= 1 && n <= 128 && !strings.ContainsFunc(text, func(r rune) bool {
		return r == '/' || r == '#' || unicode.Is(unicode.C, r)
	})
}

// scalar returns the text of a scalar field, "" (and said) when it is missing.
func (c *compiler) scalar(m *yamldoc.Node, key, what string) (string, *yamldoc.Node) {
	n := m.Get(key)
	if n == nil || n.Kind == yamldoc.Null || n.Kind == yamldoc.String && n.Text == "" {
		if n != nil && c.missing[n] != nil {
			c.missingInput(n, c.missing[n])
		} else {
			c.missingField(m, key, what)
		}
		return "", nil
	}
	if !n.Scalar() {
		c.errorf(n, CodeWrongType, "", "%s of %s is %s: expected a string", key, what, n.Kind)
		return "", nil
	}
	return n.Text, n
}

// identifier reads and checks an identifier; "" when it cannot be used.
func (c *compiler) identifier(m *yamldoc.Node, what string) (string, *yamldoc.Node) {
	id, n := c.scalar(m, "identifier", what)
	if n == nil {
		return "", nil
	}
	switch {
	case !identifierForm.MatchString(id):
		c.errorf(n, CodeIdentifier, "use letters, digits and _, not beginning with a digit, at most 128", "%q cannot be the identifier of %s", id, what)
		return "", nil
	case expr.Reserved(id):
		c.errorf(n, CodeIdentifier, "choose another word", "%q is a word of the expression language and cannot be the identifier of %s", id, what)
		return "", nil
	}
	return id, n
}

// name reads and checks a display name.
func (c *compiler) name(m *yamldoc.Node, what string) string {
	name, n := c.scalar(m, "name", what)
	if n != nil && !nameForm.MatchString(name) {
		c.errorf(n, CodeName, "use letters, digits, spaces and - _ . only, at most 128", "%q cannot be the name of %s", name, what)
	}
	return name
}

// ids notices identifiers used twice where they must be unique.
type ids struct {
	exact, folded map[string]*yamldoc.Node // folded: by the identifier in lower case
}

func newIDs() *ids { return &ids{map[string]*yamldoc.Node{}, map[string]*yamldoc.Node{}} }

// unique refuses an identifier that is there already, and warns of one that
// differs from another in case only.
func (c *compiler) unique(seen *ids, id string, n *yamldoc.Node, what, where string) {
	if id == "" {
		return
	}
	if first := seen.exact[id]; first != nil {
		c.errorf(n, CodeDuplicate, "give each its own identifier", "%s %q is already defined in %s on line %d", what, id, where, first.Pos.Line)
		return
	}
	low := strings.ToLower(id)
	if first := seen.folded[low]; first != nil {
		c.add(core.SeverityWarning, n, n.Pos, CodeSimilar,
			fmt.Sprintf("%s %s differs from %s on line %d in case only", what, id, first.Text, first.Pos.Line), "both are kept; rename one")
	} else {
		seen.folded[low] = n
	}
	seen.exact[id] = n
}

// tags reads a map of strings; nil when there are none.
func (c *compiler) tags(m *yamldoc.Node) map[string]string {
	n := m.Get("tags")
	if n == nil || c.empty(n) {
		return nil
	}
	if n.Kind != yamldoc.Map {
		c.errorf(n, CodeWrongType, "write tags as key: value", "tags is %s: expected a map", n.Kind)
		return nil
	}
	out := make(map[string]string, len(n.Entries))
	for _, e := range n.Entries {
		if e.Value.Kind == yamldoc.List || e.Value.Kind == yamldoc.Map {
			c.errorf(e.Value, CodeWrongType, "", "tag %s is %s: expected a string", e.Key.Text, e.Value.Kind)
			continue
		}
		out[e.Key.Text] = e.Value.Text
	}
	return out
}
