package expr

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// opText is how operators are written.
var opText = map[op]string{
	opOr: "||", opAnd: "&&", opEq: "==", opNe: "!=", opLt: "<", opGt: ">", opLe: "<=", opGe: ">=", opMatch: "=~", opNoMatch: "!~",
	opStarts: "=^", opNoStart: "!^", opEnds: "=$", opNoEnd: "!$", opAdd: "+", opSub: "-", opMul: "*", opDiv: "/", opMod: "%",
	opRange: "..", opNot: "!", opNeg: "-", opPlus: "+", opEmpty: "empty ", opSize: "size", opElvis: "?:", opCoalesce: "??",
}

// printed writes a tree as source.
func printed(n *node) string {
	switch n.kind {
	case kLit:
		return printedLiteral(n.val)
	case kText:
		return fmt.Sprint(n.val)
	case kStr:
		var b strings.Builder
		for _, part := range n.list {
			if part.kind == kText {
				b.WriteString(escaped(fmt.Sprint(part.val), '"'))
			} else {
				b.WriteString(printed(part))
			}
		}
		return `"` + b.String() + `"`
	case kName:
		return printedName(n)
	case kProp:
		return printed(n.x) + "." + printedName(n)
	case kIndex:
		return printed(n.x) + "[" + printed(n.y) + "]"
	case kCall:
		on := ""
		if n.x != nil {
			on = printed(n.x) + "."
		}
		return on + n.name + "(" + printedList(n.list) + ")"
	case kNested:
		return "<+" + printed(n.x) + ">"
	case kParen:
		return "(" + printed(n.x) + ")"
	case kUnary:
		return opText[n.op] + printed(n.x)
	case kBinary, kElse:
		return printed(n.x) + " " + opText[n.op] + " " + printed(n.y)
	case kCond:
		return printed(n.x) + " ? " + printed(n.y) + " : " + printed(n.z)
	case kList:
		return "[" + printedList(n.list) + "]"
	case kSet:
		return "{" + printedList(n.list) + "}"
	case kMap:
		var pairs []string
		for i := 0; i < len(n.list); i += 2 {
			pairs = append(pairs, printed(n.list[i])+": "+printed(n.list[i+1]))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	return printedStatement(n)
}

func printedStatement(n *node) string {
	switch n.kind {
	case kSeq:
		var parts []string
		for _, s := range n.list {
			parts = append(parts, printed(s))
		}
		return strings.Join(parts, "; ")
	case kVar:
		if n.x == nil {
			return "var " + n.name
		}
		return "var " + n.name + " = " + printed(n.x)
	case kAssign:
		op := ""
		if n.op != opNone {
			op = opText[n.op]
		}
		return printed(n.x) + " " + op + "= " + printed(n.y)
	case kIf:
		s := "if " + printed(n.x) + " " + printedBody(n.y)
		if n.z != nil {
			s += "; else " + printedBody(n.z)
		}
		return s
	case kFor:
		return "for (" + n.name + " : " + printed(n.x) + ") " + printedBody(n.y)
	case kWhile:
		return "while " + printed(n.x) + " " + printedBody(n.y)
	case kFunc:
		return "(" + strings.Join(n.val.([]string), ", ") + ") -> " + printedBody(n.y)
	case kReturn:
		if n.x == nil {
			return "return"
		}
		return "return " + printed(n.x)
	case kBreak:
		return "break"
	}
	return "continue"
}

func printedBody(n *node) string {
	if n.kind == kSeq {
		return "{ " + printed(n) + " }"
	}
	return printed(n)
}

func printedLiteral(v any) string {
	if d, ok := v.(float64); ok {
		return strconv.FormatFloat(d, 'e', -1, 64)
	}
	text, _ := literal(v, 0)
	return text
}

func printedName(n *node) string {
	if n.list == nil {
		p := parser{src: n.name}
		if p.word() != n.name && strings.TrimLeft(n.name, "0123456789") != "" {
			return `"` + escaped(n.name, '"') + `"`
		}
		return n.name
	}
	var b strings.Builder
	for _, part := range n.list {
		b.WriteString(printed(part))
	}
	return b.String()
}

func printedList(list []*node) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, printed(n))
	}
	return strings.Join(parts, ", ")
}

// shape is a tree without its places.
func shape(n *node) string {
	if n == nil {
		return "_"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(%d %d %q %v %s %s %s", n.kind, n.op, n.name, n.val, shape(n.x), shape(n.y), shape(n.z))
	for _, c := range n.list {
		b.WriteString(" " + shape(c))
	}
	return b.String() + ")"
}

// again parses, prints and parses: the trees are to be the same.
func again(text string) (first, second string, err error) {
	n, err := parseAt(text, 0)
	if err != nil {
		return "", "", err
	}
	src := printed(n)
	m, err := parseAt(src, 0)
	if err != nil {
		return "", "", fmt.Errorf("%s printed as %s: %w", text, src, err)
	}
	if m.end != len(src) {
		return "", "", fmt.Errorf("%s printed as %s, which ends at %d", text, src, m.end)
	}
	return shape(n), shape(m), nil
}

// TestPrintedCasesParseTheSame takes every expression of the golden tables.
func TestPrintedCasesParseTheSame(t *testing.T) {
	seen := 0
	for _, file := range []string{"testdata/cases.txt", "testdata/scripts.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			text, _, _ := strings.Cut(line, " => ")
			i := strings.Index(text, "<+")
			if i < 0 {
				continue
			}
			if _, err := parseAt(text, i); err != nil {
				continue // a case of a syntax error
			}
			seen++
			first, second, err := again(text[i:])
			if err != nil {
				t.Error(err)
			} else if first != second {
				t.Errorf("%s\n first %s\nsecond %s", text, first, second)
			}
		}
	}
	if seen < 350 {
		t.Errorf("%d expressions only", seen)
	}
}

// source draws the source of an expression that parses.
func source(t *rapid.T, depth int) string {
	draw := func(forms ...string) string { return rapid.SampledFrom(forms).Draw(t, "form") }
	if depth <= 0 {
		return draw("a", "pipeline.name", "1", "2.5", `"s"`, `'q"'`, "true", "null", `a["k k"]`, `a."k.k"`, "f()", `"<\u003c+"`)
	}
	sub := func() string { return source(t, depth-1) }
	in := func() string { return "(" + sub() + ")" }
	switch draw("leaf", "binary", "cond", "list", "map", "set", "call", "nested", "string", "lambda", "index", "unary", "computed") {
	case "binary":
		return in() + " " + draw("+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "=~", "!~", "=^", "=$", "..", "??", "?:", "and", "lt") + " " + in()
	case "cond":
		return in() + "?" + in() + ":" + in()
	case "list":
		return "[" + sub() + ", " + sub() + draw("", ", ...") + "]"
	case "map":
		return "{k: " + in() + `, "k k": ` + in() + ", 3: " + in() + "}"
	case "set":
		return "{" + in() + draw("", ", 1") + "}"
	case "call":
		return in() + ".m(" + sub() + ")"
	case "nested":
		return "<+" + sub() + ">"
	case "string":
		return `"x<+` + sub() + `>y"`
	case "lambda":
		return "((x, y) -> " + in() + ")"
	case "index":
		return in() + "[" + sub() + "]"
	case "unary":
		return draw("!", "-", "not ", "empty ", "size") + in()
	case "computed":
		return "a.b<+" + sub() + ">c"
	}
	return source(t, 0)
}

// sentences draws the source of a script.
func sentences(t *rapid.T, depth int) string {
	var parts []string
	for range rapid.IntRange(1, 3).Draw(t, "n") {
		x := func() string { return source(t, depth-1) }
		body := func() string {
			if depth > 1 {
				return "{ " + sentences(t, depth-1) + " }"
			}
			return "{ a }"
		}
		switch rapid.IntRange(0, 6).Draw(t, "statement") {
		case 0:
			parts = append(parts, "var x = "+x())
		case 1:
			parts = append(parts, "y.z"+rapid.SampledFrom([]string{" = ", " += ", "%="}).Draw(t, "op")+x())
		case 2:
			parts = append(parts, "if ("+x()+") "+body()+rapid.SampledFrom([]string{"", " else " + body()}).Draw(t, "else"))
		case 3:
			parts = append(parts, "for (x : "+x()+") "+body())
		case 4:
			parts = append(parts, "while ("+x()+") "+body())
		case 5:
			parts = append(parts, "return "+x())
		default:
			parts = append(parts, x())
		}
	}
	return strings.Join(parts, "; ")
}

func TestPrintedScriptsParseTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "<+" + sentences(t, 3) + ">"
		first, second, err := again(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if first != second {
			t.Fatalf("%s\n first %s\nsecond %s", text, first, second)
		}
	})
}

// What is drawn evaluates or is refused, within the bounds, and never panics.
func TestDrawnScriptsAreBounded(t *testing.T) {
	scope := names{"a": "s", "pipeline": map[string]any{"name": "demo"}, "y": []any{int64(1)}, "f": Func(func([]any) (any, error) { return "f", nil })}
	rapid.Check(t, func(t *rapid.T) {
		text := "<+" + sentences(t, 3) + ">"
		ev := newEvaluator(scope, nil)
		_, err := ev.render(text)
		if ev.steps > MaxSteps+MaxResult || ev.made > MaxMemory+MaxResult {
			t.Fatalf("%s took %d steps and made %d bytes", text, ev.steps, ev.made)
		}
		if err != nil && Caret(text, err) == "" && !strings.Contains(err.Error(), "of the value of") {
			t.Fatalf("%s: no place: %v", text, err)
		}
	})
}
