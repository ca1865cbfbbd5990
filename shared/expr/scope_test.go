package expr_test

import (
	"errors"

	"github.com/slipway-cd/slipway/shared/expr"
)

// scope is a map of first names.
type scope map[string]any

func (s scope) Lookup(name string) (any, bool) {
	v, ok := s[name]
	return v, ok
}

// lazy is an Object over functions; get counts as "need more data" when it errs.
type lazy struct {
	get  func(key string) (any, bool, error)
	call func(method string, args []any) (any, error)
}

func (l lazy) Get(key string) (any, bool, error) {
	if l.get == nil {
		return nil, false, nil
	}
	return l.get(key)
}

func (l lazy) Call(method string, args []any) (any, error) {
	if l.call == nil {
		return nil, expr.ErrNoMethod
	}
	return l.call(method, args)
}

// whole is an Object that can expand.
type whole struct{ m *expr.Map }

func (w whole) Get(key string) (any, bool, error) { v, ok := w.m.Get(key); return v, ok, nil }
func (w whole) Expand() (any, error)              { return w.m, nil }

func ordered(pairs ...any) *expr.Map {
	m := &expr.Map{}
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i].(string), pairs[i+1])
	}
	return m
}

// getValue is the one method of secrets and exportedVariables.
func getValue(give func(id string) any) func(string, []any) (any, error) {
	return func(method string, args []any) (any, error) {
		if method != "getValue" || len(args) != 1 {
			return nil, expr.ErrNoMethod
		}
		return give(expr.Format(args[0])), nil
	}
}

var errNeed = errors.New("need outputs of stage other")

// demo is the scope of testdata/cases.txt.
func demo() scope {
	variables := map[string]any{
		"ratio": 0.5, "count": 3.0, "enabled": true, "off": "false", "nothing": nil, "one": "1",
		"hosts":           []string{"web1", "web2", "db1"},
		"labels":          ordered("tier", "web", "zone", "b"),
		"name with space": "spaced", "x-y": "dashed",
		"stage": "build", "prefix": "bu", "suffix": "ild", "path": "stages.build", "pipe": "pipe",
		"word": "key", "key": "found", "letter": "b", "alias": "count",
		"script":   "echo <+pipeline.name>",
		"greeting": expr.Template("hello <+pipeline.name>"),
		"typed":    expr.Template("<+pipeline.variables.count>"),
		"chain":    expr.Template("<+pipeline.variables.greeting>!"),
		"nested":   ordered("who", expr.Template("<+pipeline.name>"), "list", []any{expr.Template("<+pipeline.variables.count>"), "x"}),
		"cycleA":   expr.Template("<+pipeline.variables.cycleB>"),
		"cycleB":   expr.Template("x <+pipeline.variables.cycleA>"),
		"broken":   expr.Template("a <+*>"),
	}
	stages := map[string]any{"build": map[string]any{"status": "SUCCEEDED"}}
	return scope{
		"pipeline": map[string]any{"name": "demo", "sequenceId": 7, "variables": variables, "stages": stages},
		"artifact": map[string]any{"tag": "1.1"},
		"trigger": map[string]any{
			"header":  map[string]string{"X-Event": "push"},
			"commits": []any{map[string]any{"id": "c1", "files": []any{"a.txt", "b.txt"}}},
		},
		"execution": map[string]any{"steps": map[string]any{"s1_0": map[string]any{"output": map[string]any{"x": "looped"}}}},
		"strategy":  map[string]any{"identifierPostFix": "_0"},
		"body": `{"a":{"b":["one","two"],"n":5,"mvn-service://new":"odd"},"x y":"spaced","items":[
			{"name":"p","price":10},{"name":"q","price":25},{"name":"r","price":5,"sale":false}],"end":null}`,
		"xmlBody": `<?xml version="1.0" encoding="ISO-8859-1"?><bookstore><!-- c --><book id="b1"><title lang="en">A &amp; B</title>` +
			`<price>3</price></book><book id="b2"><title>C<![CDATA[<d>]]></title><price>4.5</price></book><n:a xmlns:n="u">q</n:a></bookstore>`,
		"stageObject":       whole{ordered("name", "st", "tags", []any{"x"})},
		"other":             lazy{get: func(string) (any, bool, error) { return nil, false, errNeed }},
		"secrets":           lazy{call: getValue(func(id string) any { return expr.Secret{Ref: id} })},
		"exportedVariables": lazy{call: getValue(func(path string) any { return "exported " + path })},
		"currentTime":       expr.Func(func([]any) (any, error) { return "2025-06-26T11:55:00.790+0000", nil }),
	}
}
