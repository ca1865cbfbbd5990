package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// wrongType says what a value should have been.
func (c *checker) wrongType(n *yamldoc.Node, t *typ) {
	c.errorf(n, CodeWrongType, t.help(), "%s is %s: expected %s", describe(n), n.Kind, t)
}

// help says how a value of the type is written.
func (t *typ) help() string {
	switch t = t.real(); t.shape {
	case shapeText, shapeEnum:
		return "write one value"
	case shapeBool:
		return "write true or false"
	case shapeInt, shapeNumber:
		return "write a number"
	case shapeList:
		return "write its items below it, each behind a -"
	case shapeDict, shapeObject:
		return "indent its fields below it"
	case shapePartial:
		return t.elem.help()
	case shapeUnion:
		return t.alts[0].help()
	case shapeAny, shapeNamed, shapeBy:
	}
	return ""
}

// String is the type in words: "a list", "true or false".
func (t *typ) String() string {
	switch t = t.real(); t.shape {
	case shapeText:
		return "a string"
	case shapeEnum:
		return "one of " + strings.Join(t.values, ", ")
	case shapeBool:
		return "true or false"
	case shapeInt:
		return "a whole number"
	case shapeNumber:
		return "a number"
	case shapeList:
		return "a list"
	case shapeDict, shapeObject:
		return "a map"
	case shapePartial:
		return t.elem.String()
	case shapeUnion:
		var alts []string
		for _, a := range t.alts {
			alts = append(alts, a.String())
		}
		return strings.Join(alts, " or ")
	case shapeAny, shapeNamed, shapeBy:
	}
	return "anything"
}

// keyOf is the last element of a node's path, "" for a root.
func keyOf(n *yamldoc.Node) string {
	p := n.Pointer()
	key := p[strings.LastIndexByte(p, '/')+1:]
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
}

func quote(s string) string { return strconv.Quote(s) }

// describe names a value for people: "step build", "source of step build", "item
// 2 of variables of the pipeline". It is worked out only when something is wrong.
func describe(n *yamldoc.Node) string {
	switch {
	case n == nil || n.Parent() == nil:
		return "the document"
	case n.Kind == yamldoc.Map:
		if s := entity(n); s != "" {
			return s
		}
	}
	key := keyOf(n)
	if n.Parent().Kind == yamldoc.List {
		i, _ := strconv.Atoi(key)
		return fmt.Sprintf("item %d of %s", i+1, describe(n.Parent()))
	}
	if n.Parent().Parent() == nil {
		return "the " + key
	}
	return key + " of " + describe(n.Parent())
}

// entity names a map by its identifier or name, "" when it has none.
func entity(n *yamldoc.Node) string {
	kind := keyOf(n)
	if n.Parent().Kind == yamldoc.List {
		kind = strings.TrimSuffix(keyOf(n.Parent()), "s")
	}
	for _, key := range []string{"identifier", "name"} {
		if id := n.Get(key); id != nil && id.Scalar() && id.Text != "" && len(id.Text) <= 128 {
			return kind + " " + id.Text
		}
	}
	return ""
}

// oneOf helps with a word that should have been one of a list.
func oneOf(got string, words []string) string {
	if near := nearest(got, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(words) > 20 {
		return fmt.Sprintf("slipway schema lists the %d that are known", len(words))
	}
	return "expected one of " + strings.Join(words, ", ")
}

// nearest returns the word most like s, "" when none is like it.
func nearest(s string, words []string) string {
	best, bestD := "", max(1, min(len(s)/3, 3))+1
	for _, w := range words {
		if d := distance(strings.ToLower(s), strings.ToLower(w)); d < bestD {
			best, bestD = w, d
		}
	}
	return best
}

// distance is the number of edits between two words; two letters that have
// changed places are one edit (optimal string alignment).
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 100
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
