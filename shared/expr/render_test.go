package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestObjectErrorIsUnchanged(t *testing.T) {
	for _, text := range []string{
		"<+other.outputs.x>",
		"a <+other.outputs.x> b",
		"<+pipeline.stages.<+other.name>.status>",
		`<+other.x ?: "default">`,
		"<+empty other.x>",
		`<+json.format(other.x)>`,
		`<+other.containsKey("x")>`,
		"<+expression.isResolved(other.x)>",
	} {
		if _, err := expr.Render(text, demo()); err != errNeed { //nolint:errorlint // unchanged is the point
			t.Errorf("Render(%s) = %v, want the object's own error", text, err)
		}
	}
	if _, err := expr.Condition("<+other.x> == 1", demo()); !errors.Is(err, errNeed) {
		t.Errorf("Condition = %v, want the object's own error", err)
	}
}

func TestUnresolvedNamesPathAndPlace(t *testing.T) {
	_, err := expr.Render("ü <+pipeline.name> <+nowhere.a.b + 1>", demo())
	got, ok := errors.AsType[*expr.UnresolvedError](err)
	if !ok {
		t.Fatalf("error = %v", err)
	}
	if diff := cmp.Diff(&expr.UnresolvedError{Path: "nowhere.a.b", Offset: 21, Line: 1, Column: 22}, got); diff != "" {
		t.Error(diff)
	}
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("kind = %v", fault.KindOf(err))
	}
}

func TestObjectMayReportUnresolved(t *testing.T) {
	s := scope{"stage": lazy{get: func(key string) (any, bool, error) {
		return nil, false, &expr.UnresolvedError{Path: "stage." + key}
	}}}
	if got, err := expr.Condition(`<+stage.nope> == "x"`, s); got || err != nil {
		t.Errorf("Condition = %v, %v; want false", got, err)
	}
	if got, err := expr.Render(`<+stage.nope ?? 1>`, s); got != int64(1) || err != nil {
		t.Errorf("Render = %v, %v; want 1", got, err)
	}
}

func TestErrorKinds(t *testing.T) {
	tests := map[string]struct {
		text string
		kind fault.Kind
	}{
		"syntax":          {"<+1 +>", fault.Invalid},
		"type":            {`<+"x" * 2>`, fault.Invalid},
		"statement":       {"<+do { 1 } while (true)>", fault.Unsupported},
		"look-around":     {`<+"x".matches("(?<=a)b")>`, fault.Unsupported},
		"source":          {"<+" + strings.Repeat("1+", expr.MaxSource) + "1>", fault.TooLarge},
		"nesting":         {strings.Repeat("<+", 51) + "1" + strings.Repeat(">", 51), fault.TooLarge},
		"brackets":        {"<+" + strings.Repeat("[", 50) + strings.Repeat("]", 50) + ">", fault.TooLarge},
		"prefixes":        {"<+" + strings.Repeat("!", 5000) + "true>", fault.TooLarge},
		"ternaries":       {"<+" + strings.Repeat("true?1:", 5000) + "2>", fault.TooLarge},
		"result":          {"<+'" + strings.Repeat("x", 60_000) + "'.repeat(5)>", fault.TooLarge},
		"concatenation":   {"<+big + big>", fault.TooLarge},
		"splice":          {"<+big><+big>", fault.TooLarge},
		"replace":         {"<+big.replace('x', big)>", fault.TooLarge},
		"replaceAll":      {"<+big.replaceAll('x', big)>", fault.TooLarge},
		"join":            {"<+''.join(big, [1, 2, 3])>", fault.TooLarge},
		"concat":          {"<+big.concat(big)>", fault.TooLarge},
		"format":          {"<+''.format('%s%s', big, big)>", fault.TooLarge},
		"regex":           {"<+big.matches('(" + strings.Repeat("x{100}", 8) + "){9}')>", fault.TooLarge},
		"quadratic regex": {"<+big.replaceAll('.*y|x', 'z')>", fault.TooLarge},
		"quadratic split": {"<+big.split('(x*y)*')>", fault.TooLarge},
		"steps":           {"<+bomb0>", fault.TooLarge},
		"template cycle":  {"<+pipeline.variables.cycleA>", fault.Invalid},
		"scope's mistake": {"<+channel>", fault.Internal},
	}
	s := demo()
	s["big"] = strings.Repeat("x", 200_000)
	s["channel"] = make(chan int)
	for _, n := range "01234567" {
		s["bomb"+string(n)] = expr.Template(strings.Repeat("<+bomb"+string(n+1)+">", 20))
	}
	s["bomb8"] = "x"
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := expr.Render(tc.text, s)
			if err == nil || fault.KindOf(err) != tc.kind {
				t.Fatalf("kind %v of error %.200v, want %v", fault.KindOf(err), err, tc.kind)
			}
			if len(err.Error()) > 600 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestBoundsAreInclusive(t *testing.T) {
	big := scope{"x": strings.Repeat("x", expr.MaxResult-1)}
	if got, err := expr.RenderString("<+x>y", big); err != nil || len(got) != expr.MaxResult {
		t.Errorf("a result of MaxResult bytes: %d, %v", len(got), err)
	}
	if _, err := expr.RenderString("<+x>yy", big); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a result of one byte more: %v", err)
	}
	source := func(size int) string { return "<+'" + strings.Repeat("x", size-5) + "'>" }
	if _, err := expr.Render(source(expr.MaxSource), big); err != nil {
		t.Errorf("a source of MaxSource bytes: %v", err)
	}
	if _, err := expr.Render(source(expr.MaxSource+1), big); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a source of one byte more: %v", err)
	}
	deep := strings.Repeat("<+", expr.MaxNesting) + "1" + strings.Repeat(">", expr.MaxNesting)
	if got, err := expr.Render(deep, big); got != int64(1) || err != nil {
		t.Errorf("nesting of MaxNesting: %v, %v", got, err)
	}
}

func TestElementsThatAreTemplatesAreCompared(t *testing.T) {
	for _, text := range []string{
		`<+pipeline.variables.nested.list.contains(3)>`,
		`<+pipeline.variables.nested.values().indexOf("demo") == 0>`,
		`<+pipeline.variables.nested.containsValue("demo")>`,
		`<+3 =~ pipeline.variables.nested.list>`,
	} {
		if got, err := expr.Render(text, demo()); got != true || err != nil {
			t.Errorf("Render(%s) = %v, %v", text, got, err)
		}
	}
}

// An Object that gives itself whole may hold templates; they are rendered wherever
// it is written.
func TestObjectsAreWrittenRendered(t *testing.T) {
	s := demo()
	s["vars"] = whole{ordered("who", expr.Template("<+pipeline.name>"), "in", whole{ordered("n", expr.Template("<+pipeline.variables.count>"))})}
	for text, want := range map[string]string{
		"<+vars>":                   "{who=demo, in={n=3}}",
		"x <+vars>":                 "x {who=demo, in={n=3}}",
		`<+"x <+vars>">`:            "x {who=demo, in={n=3}}",
		`<+"x " + vars>`:            "x {who=demo, in={n=3}}",
		"<+json.format(vars)>":      `{"who":"demo","in":{"n":3}}`,
		"<+json.format([vars.in])>": `[{"n":3}]`,
	} {
		if got, err := expr.RenderString(text, s); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", text, got, err, want)
		}
	}
	s["late"] = whole{ordered("v", expr.Template("<+httpResponseCode>"))}
	if got, err := expr.Render("<+late>", s, expr.Defer("httpResponseCode")); err == nil {
		t.Errorf("an object that only the delegate knows: %v", got)
	}
}

func TestPlainStringsAreNeverEvaluated(t *testing.T) {
	s := demo()
	evil := `<+secrets.getValue("prod")>`
	s["output"] = map[string]any{"v": evil, "list": []any{evil}, "json": `{"k":"<+pipeline.name>"}`}
	s["wrapped"] = expr.Template("got <+output.v>")
	tests := map[string]string{
		"<+output.v>":                         evil,
		"a <+output.v>":                       "a " + evil,
		`<+"x<+output.v>">`:                   "x" + evil,
		"<+<+output.v>>":                      evil,
		"<+output.v.trim()>":                  evil,
		"<+output.list>":                      "[" + evil + "]",
		"<+wrapped>":                          "got " + evil,
		`<+json.object(output.json).k>`:       "<+pipeline.name>",
		`<+json.select("k", output.json)>`:    "<+pipeline.name>",
		`<+output.v + "" >`:                   evil,
		`<+[output.v][0]>`:                    evil,
		`<+true ? output.v : 1>`:              evil,
		`<+output.v.replace("prod","other")>`: `<+secrets.getValue("other")>`,
	}
	for text, want := range tests {
		got, err := expr.RenderString(text, s)
		if err != nil || got != want {
			t.Errorf("RenderString(%s) = %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := map[string]struct {
		v    any
		want string
	}{
		"null":          {nil, "null"},
		"integral":      {3.0, "3"},
		"negative zero": {-1.0 * zero, "0"},
		"decimal":       {2.5, "2.5"},
		"small":         {0.00012, "1.2E-4"},
		"large":         {12345678.5, "1.23456785E7"},
		"huge":          {1e22, "1.0E22"},
		"plain map":     {map[string]any{"b": 1, "a": []any{"x", nil}}, "{a=[x, null], b=1}"},
		"ordered map":   {ordered("b", 1, "a", true), "{b=1, a=true}"},
		"strings":       {[]string{"a", "b"}, "[a, b]"},
		"secret":        {expr.Secret{Ref: `a"b`}, `${ngSecretManager.obtain("a\"b")}`},
		"object":        {whole{ordered("k", "v")}, "{k=v}"},
		"opaque object": {lazy{}, "{}"},
		"integer":       {uint8(7), "7"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := expr.Format(tc.v); got != tc.want {
				t.Errorf("Format = %s, want %s", got, tc.want)
			}
		})
	}
}

var zero = 0.0

func TestMapKeepsOrder(t *testing.T) {
	m := ordered("z", 1, "a", 2)
	m.Set("z", 3)
	data, err := m.MarshalJSON()
	if err != nil || string(data) != `{"z":3,"a":2}` || m.Len() != 2 {
		t.Errorf("MarshalJSON = %s, %v", data, err)
	}
}

func TestRefs(t *testing.T) {
	text := `é <+pipeline.variables.x> <+stages["a b"].list[0].<+y.z>.t>` +
		` <+secrets.getValue("k")> <+json.select("a", httpResponseBody.b)> <+"q<+w.e>">`
	got, err := expr.Refs(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []expr.Path{
		{Names: []string{"pipeline", "variables", "x"}, Offset: 4},
		{Names: []string{"stages", "a b", "list", "0"}, Dynamic: true, Offset: 28},
		{Names: []string{"y", "z"}, Offset: 52},
		{Names: []string{"secrets"}, Method: "getValue", Args: []any{"k"}, Offset: 62},
		{Names: []string{"httpResponseBody", "b"}, Offset: 104},
		{Names: []string{"w", "e"}, Offset: 131},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, p := range got {
		first := p.Names[0]
		if !strings.HasPrefix(string([]rune(text)[p.Offset:]), first) {
			t.Errorf("%s is not at %d", first, p.Offset)
		}
	}
}

func TestRefsLeaveOutVariables(t *testing.T) {
	got, err := expr.Refs(`<+var x = a.b; f = y -> y.z + c; for (v : d) { x.e = v.e } x + f(g, () -> 1)> <+x.h>`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range got {
		names = append(names, p.String())
	}
	if diff := cmp.Diff([]string{"a.b", "c", "d", "g", "x.h"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRefsGoesOnAfterAnError(t *testing.T) {
	got, err := expr.Refs("<+a.b> <+*> <+c>")
	if err == nil || len(got) != 2 || got[1].String() != "c" {
		t.Errorf("Refs = %v, %v", got, err)
	}
	got, err = expr.ConditionRefs(`<+a.b> == "x" && currentTime() > d`)
	if err != nil || len(got) != 3 || got[1].Method != "currentTime" || got[2].String() != "d" {
		t.Errorf("ConditionRefs = %v, %v", got, err)
	}
}
