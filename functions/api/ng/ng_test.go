package ng_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/api/door/apitest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestExchanges plays testdata/*.http: requests as Harness's clients send them, each
// with the answer it gets. A request is
//
//	> METHOD PATH
//	> Header: value
//	BODY
//	< STATUS
//	ANSWER
//
// Lines that begin with # are comments. What differs from run to run is written as a
// name: times, ids, tokens.
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".http"), func(t *testing.T) { play(t, f) })
	}
}

func play(t *testing.T, file string) {
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := apitest.Start(t)
	var out strings.Builder
	for _, x := range exchanges(string(script)) {
		r := f.Do(x.request)
		got := fmt.Sprintf("< %d\n%s\n", r.Status, settled(r.Body))
		if !*update {
			if diff := cmp.Diff(strings.TrimSpace(x.answer), strings.TrimSpace(got)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", x.request.Method, x.request.Path, diff)
			}
		}
		fmt.Fprintf(&out, "%s%s\n", x.asked, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// exchange is one request of a script with the text it stands in.
type exchange struct {
	asked   string // with comments before it
	request apitest.Request
	answer  string
}

func exchanges(script string) []exchange {
	var out []exchange
	var x *exchange
	answering := true
	for line := range strings.Lines(script) {
		switch {
		case answering && (strings.HasPrefix(line, "#") || strings.HasPrefix(line, "> ")):
			out = append(out, exchange{})
			x, answering = &out[len(out)-1], false
			x.request = apitest.Request{User: "admin", Header: map[string]string{"Content-Type": "application/json"}}
		case strings.HasPrefix(line, "< "):
			answering = true
		}
		switch rest, asks := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); {
		case x == nil:
		case answering:
			x.answer += line
			continue
		case asks && x.request.Method == "":
			x.request.Method, x.request.Path, _ = strings.Cut(rest, " ")
		case asks:
			name, value, _ := strings.Cut(rest, ": ")
			if name == "As" {
				x.request.User = value
			} else {
				x.request.Header[name] = value
			}
		case !strings.HasPrefix(line, "#"):
			x.request.Body += line
		}
		if x != nil {
			x.asked += line
		}
	}
	for i := range out {
		out[i].request.Body = strings.TrimSuffix(out[i].request.Body, "\n")
	}
	return out
}

// unsettled is what differs from run to run.
var unsettled = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\b1[0-9]{12}\b`), `"TIME"`},
	{regexp.MustCompile(`"[0-9A-HJKMNP-TV-Z]{26}"`), `"ID"`},
	{regexp.MustCompile(`\b(pat|sat)\.[A-Za-z0-9_.-]{20,}`), "$1.TOKEN"},
}

// settled is an answer as the scripts have it: indented, without what differs.
func settled(body []byte) string {
	text := string(body)
	for _, u := range unsettled {
		text = u.form.ReplaceAllString(text, u.name)
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return strings.TrimSpace(b.String()) + "\n"
}
