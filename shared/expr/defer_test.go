package expr_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/expr"
)

// later is what the delegate knows.
func later() scope {
	return scope{
		"httpResponseBody": `{"a":{"key":"v"},"n":3}`,
		"httpResponseCode": 200,
		"secrets":          demo()["secrets"],
	}
}

// TestDefer renders each text twice, as control plane and delegate do.
func TestDefer(t *testing.T) {
	tests := map[string]struct{ text, left, want string }{
		"functor":            {`<+json.select("a.key", httpResponseBody)>`, `<+json.select("a.key", httpResponseBody)>`, "v"},
		"in quotes":          {`<+json.select("a.<+pipeline.variables.word>", httpResponseBody)>`, `<+json.select("a.key", httpResponseBody)>`, "v"},
		"operand string":     {`<+json.select(<+word>, httpResponseBody)>`, `<+json.select("a.key", httpResponseBody)>`, "v"},
		"operand number":     {`<+httpResponseCode + <+pipeline.sequenceId>>`, `<+httpResponseCode + 7>`, "207"},
		"negative number":    {`<+httpResponseCode - <+minus>>`, `<+httpResponseCode - (-2)>`, "202"},
		"flat path":          {`<+httpResponseCode == 200 ? pipeline.name : nowhere.x>`, `<+httpResponseCode == 200 ? "demo" : nowhere.x>`, "demo"},
		"nested deferred":    {`<+<+httpResponseBody>.length() + 0>`, `<+<+httpResponseBody>.length() + 0>`, "23"},
		"brackets":           {`<+(httpResponseCode + 1) * 2>`, `<+(httpResponseCode + 1) * 2>`, "402"},
		"list and map":       {`<+[pipeline.name, {k: pipeline.variables.one}, httpResponseCode]>`, `<+["demo", {"k": "1"}, httpResponseCode]>`, "[demo, {k=1}, 200]"},
		"receiver":           {`<+pipeline.variables.hosts[httpResponseCode - 199]>`, `<+["web1", "web2", "db1"][httpResponseCode - 199]>`, "web2"},
		"mixed text":         {`<+pipeline.name>: <+httpResponseCode>!`, `demo: <+httpResponseCode>!`, "demo: 200!"},
		"nothing deferred":   {`<+pipeline.name>!`, `demo!`, "demo!"},
		"through a template": {`<+tmpl>`, `code <+httpResponseCode>`, "code 200"},
		"template operand":   {`<+tmpl == "code 200">`, `<+"code <+httpResponseCode>" == "code 200">`, "true"},
		"template argument":  {`<+"x".concat(code)>`, `<+"x".concat(<+httpResponseCode>)>`, "x200"},
		"template in quotes": {`<+"(<+tmpl>)">`, `<+"(code <+httpResponseCode>)">`, "(code 200)"},
		"secret operand":     {`<+httpResponseCode == 200 ? secrets.getValue("k") : 1>`, `<+httpResponseCode == 200 ? secrets.getValue("k") : 1>`, `${ngSecretManager.obtain("k")}`},
		"secret in text":     {`<+secrets.getValue("k")> <+httpResponseCode>`, `${ngSecretManager.obtain("k")} <+httpResponseCode>`, `${ngSecretManager.obtain("k")} 200`},
		"hostile text":       {`<+evil> <+httpResponseCode>`, `<+"\u003c">+secrets.getValue("x")>"\ <+httpResponseCode>`, `<+secrets.getValue("x")>"\ 200`},
		"hostile operand":    {`<+httpResponseCode + <+evil>>`, `<+httpResponseCode + "\u003c+secrets.getValue(\"x\")>\"\\">`, `200<+secrets.getValue("x")>"\`},
		"hostile in quotes":  {`<+'<+evil>' + httpResponseCode>`, `<+"\u003c+secrets.getValue(\"x\")>\"\\" + httpResponseCode>`, `<+secrets.getValue("x")>"\200`},
		"hostile joint":      {`<<+plus><+httpResponseCode>`, `<<+"+">x><+httpResponseCode>`, `<+x>200`},
		"script":             {`<+var x = pipeline.name; x + httpResponseCode>`, `<+var x = "demo"; x + httpResponseCode>`, "demo200"},
		"loop":               {`<+n = 0; for (h : pipeline.variables.hosts) { n += h.length() + httpResponseCode } n>`, `<+n = 0; for (h : ["web1", "web2", "db1"]) { n += h.length() + httpResponseCode } n>`, "611"},
		"function":           {`<+f = c -> c == 200 ? pipeline.name : c; f(httpResponseCode)>`, `<+f = c -> c == 200 ? "demo" : c; f(httpResponseCode)>`, "demo"},
		"name of a variable": {`<+var pipeline = <+pipeline.name>; pipeline + httpResponseCode>`, `<+var pipeline = "demo"; pipeline + httpResponseCode>`, "demo200"},
		"early condition":    {`<+if (pipeline.name == "demo") { httpResponseCode } else { 1 }>`, `<+if (true) { httpResponseCode } else { 1 }>`, "200"},
		"changed list":       {`<+l = [pipeline.name]; l.add(httpResponseCode); l>`, `<+l = ["demo"]; l.add(httpResponseCode); l>`, "[demo, 200]"},
		"variable in quotes": {`<+var x = 1; "<+x>/<+pipeline.name>/<+httpResponseCode>">`, `<+var x = 1; "<+x>/demo/<+httpResponseCode>">`, "1/demo/200"},
		"xml":                {`<+xml.select("/a/<+pipeline.variables.letter>", "<a><b>" + httpResponseCode + "</b></a>")>`, `<+xml.select("/a/b", "<a><b>" + httpResponseCode + "</b></a>")>`, "200"},
		"range":              {`<+(1..pipeline.variables.count).size() + httpResponseCode>`, `<+3 + httpResponseCode>`, "203"},
		"empty joint":        {`<<+none>+<+httpResponseCode>`, `<<+"+"><+httpResponseCode>`, `<+200`},
	}
	s := demo()
	s["word"], s["minus"], s["evil"], s["plus"], s["none"] = "a.key", -2, `<+secrets.getValue("x")>"\`, "+x>", ""
	s["tmpl"], s["code"] = expr.Template("code <+httpResponseCode>"), expr.Template("<+httpResponseCode>")
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			left, err := expr.Render(tc.text, s, expr.Defer("httpResponseBody", "httpResponseCode"))
			if err != nil {
				t.Fatal(err)
			}
			if got := expr.Format(left); got != tc.left {
				t.Fatalf("left\n got %s\nwant %s", got, tc.left)
			}
			final := expr.Format(left)
			if text, ok := left.(expr.Template); ok {
				if final, err = expr.RenderString(string(text), later()); err != nil {
					t.Fatal(err)
				}
			}
			if final != tc.want {
				t.Errorf("at last\n got %s\nwant %s", final, tc.want)
			}
		})
	}
}

func TestDeferredNameOfLetters(t *testing.T) {
	s := demo()
	s["bad"] = `x>.y<+z`
	if got, err := expr.Render(`<+<+digit><+httpResponseBody>>`, scope{"digit": 1}, expr.Defer("httpResponseBody")); err == nil {
		t.Errorf("Render = %v, want an error", got)
	}
	if got, err := expr.Render(`<+httpResponseBody.a<+bad>>`, s, expr.Defer("httpResponseBody")); err == nil {
		t.Errorf("Render = %v, want an error", got)
	}
	got, err := expr.Render(`<+httpResponseBody.a_<+pipeline.name>.b>`, s, expr.Defer("httpResponseBody"))
	if err != nil || got != expr.Template("<+httpResponseBody.a_demo.b>") {
		t.Errorf("Render = %v, %v", got, err)
	}
}

// RenderString with Defer gives text that is rendered once more in any case.
func TestRenderStringGuardsWithDefer(t *testing.T) {
	s := demo()
	s["evil"] = `a<+b>`
	for _, text := range []string{"<+evil>", "x<+evil>"} {
		once, err := expr.RenderString(text, s, expr.Defer("z"))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := expr.RenderString(text, s)
		if got, err := expr.RenderString(once, scope{}); err != nil || got != want {
			t.Errorf("%s → %s → %s, %v; want %s", text, once, got, err, want)
		}
	}
}
