package request

import (
	"slices"
	"strings"
)

// Tag is a filter on a tag; an empty value stands for any.
type Tag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Tagged reports whether tags hold all that is wanted.
func Tagged(tags map[string]string, wanted []Tag) bool {
	return !slices.ContainsFunc(wanted, func(w Tag) bool {
		v, ok := tags[w.Key]
		return !ok || w.Value != "" && w.Value != v
	})
}

// Holds reports whether text contains part, in any case.
func Holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// Found reports whether a search term is in one of the texts or tags.
func Found(term string, tags map[string]string, texts ...string) bool {
	for k, v := range tags {
		texts = append(texts, k, v)
	}
	return slices.ContainsFunc(texts, func(t string) bool { return Holds(t, term) })
}

// Governance says that no policy had anything against it: there are none yet.
type Governance struct {
	Deny    bool   `json:"deny"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details"`
}

// NoPolicies is what every answer says of governance.
func NoPolicies() Governance { return Governance{Status: "pass", Details: []any{}} }
