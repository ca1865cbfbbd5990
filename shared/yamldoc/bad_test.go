package yamldoc

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// encode is text as UTF-16, with or without a byte order mark.
func encode(s string, mark, big bool) []byte {
	units := utf16.Encode([]rune(s))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b bytes.Buffer
	for _, u := range units {
		low, high := byte(u), byte(u>>8)
		if big {
			low, high = high, low
		}
		b.Write([]byte{low, high})
	}
	return b.Bytes()
}

const (
	badTime   = 50 * time.Millisecond // on an idle machine
	badMemory = 64 << 20              // bytes, all that is ever allocated
	patience  = 40                    // times as long, on a busy one with the race detector
)

// TestBadInput holds hostile input to a clear error with a place, soon and with
// little memory.
func TestBadInput(t *testing.T) {
	tests := map[string]struct {
		data []byte
		want string
	}{
		"alias bomb":          {[]byte(bomb(9)), "t.yaml:"},
		"many aliases":        {[]byte("a: &x 1\nb: [" + strings.Repeat("*x,", 500_000) + "]"), "more than 1000 aliases"},
		"deep flow":           {[]byte("a: " + strings.Repeat("[", 10_000)), "t.yaml:1:103: error: maps and lists are nested more than 100 deep"},
		"deep flow maps":      {[]byte(strings.Repeat("{a: ", 10_000)), "nested more than 100 deep"},
		"deep block list":     {[]byte(strings.Repeat("- ", 10_000) + "x"), "nested more than 100 deep"},
		"deep block maps":     {deepMaps(10_000), "t.yaml:"},
		"duplicate keys":      {[]byte("a: 1\na: 2\n"), "t.yaml:2:1: error: key \"a\" is already set on line 1"},
		"10 MB scalar":        {[]byte("a: " + strings.Repeat("x", 10<<20)), "t.yaml:1:3145729: error: the document is larger than 3 MB"},
		"10 MB of lines":      {[]byte("a: |\n" + strings.Repeat("  some text\n", 900_000)), "the document is larger than 3 MB"},
		"3 MB scalar":         {[]byte("a: " + strings.Repeat("x", 3<<20-10)), "t.yaml:1:4: error: a value is larger than 256 KB"},
		"3 MB in quotes":      {[]byte("a: \"" + strings.Repeat("x, [y: 'z'\n ", 240_000) + "\""), "a value is larger than 256 KB"},
		"3 MB block":          {[]byte("a: |\n" + strings.Repeat("  some text\n", 250_000)), "a value is larger than 256 KB"},
		"3 MB of short lines": {[]byte(strings.Repeat("- a\n", 700_000)), "t.yaml:"},
		"tab":                 {[]byte("a:\n\tb: 1\n"), "t.yaml:2:1: error: a tab stands where YAML needs spaces"},
		"UTF-16":              {encode("a: 1\n", true, false), "t.yaml:1:1: error: the text is UTF-16, not UTF-8 (save the file as UTF-8)"},
		"UTF-16, big":         {encode("a: 1\n", true, true), "the text is UTF-16"},
		"UTF-16, no mark":     {encode("a: 1\n", false, false), "the text is UTF-16"},
		"NUL":                 {[]byte("a: b\x00c\n"), "t.yaml:1:5: error: control character 0x00 is not allowed"},
		"comments":            {[]byte(strings.Repeat("# x\n", 700_000) + "a: 1\n"), "t.yaml:120001:1: error: more than 120000 lines of comments"},
		"a huge comment":      {append(bytes.Repeat([]byte("#"), 2_900_000), "\na: 1\n"...), "t.yaml:1:1: error: a comment is larger than 1024 KB"},
		"many spaces":         {append(append([]byte("a:"), bytes.Repeat([]byte(" "), 2_900_000)...), "x\n"...), "t.yaml:1:1: error: more than 256 KB of spaces"},
		"directives":          {[]byte(strings.Repeat("%YAML 1.2\n", 100_000) + "---\na: 1\n"), "t.yaml:101:1: error: more than 100 directives"},
		"keys of one map":     {keys(200_000, "  k%d: v\n", "a:\n"), "t.yaml:1002:3: error: more than 1000 keys in one map"},
		"keys in braces":      {keys(200_000, "k%d: v,", "a: {"), "error: more than 300000 values"},
		"only NULs":           {make([]byte, 1<<20), "t.yaml:1:1: error: control character 0x00"},
		"not UTF-8":           {[]byte("a: b\nc: \xc3\x28\n"), "t.yaml:2:4: error: the text is not valid UTF-8"},
		"cut-off letter":      {[]byte("a: ä\xe2\x82"), "t.yaml:1:5: error: the text is not valid UTF-8"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, diags := Parse("t.yaml", tc.data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if len(diags) == 0 || !strings.Contains(diags.String(), tc.want) {
				t.Errorf("%.300s\nwant %s", diags, tc.want)
			}
			used := after.TotalAlloc - before.TotalAlloc
			if took > badTime*patience || used > badMemory {
				t.Errorf("took %v and %d MB", took, used>>20)
			}
			t.Logf("%v, %d KB", took, used>>10)
		})
	}
}

// TestNorway holds that words of YAML 1.1 stay what the author wrote.
func TestNorway(t *testing.T) {
	root := parseOne(t, "a: no\nb: NO\nc: on\nd: y\ne: 010\nf: 1_000\ng: 1e3\nh: 12:30:45\ni: 0o17\nj: True\nk: \"true\"\nl: 1.10\nno: yes\n")
	want := map[string]Kind{"a": String, "b": String, "c": String, "d": String, "h": String, "j": Bool, "k": String, "l": Number, "no": String}
	for key, kind := range want {
		if got := root.Get(key); got == nil || got.Kind != kind {
			t.Errorf("%s is %v, want %v", key, got, kind)
		}
	}
	for key, text := range map[string]string{"a": "no", "b": "NO", "e": "010", "f": "1_000", "l": "1.10", "no": "yes"} {
		if got := root.Get(key).Text; got != text {
			t.Errorf("%s reads %q, want %q", key, got, text)
		}
	}
}

func keys(n int, form, before string) []byte {
	b := bytes.NewBufferString(before)
	for i := range n {
		fmt.Fprintf(b, form, i)
	}
	return b.Bytes()
}

func deepMaps(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		if b.Len() > 2<<20 {
			break
		}
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.Bytes()
}
