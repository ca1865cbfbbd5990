package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipway-cd/slipway/shared/expr"
)

func TestTextWithoutExpressionsIsReturnedAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "<+", "< +")
		got, err := expr.Render(text, nil)
		if err != nil || got != text {
			t.Fatalf("Render(%q) = %q, %v", text, got, err)
		}
	})
}

// sum draws an integer expression and its value; spelled differs in spaces,
// brackets and delimiters only.
func sum(t *rapid.T, depth int) (src string, value int64) {
	if depth == 0 || rapid.Bool().Draw(t, "leaf") {
		n := rapid.Int64Range(0, 99).Draw(t, "n")
		return fmt.Sprint(n), n
	}
	left, a := sum(t, depth-1)
	right, b := sum(t, depth-1)
	space := rapid.SampledFrom([]string{"", " ", "\n "}).Draw(t, "space")
	open, closing := "(", ")"
	if rapid.Bool().Draw(t, "nested") {
		open, closing = "<+", ">"
	}
	join := func(op string) string { return open + left + space + op + space + right + closing }
	switch rapid.IntRange(0, 3).Draw(t, "op") {
	case 0:
		return join("+"), a + b
	case 1:
		return join("-"), a - b
	case 2:
		return join("*"), a * b
	}
	if b == 0 {
		return right, b
	}
	return join("/"), a / b
}

func TestIntegerArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, want := sum(t, 4)
		got, err := expr.Render("<+"+src+">", nil)
		if err != nil || got != want {
			t.Fatalf("<+%s> = %v, %v; want %d", src, got, err, want)
		}
	})
}

func TestNestingChangesNothing(t *testing.T) {
	values := map[string]any{
		"n": int64(3), "s": "a.b", "num": "1.5", "t": true, "nil": nil, "l": []any{int64(1), "x"},
		"tm": expr.Template("<+n>"), "m": ordered("k", "v"),
	}
	s := scope(values)
	operand := rapid.SampledFrom([]string{"n", "s", "num", "t", "nil", "l", "tm", "m", "m.k", "l[0]", "unknown", `"q"`, "2"})
	operator := rapid.SampledFrom([]string{"+", "==", "!=", "&&", "||", "?:", "??", "=~", "-", "<", ">="})
	rapid.Check(t, func(t *rapid.T) {
		a, b, op := operand.Draw(t, "a"), operand.Draw(t, "b"), operator.Draw(t, "op")
		flat, flatErr := expr.Render(fmt.Sprintf("<+%s %s %s>", a, op, b), s)
		for _, form := range []string{"<+<+%s> %s <+%s>>", "<+<+%s %s %s>>", "<+ ( %s %s %s ) >", "<+ <+ <+%s> > %s %s >"} {
			got, err := expr.Render(fmt.Sprintf(form, a, op, b), s)
			if (err == nil) != (flatErr == nil) || !cmp.Equal(got, flat, cmp.AllowUnexported(expr.Map{})) {
				t.Fatalf("%s: %v, %v; flat %v, %v", fmt.Sprintf(form, a, op, b), got, err, flat, flatErr)
			}
		}
	})
}

func TestJSONSurvivesARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.Map(rapid.String(), func(v string) any { return v }),
			rapid.Map(rapid.Int64(), func(v int64) any { return v }),
			rapid.Map(rapid.Bool(), func(v bool) any { return v }),
		)).Draw(t, "map")
		s := scope{"m": m}
		got, err := expr.Render("<+json.object(json.format(m)) == m>", s)
		if err != nil || got != true {
			t.Fatalf("%v: %v, %v", m, got, err)
		}
	})
}

// What the control plane leaves and the delegate finishes equals what one place
// computes.
func TestDeferringChangesNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"<+a>", "<+late>", "<+a + late>", `<+late == "<+a>" ? a : late>`, `<+"<+a>|<+late>">`,
		"<+[a, late]>", "<+a.concat(late)>", "<", "+", ">", "text", `<+tm>`, `<+tm + a>`, `<+{k: tm}>`,
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "parts"), "")
		if strings.Contains(strings.NewReplacer("<+a", "", "<+l", "", `<+"`, "", "<+[", "", "<+t", "", "<+{", "").Replace(text), "<+") {
			t.Skip("the parts form an expression where they meet")
		}
		all := scope{
			"a":    rapid.StringOf(rapid.RuneFrom([]rune(`<+>"'\ab${}é`))).Draw(t, "a"),
			"late": rapid.StringOf(rapid.RuneFrom([]rune(`<+>"x`))).Draw(t, "late"),
			"tm":   expr.Template("t<+late>"),
		}
		want, err := expr.RenderString(text, all)
		if err != nil {
			t.Skip(err)
		}
		early := scope{"a": all["a"], "tm": all["tm"]}
		left, err := expr.RenderString(text, early, expr.Defer("late"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := expr.RenderString(left, scope{"late": all["late"]})
		if err != nil || got != want {
			t.Fatalf("%s\nleft %s\n got %s, %v\nwant %s", text, left, got, err, want)
		}
	})
}
