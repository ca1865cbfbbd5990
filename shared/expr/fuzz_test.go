package expr_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// FuzzRender holds that no input panics, runs long or grows past the bounds, and
// that every error has a kind and a place within the text.
func FuzzRender(f *testing.F) {
	for _, file := range []string{"testdata/cases.txt", "testdata/scripts.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if text, _, ok := strings.Cut(line, " => "); ok {
				f.Add(text)
			}
		}
	}
	f.Add(strings.Repeat("<+ a > ", 60))
	f.Add("<+" + strings.Repeat("(a > ", 40))
	f.Add(`<+json.select("$..[?(@..[?(@.a)])]", body)>`)
	f.Add(`<+"a".repeat(20000).replaceAll("(a*)*", "$1$1")>`)
	s := demo()
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		v, err := expr.Render(text, s)
		if err == nil {
			if out, ok := v.(string); ok && expr.Has(text) && len(out) > expr.MaxResult+len(text) {
				t.Errorf("a result of %d bytes", len(out))
			}
		} else {
			checkError(t, text, err)
			_ = expr.Caret(text, err)
		}
		_, _ = expr.Condition(text, s)
		_, _ = expr.Refs(text)
		if left, err := expr.RenderString(text, s, expr.Defer("pipeline")); err == nil {
			if _, err := expr.Refs(left); err != nil {
				t.Errorf("what Defer left does not parse: %q: %v", left, err)
			}
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// FuzzXPath holds the same of documents and XPaths, of which a library thinks.
func FuzzXPath(f *testing.F) {
	doc := expr.Format(demo()["xmlBody"])
	for _, path := range []string{"/bookstore/book[1]/title", "//book[@id='b2']/title/text()", "count(//book)", "sum(//price)", "//*[last()]/..",
		"//book[price > 4]/following::node()", "concat(//a, 'x')", "//@*", "translate(//a, 'q', 'r')", "//book[position() mod 2 = 1] | //n:a",
		"substring(string(/), 2, 3)", "not(//a)", "ancestor-or-self::*[1]", "//comment()", "reverse(//book)", "string-join(//book, ',')"} {
		f.Add(path, doc)
	}
	f.Add("//a[", "<a")
	f.Add("/", "<a>"+strings.Repeat("<b>x</b>", 200)+"</a>")
	f.Fuzz(func(t *testing.T, path, doc string) {
		start := time.Now()
		text := "<+xml.select(path, doc)>"
		v, err := expr.Render(text, scope{"path": path, "doc": doc})
		if err != nil {
			checkError(t, text, err)
		} else if s, ok := v.(string); !ok || len(s) > expr.MaxResult {
			t.Errorf("xml.select(%q) = %.100v", path, v)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %v", path, took)
		}
	})
}

func checkError(t *testing.T, text string, err error) {
	t.Helper()
	offset := 0
	if positioned, ok := errors.AsType[*expr.Error](err); ok {
		offset = positioned.Offset
		if positioned.Within != "" {
			return
		}
		switch positioned.Kind {
		case fault.Invalid, fault.Unsupported, fault.TooLarge:
		default:
			t.Errorf("kind %v: %v", positioned.Kind, err)
		}
	} else if unresolved, ok := errors.AsType[*expr.UnresolvedError](err); ok {
		offset = unresolved.Offset
	} else if !errors.Is(err, errNeed) {
		t.Errorf("no position: %v", err)
	}
	if offset < 0 || offset > utf8.RuneCountInString(text) {
		t.Errorf("offset %d outside of %q", offset, text)
	}
}
