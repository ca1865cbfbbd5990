package core

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Ask is a value that a node asks for when it starts: <+input>….executionInput()
// (BEHAVIOUR §12.3). In its place stands AskExpression.
type Ask struct {
	Path    string   `json:"path"` // of the field, as runtime inputs are named
	Default *string  `json:"default,omitempty"`
	One     []string `json:"one,omitempty"`  // allowedValues or selectOneFrom
	Many    []string `json:"many,omitempty"` // selectManyFrom
	Regex   string   `json:"regex,omitempty"`
	Pos     Position `json:"pos"`
}

// AskExpression is what stands for the value in the plan.
func AskExpression(path string) string { return `<+executionInput.get("` + path + `")>` }

// AskedIn are the paths of the values that a text asks for.
func AskedIn(text string) []string {
	var paths []string
	for {
		_, rest, ok := strings.Cut(text, `<+executionInput.get("`)
		if !ok {
			return paths
		}
		path, after, ok := strings.Cut(rest, `")>`)
		if !ok {
			return paths
		}
		paths, text = append(paths, path), after
	}
}

// Accept reports what is wrong with a value, "" when nothing is. Expressions are
// judged by nobody: their value is not known yet (BEHAVIOUR §12.2).
func (a Ask) Accept(v string) string {
	if v == "" || strings.Contains(v, "<+") {
		return ""
	}
	fixed := func(list []string) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "<+") })
	}
	if fixed(a.One) && !slices.Contains(a.One, v) {
		return fmt.Sprintf("%q is not allowed: expected one of %s", v, strings.Join(a.One, ", "))
	}
	if fixed(a.Many) {
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); !slices.Contains(a.Many, w) {
				return fmt.Sprintf("%q is not allowed: expected some of %s", w, strings.Join(a.Many, ", "))
			}
		}
	}
	if a.Regex != "" {
		if re, err := regexp.Compile(`\A(?:` + a.Regex + `)\z`); err == nil && !re.MatchString(v) {
			return fmt.Sprintf("%q does not match %s", v, a.Regex)
		}
	}
	return ""
}
