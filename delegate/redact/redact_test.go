package redact

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	const secret = `p@ss w/rd"1'<&`
	pem := "-----BEGIN KEY-----\nQUJDREVG\nxy\n-----END KEY-----\n"
	tests := map[string]struct {
		secrets []string
		text    string
		want    string
	}{
		"plain":             {[]string{secret}, "a " + secret + " b", "a " + Mask + " b"},
		"base64":            {[]string{secret}, base64.StdEncoding.EncodeToString([]byte(secret)), Mask},
		"base64 url, raw":   {[]string{secret}, base64.RawURLEncoding.EncodeToString([]byte(secret)), Mask},
		"base64 of echo":    {[]string{secret}, base64.StdEncoding.EncodeToString([]byte(secret + "\n")), Mask},
		"query-escaped":     {[]string{secret}, "?x=" + url.QueryEscape(secret) + "&", "?x=" + Mask + "&"},
		"path-escaped":      {[]string{secret}, url.PathEscape(secret), Mask},
		"lower-case escape": {[]string{secret}, strings.ToLower(url.PathEscape(secret)), Mask},
		"json":              {[]string{secret}, `"p@ss w/rd\"1'<&"`, `"` + Mask + `"`},
		"json, html":        {[]string{secret}, `"p@ss w/rd\"1'\u003c\u0026"`, `"` + Mask + `"`},
		"shell trace":       {[]string{secret}, `+ curl 'p@ss w/rd"1'\''<&'`, `+ curl '` + Mask + `'`},
		"line of many":      {[]string{pem}, "x QUJDREVG y", "x " + Mask + " y"},
		"whole of many":     {[]string{pem}, "k=" + pem, "k=" + Mask},
		"json of many":      {[]string{pem}, `{"k":"-----BEGIN KEY-----\nQUJDREVG\nxy\n-----END KEY-----\n"}`, `{"k":"` + Mask + `"}`},
		"short line stays":  {[]string{pem}, "x xy y", "x xy y"},
		"trimmed":           {[]string{" tok-en \n"}, "[tok-en]", "[" + Mask + "]"},
		"longest first":     {[]string{"abc", "abcdef"}, "abcdef abcd", Mask + " " + Mask + "d"},
		"overlap":           {[]string{"abcd", "cdef"}, "xabcdefx", "x" + Mask + "x"},
		"inside a longer":   {[]string{"aabca", "abc"}, "aabcb", "a" + Mask + "b"},
		"touching":          {[]string{"abc"}, "abcabc", Mask + Mask},
		"too short":         {[]string{"ab", ""}, "ab cab", "ab cab"},
		"none":              {nil, "text", "text"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := New(tc.secrets...).String(tc.text); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestBase64InsideLongerText(t *testing.T) {
	const secret = "correct-horse-battery"
	m := New(secret)
	for _, before := range []string{"u:", "us:", "use:", "user:"} {
		auth := base64.StdEncoding.EncodeToString([]byte(before + secret + "!x"))
		if got := m.String("Basic " + auth); !strings.Contains(got, Mask) {
			t.Errorf("after %q: %s", before, got)
		}
	}
}

func TestValueMasksStringsOnly(t *testing.T) {
	got := New("s3cret").Value(map[string]any{"a": []any{"x s3cret", 1.0, nil}, "s3cret": true})
	want := map[string]any{"a": []any{"x " + Mask, 1.0, nil}, Mask: true}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLinesAreNotHeldBack(t *testing.T) {
	var out bytes.Buffer
	w := New("hunter2", "line one\nline two").Writer(&out)
	for _, step := range []struct{ in, want string }{
		{"ready\n", "ready\n"},
		{"pw hun", "ready\npw "},
		{"t\n", "ready\npw hunt\n"},
		{"hunter", "ready\npw hunt\n"},
		{"2\n", "ready\npw hunt\n" + Mask + "\n"},
	} {
		_, _ = io.WriteString(w, step.in)
		if out.String() != step.want {
			t.Fatalf("after %q: %q, want %q", step.in, out.String(), step.want)
		}
	}
}

func TestCutOffInsideSecret(t *testing.T) {
	var out bytes.Buffer
	w := New("hunter2").Writer(&out)
	_, _ = io.WriteString(w, "pw hunte")
	_ = w.Close()
	if want := "pw " + Mask; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if got := New("hunter2").String("pw hunte"); got != "pw hunte" {
		t.Errorf("a whole value lost its end: %q", got)
	}
}

// reference masks by brute force: cover every occurrence, then merge overlaps.
func reference(text string, patterns []string) string {
	type span struct{ from, to int }
	var spans []span
	for from := range len(text) {
		longest := 0
		for _, p := range patterns {
			if strings.HasPrefix(text[from:], p) {
				longest = max(longest, len(p))
			}
		}
		switch last := len(spans) - 1; {
		case longest == 0:
		case last >= 0 && from < spans[last].to:
			spans[last].to = max(spans[last].to, from+longest)
		default:
			spans = append(spans, span{from, from + longest})
		}
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from] + Mask)
		at = s.to
	}
	return b.String() + text[at:]
}

// check holds for any text, secrets and split.
func check(t interface{ Fatalf(string, ...any) }, secrets []string, text string, cuts []int) {
	m := New(secrets...)
	var patterns []string
	for _, s := range secrets {
		patterns = append(patterns, forms(s)...)
	}
	var whole, split bytes.Buffer
	w := m.Writer(&whole)
	_, _ = io.WriteString(w, text+"|") // ends outside a secret
	_ = w.Close()
	if want := reference(text+"|", patterns); whole.String() != want {
		t.Fatalf("secrets %q text %q\ngot  %q\nwant %q", secrets, text, whole.String(), want)
	}
	w = m.Writer(&split)
	rest := text + "|"
	for _, c := range cuts {
		c = min(c, len(rest))
		_, _ = io.WriteString(w, rest[:c])
		rest = rest[c:]
		for _, p := range patterns {
			if strings.Contains(split.String(), p) {
				t.Fatalf("%q let out %q: %q", secrets, p, split.String())
			}
		}
	}
	_, _ = io.WriteString(w, rest)
	_ = w.Close()
	if split.String() != whole.String() {
		t.Fatalf("secrets %q text %q cuts %v\nsplit %q\nwhole %q", secrets, text, cuts, split.String(), whole.String())
	}
}

func TestProperties(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n")), 1, 9, -1)
	piece := func(secrets []string) *rapid.Generator[string] {
		return rapid.OneOf(letters, rapid.SampledFrom(secrets), rapid.StringN(0, 6, -1).Filter(func(s string) bool {
			return !strings.ContainsAny(s, "|*")
		}))
	}
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(letters, 1, 4).Draw(t, "secrets")
		text := strings.Join(rapid.SliceOfN(piece(secrets), 0, 12).Draw(t, "text"), "")
		check(t, secrets, text, rapid.SliceOfN(rapid.IntRange(0, 5), 0, 30).Draw(t, "cuts"))
	})
}

func FuzzWriter(f *testing.F) {
	f.Add("hunter2", "abcabcab", "x hunter2 abcabcabcab", []byte{1, 2, 3})
	f.Add("a\nbcd", "bcd", "a\nbcd\n", []byte{2})
	f.Fuzz(func(t *testing.T, s1, s2, text string, cuts []byte) {
		if len(text) > 4<<10 || len(s1)+len(s2) > 1<<10 || strings.ContainsAny(s1+s2, "|*") {
			t.Skip()
		}
		lengths := make([]int, len(cuts))
		for i, c := range cuts {
			lengths[i] = int(c)
		}
		check(t, []string{s1, s2}, text, lengths)
	})
}

func BenchmarkWriter(b *testing.B) {
	line := "2026-11-21T02:13:00Z INFO deploying service cart to cluster eu-west-1, revision 42\n"
	text := []byte(strings.Repeat(line, 64<<10/len(line)))
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("secrets=%d", n), func(b *testing.B) {
			secrets := make([]string, n)
			for i := range secrets {
				secrets[i] = fmt.Sprintf("%c%dsecret-value-%d", 'a'+i%26, i, i)
			}
			w := New(secrets...).Writer(io.Discard)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, _ = w.Write(text)
			}
		})
	}
}
