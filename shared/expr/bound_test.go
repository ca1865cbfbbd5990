package expr_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestBlowUps holds that small sources cannot make much work or memory: each is
// refused, having allocated no more than a few times the bound.
func TestBlowUps(t *testing.T) {
	s := demo()
	s["big"] = strings.Repeat("x", 200_000)
	s["json"] = "[" + strings.Repeat("{},", 80_000) + "{}]"
	s["xml"] = "<a>" + strings.Repeat("<b/>", 50_000) + "</a>"
	s["deepJSON"] = strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	s["deepXML"] = strings.Repeat("<a>", 5000) + strings.Repeat("</a>", 5000)
	tests := map[string]string{
		"endless loop":          "while (true) {}",
		"doubled string":        `s = "x"; while (true) { s = s + s }`,
		"kept strings":          `l = []; while (true) { l.add(big + l.size()) }`,
		"kept slices":           `l = []; while (true) { l.add(big.split("")) }`,
		"kept matches":          `l = []; while (true) { l.add(big.split("x*?")) }`,
		"kept documents":        `l = []; while (true) { l.add(json.object(json)) }`,
		"kept maps":             `m = {}; i = 0; while (true) { i += 1; m.put(i, {a: i, b: [i]}) }`,
		"doubled list":          `l = [1]; while (true) { l.addAll(l) }`,
		"list in a list":        `l = [1]; while (true) { l = [l, l] }`,
		"nested text":           `l = [1]; for (i : 1..40) { l = [l, l] } "" + l`,
		"nested JSON":           `l = [1]; for (i : 1..40) { l = [l, l] } json.format(l)`,
		"nested equality":       `l = [1]; k = [1]; for (i : 1..40) { l = [l, l]; k = [k, k] } l == k`,
		"doubled map":           `m = {a: 1}; while (true) { m.put("x" + m.size(), m) ; m.toString() }`,
		"many entries":          `m = {}; for (i : 1..90000) { m.put(i, m.entrySet()) }`,
		"copied list":           `l = 1..50000; for (i : 1..1000) { l.add(1); l.size() }`,
		"functions":             `f = (g, n) -> g(g, n) + g(g, n); f(f, 1)`,
		"many calls":            `f = n -> n == 0 ? 1 : f(n - 1) + f(n - 1); f(45)`,
		"range":                 "0..99999999",
		"many ranges":           `l = []; for (i : 1..100) { l.add(1..9000) }`,
		"regex over the text":   `while (true) { big.replaceAll("(x+x+)+y", "z") }`,
		"repeated repeat":       `"x".repeat(200000).repeat(200000)`,
		"replace by itself":     `s = "xx"; while (true) { s = s.replace("x", s) }`,
		"join of joins":         `l = ["x"]; while (true) { l = ["".join("", [l, l])] }`,
		"format":                `"".format("%1000s".repeat(300), ` + strings.Repeat("1,", 299) + `1)`,
		"many paths":            `json.select("$..*..*..[?(@.a)]", json)`,
		"XPath":                 `xml.select("count(//*[//*[//*]])", xml)`,
		"XPath of text":         `xml.select("concat(` + strings.Repeat("/,", 400) + `/)", xml)`,
		"XML read again":        `while (true) { xml.select("/a", xml) }`,
		"deep JSON":             `json.object(deepJSON)`,
		"deep XML":              `xml.select("/a", deepXML)`,
		"deep blocks":           strings.Repeat("if (true) {", 60) + strings.Repeat("}", 60),
		"deep ifs":              strings.Repeat("if (true) ", 5000) + "1",
		"deep functions":        strings.Repeat("x -> ", 5000) + "1",
		"deep maps":             strings.Repeat("{a:", 60) + "1" + strings.Repeat("}", 60),
		"deep assignment":       "var x = " + strings.Repeat("!", 5000) + "1",
		"long source":           strings.Repeat("1;", expr.MaxSource),
		"deep target":           "var x = {}; x" + strings.Repeat(".a", 20_000) + " = 1; while (true) {}",
		"literal in a function": `f = () -> [` + strings.Repeat("1,", 1000) + `1]; l = []; while (true) { l.add(f()) }`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := expr.Eval(src, s)
			runtime.ReadMemStats(&after)
			if fault.KindOf(err) != fault.TooLarge && !(name == "deep target" && fault.Is(err, fault.Invalid)) {
				t.Errorf("%.80s = %.80v, %.300v", src, v, err)
			}
			if want := bounds[name]; want != "" && !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%.80s: %.300v; want the bound %s", src, err, want)
			}
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 400 {
				t.Errorf("%.80s allocated %d MB", src, made)
			}
			if err != nil && len(err.Error()) > 600 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

// bounds are those that stop a case first, where it matters.
var bounds = map[string]string{
	"endless loop": "100000 steps", "doubled string": "256 KB", "kept strings": "64 MB", "kept documents": "64 MB",
	"XML read again": "64 MB", "functions": "50 deep", "deep blocks": "nest 50 deep", "long source": "65536 bytes",
	"deep XML": "1000 deep", "deep JSON": "1000 deep",
}

// What is within the bounds works.
func TestLargeButAllowed(t *testing.T) {
	s := demo()
	s["json"] = `{"items":[` + strings.Repeat(`{"name":"x","n":1},`, 2000) + `{"name":"last","n":2}]}`
	tests := map[string]string{
		`n = 0; for (i : 1..9000) { n += i } n`:                          "40504500",
		`l = []; for (i : 1..9000) { l.add("item " + i) } l.size()`:      "9000",
		`m = {}; for (i : 1..5000) { m.put("k" + i, i) } m.k5000`:        "5000",
		`json.select("items[?(@.n == 2)].name", json)`:                   "[last]",
		`n = 0; for (x : json.object(json).items) { n += x.n } n`:        "2002",
		`"x".repeat(262144).length()`:                                    "262144",
		`f = n -> n == 0 ? 0 : 1 + f(n - 1); f(49)`:                      "49",
		`("".join(",", 1..9000)).split(",").size()`:                      "9000",
		`xml.select("count(//b)", "<a>" + "<b/>".repeat(5000) + "</a>")`: "5000",
	}
	for src, want := range tests {
		v, err := expr.Eval(src, s)
		if err != nil || expr.Format(v) != want {
			t.Errorf("%s = %.80v, %v; want %s", src, expr.Format(v), err, want)
		}
	}
}
