package guard

import (
	"path"
	"regexp"
	"testing"
)

// strangers are what has no place in a product: paths of the machine it was
// written on, the workplace, and the hosts that packages happened to come from.
var strangers = regexp.MustCompile(`(?i)` +
	`(?:^|[^\w.])/(?:work|farm)/|/tmp/brief|/root/|/home/\w+/|` + // paths
	`proxy\.golang\.org|sum\.golang\.org|registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|` + // registries
	`\bassistants?\b|\bclaude\b|\bchatgpt\b|\bcopilot\b|\blanguage model\b|` +
	`\bissue #|\bthis issue\b|\bthe issue (?:asks|says|named)\b|\bRULINGS\b|\bSTYLE\.md\b`)

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
		for _, at := range strangers.FindAllIndex(body, 5) {
			line := 1
			for _, c := range body[:at[0]] {
				if c == '\n' {
					line++
				}
			}
			t.Errorf("%s:%d: %q does not belong in the product", f, line, body[at[0]:at[1]])
		}
	}
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
		"a workplace word":     {"as the assistant said", true},
		"an issue's number":    {"fixes issue #12", true},
		"an ordinary sentence": {"the delegate's work folder", false},
		"a path below another": {"delegate/work/tasks", false},
		"a state's name":       {"Work → Route", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := strangers.MatchString(tc.line); got != tc.bad {
				t.Errorf("found = %v, want %v", got, tc.bad)
			}
		})
	}
}
