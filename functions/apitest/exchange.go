package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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
// Lines that begin with # are comments; the header As names the user. Keep: NAME a.0.b
// keeps a value of the answer, which is $NAME in later requests; Until: TEXT asks again
// until the answer holds the text. What differs from run to run is written as a name:
// times, ids, tokens. With update the answers are written anew.
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
	kept := map[string]string{}
	for _, x := range Exchanges(string(script)) {
		r := f.ask(x, kept)
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

// ask makes the request of an exchange, with what others have kept.
func (f *Fixture) ask(x Exchange, kept map[string]string) Response {
	f.T.Helper()
	fill := func(text string) string {
		return os.Expand(text, func(name string) string {
			if v, ok := kept[name]; ok {
				return v
			}
			return "$" + name
		})
	}
	x.Request.Path, x.Request.Body = fill(x.Request.Path), fill(x.Request.Body)
	r := f.Do(x.Request)
	for end := time.Now().Add(patience); !strings.Contains(string(r.Body), x.Until); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			f.T.Fatalf("%s %s never says %s: %s", x.Request.Method, x.Request.Path, x.Until, r.Body)
		}
		r = f.Do(x.Request)
	}
	if name, path, _ := strings.Cut(x.Keep, " "); name != "" {
		kept[name] = f.found(r.Body, path)
	}
	return r
}

// found is the text at a path of keys and numbers in a body.
func (f *Fixture) found(body []byte, path string) string {
	f.T.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		f.T.Fatalf("%v in %s", err, body)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(in) {
				f.T.Fatalf("no %s in %s", path, body)
			}
			v = in[i]
		}
	}
	text, ok := v.(string)
	if !ok {
		f.T.Fatalf("no %s in %s", path, body)
	}
	return text
}

// Exchange is one request of a script with the text it stands in.
type Exchange struct {
	Asked   string // with comments before it
	Request Request
	Keep    string // a name and a path in the answer
	Until   string // what the answer has to hold
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
			switch name {
			case "As":
				x.Request.User = value
			case "Keep":
				x.Keep = value
			case "Until":
				x.Until = value
			default:
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
	{regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`), `ID`},
	{regexp.MustCompile(`\bID\.[0-9.]+\.[0-9a-f]{8}\b`), `ID.ASKED`},
	{regexp.MustCompile(`\bafter [0-9.]+m?s\b`), `after SOME TIME`},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), `https://slipway.example.com`},
	{regexp.MustCompile(`"(value|token)":"[A-Za-z0-9_-]{43}"`), `"$1":"TOKEN"`},
	{regexp.MustCompile(`\b(pat|sat)\.[A-Za-z0-9_.-]{20,}`), "$1.TOKEN"},
}

// nodeID is how nodes of runs are called, which differs from run to run.
var nodeID = regexp.MustCompile(`^[0-9a-f]{24}$`)

// named calls nodes by their paths in an answer that is about some, and sorts its keys:
// objects have them as keys too.
func named(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	names := []string{}
	for _, called := range [][2]string{{"uuid", "baseFqn"}, {"id", "fqn"}, {"nodeUuid", "nodeIdentifier"}} {
		each(v, func(o map[string]any) {
			id, _ := o[called[0]].(string)
			path, _ := o[called[1]].(string)
			if nodeID.MatchString(id) && path != "" && !slices.Contains(names, id) {
				names = append(names, id, "NODE "+path)
			}
		})
	}
	if len(names) == 0 {
		return text
	}
	if err := json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(text)), &v); err != nil {
		return text
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return text
	}
	return b.String()
}

// each visits every object in a value.
func each(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			each(x, visit)
		}
	case map[string]any:
		visit(v)
		for _, x := range v {
			each(x, visit)
		}
	}
}

// settled is an answer as the scripts have it: indented, without what differs.
func settled(body []byte) string {
	text := string(body)
	for _, u := range unsettled {
		text = u.form.ReplaceAllString(text, u.name)
	}
	text = named(text)
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return strings.TrimSpace(b.String()) + "\n"
}
