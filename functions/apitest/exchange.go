package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// PlayAll plays the files *.http of a folder: requests, each with the answer it gets.
// A request is
//
//	> METHOD PATH
//	> Header: value
//	BODY
//	< STATUS
//	ANSWER
//
// Lines that begin with # are comments; the header As names the user. What differs from
// run to run is written as a name: times, ids, tokens. With update the answers are
// written anew.
func PlayAll(t *testing.T, dir string, update bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.http"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".http"), func(t *testing.T) { play(t, f, update) })
	}
}

func play(t *testing.T, file string, update bool) {
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := Start(t)
	var out strings.Builder
	for _, x := range Exchanges(string(script)) {
		r := f.Do(x.Request)
		got := fmt.Sprintf("< %d\n%s\n", r.Status, settled(r.Body))
		if !update {
			if diff := cmp.Diff(strings.TrimSpace(x.Answer), strings.TrimSpace(got)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", x.Request.Method, x.Request.Path, diff)
			}
		}
		fmt.Fprintf(&out, "%s%s\n", x.Asked, got)
	}
	if update {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Exchange is one request of a script with the text it stands in.
type Exchange struct {
	Asked   string // with comments before it
	Request Request
	Answer  string
}

// Exchanges are the requests of a script.
func Exchanges(script string) []Exchange {
	var out []Exchange
	var x *Exchange
	answering := true
	for line := range strings.Lines(script) {
		switch {
		case answering && (strings.HasPrefix(line, "#") || strings.HasPrefix(line, "> ")):
			out = append(out, Exchange{})
			x, answering = &out[len(out)-1], false
			x.Request = Request{User: "admin", Header: map[string]string{"Content-Type": "application/json"}}
		case strings.HasPrefix(line, "< "):
			answering = true
		}
		switch rest, asks := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); {
		case x == nil:
		case answering:
			x.Answer += line
			continue
		case asks && x.Request.Method == "":
			x.Request.Method, x.Request.Path, _ = strings.Cut(rest, " ")
		case asks:
			name, value, _ := strings.Cut(rest, ": ")
			if name == "As" {
				x.Request.User = value
			} else {
				x.Request.Header[name] = value
			}
		case !strings.HasPrefix(line, "#"):
			x.Request.Body += line
		}
		if x != nil {
			x.Asked += line
		}
	}
	for i := range out {
		out[i].Request.Body = strings.TrimSuffix(out[i].Request.Body, "\n")
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
	{regexp.MustCompile(`"value":"[A-Za-z0-9_-]{43}"`), `"value":"TOKEN"`},
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
