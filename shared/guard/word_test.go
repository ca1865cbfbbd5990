package guard

import (
	"bytes"
	"path"
	"regexp"
	"testing"
)

// strangers are what has no place in a product: paths of the machine it was
// written on, the workplace, and the hosts that packages happened to come from.
// Each begins with a plain word, which is looked for first, and says what must be
// around it.
var strangers = []struct {
	word string
	rule *regexp.Regexp
}{
	{"/work/", regexp.MustCompile(`(?:^|[^\w.])/work/`)},
	{"/farm/", regexp.MustCompile(`(?:^|[^\w.])/farm/`)},
	{"/tmp/brief", regexp.MustCompile(`/tmp/brief`)},
	{"/root/", regexp.MustCompile(`(?:^|[^\w.])/root/`)},
	{"/home/", regexp.MustCompile(`(?:^|[^\w.])/home/\w+/`)},
	{"proxy.golang.org", regexp.MustCompile(`proxy\.golang\.org`)},
	{"sum.golang.org", regexp.MustCompile(`sum\.golang\.org`)},
	{"registry.npmjs.org", regexp.MustCompile(`registry\.npmjs\.org`)},
	{"pypi.org", regexp.MustCompile(`pypi\.org`)},
	{"assistant", regexp.MustCompile(`\bassistants?\b`)},
	{"claude", regexp.MustCompile(`\bclaude\b`)},
	{"chatgpt", regexp.MustCompile(`\bchatgpt\b`)},
	{"copilot", regexp.MustCompile(`\bcopilot\b`)},
	{"language model", regexp.MustCompile(`\blanguage models?\b`)},
	{"issue #", regexp.MustCompile(`\bissue #`)},
	{"the issue", regexp.MustCompile(`\bthe issue (?:asks|says|named|wants)\b`)},
	{"rulings", regexp.MustCompile(`\brulings\b`)},
}

// exempt files must name strangers, or are written by tools that do.
var exempt = map[string]bool{"go.sum": true, "go.mod": true, "package-lock.json": true, "word_test.go": true}

func TestWords(t *testing.T) {
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if exempt[path.Base(f)] {
			continue
		}
		body := text(t, f)
		for _, at := range strange(body) {
			t.Errorf("%s:%d: %q does not belong in the product", f, bytes.Count(body[:at[0]], []byte("\n"))+1, body[at[0]:at[1]])
		}
	}
}

// strange says where in a text strangers are. Case is all the same.
func strange(body []byte) (at [][]int) {
	low := bytes.ToLower(body)
	if len(low) != len(body) {
		low = body // letters whose cases differ in length
	}
	for _, s := range strangers {
		if bytes.Contains(low, []byte(s.word)) {
			at = append(at, s.rule.FindAllIndex(low, 5)...)
		}
	}
	return at
}

// TestStrangers makes sure that the words are found.
func TestStrangers(t *testing.T) {
	tests := map[string]struct {
		line string
		bad  bool
	}{
		"a machine's path":     {"see /work/main/x.go", true},
		"a home folder":        {"/home/jo/slipway", true},
		"a registry":           {"GOPROXY=https://proxy.golang.org", true},
		"a workplace word":     {"as the Assistant said", true},
		"an issue's number":    {"fixes Issue #12", true},
		"an ordinary sentence": {"the delegate's work folder", false},
		"a path below another": {"delegate/work/tasks", false},
		"a state's name":       {"Work → Route", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := len(strange([]byte(tc.line))) > 0; got != tc.bad {
				t.Errorf("found = %v, want %v", got, tc.bad)
			}
		})
	}
}
