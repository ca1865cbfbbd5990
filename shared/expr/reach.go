package expr

import (
	"regexp/syntax"
	"sort"
	"strings"
	"unicode/utf8"
)

// reach bounds how many bytes of s a match of the pattern may look at beyond where
// it began: a repeated class looks no further than the longest run of its
// characters.
func reach(re *syntax.Regexp, s string) int {
	n := 1
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus:
		n = repeated(re.Sub[0], s)
	case syntax.OpRepeat:
		if re.Max < 0 {
			n = repeated(re.Sub[0], s) + re.Min
		} else {
			n = re.Max * reach(re.Sub[0], s)
		}
	case syntax.OpLiteral:
		n = len(re.Rune) * utf8.UTFMax
	default:
		for _, sub := range re.Sub {
			n += reach(sub, s)
		}
	}
	return min(n, len(s)+1)
}

func repeated(re *syntax.Regexp, s string) int {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	switch {
	case re.Op == syntax.OpCharClass:
		return longestRun(s, func(r rune) bool { return inClass(re.Rune, r) })
	case re.Op == syntax.OpAnyCharNotNL:
		return longestRun(s, func(r rune) bool { return r != '\n' })
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1:
		want := string(re.Rune)
		return longestRun(s, func(r rune) bool { return strings.EqualFold(string(r), want) })
	}
	return len(s)
}

// inClass searches the pairs of bounds of a class.
func inClass(bounds []rune, r rune) bool {
	i := sort.Search(len(bounds)/2, func(i int) bool { return bounds[2*i+1] >= r })
	return 2*i < len(bounds) && bounds[2*i] <= r
}

// longestRun is the length in bytes of the longest run, and one character.
func longestRun(s string, in func(rune) bool) int {
	longest, run := 0, 0
	for _, r := range s {
		if !in(r) {
			run = 0
			continue
		}
		run += utf8.RuneLen(r)
		longest = max(longest, run)
	}
	return longest + utf8.UTFMax
}
