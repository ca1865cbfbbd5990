package functions_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// The examples, each of which is played by a test.
var exampleFolders = []string{"api/door/testdata", "catalogue/door/testdata", "catalogue/ng/testdata"}

type object = map[string]any

// TestOpenAPI keeps openapi.json to what is served: every route, with the examples that
// tests play, and schemas of what those send and answer.
func TestOpenAPI(t *testing.T) {
	spec := describe(t)
	want := lines(t, spec)
	const file = "catalogue/door/openapi.json"
	if *update {
		if err := os.WriteFile(file, want, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("run go test ./functions -run TestOpenAPI -update (-is +should be):\n%s", diff)
	}
}

// lines writes the description with a line for each path: it is part of a function, whose
// size counts.
func lines(t *testing.T, spec object) []byte {
	t.Helper()
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	paths, _ := spec["paths"].(object)
	var b strings.Builder
	for _, k := range sorted(spec) {
		if k != "paths" {
			b.WriteString(text(k) + ": " + text(spec[k]) + ",\n")
		}
	}
	var all []string
	for _, p := range sorted(paths) {
		all = append(all, text(p)+": "+text(paths[p]))
	}
	return []byte("{" + b.String() + "\"paths\": {\n" + strings.Join(all, ",\n") + "\n}}\n")
}

// TestOpenAPIIsServed reads the description as its users do.
func TestOpenAPIIsServed(t *testing.T) {
	f := apitest.Start(t)
	var spec struct {
		OpenAPI string
		Paths   map[string]map[string]any
	}
	f.Get("/slipway/v1/openapi.json", &spec)
	if spec.OpenAPI != "3.1.0" || len(spec.Paths) < 60 || spec.Paths["/pipeline/api/pipelines/{id}"]["get"] == nil {
		t.Errorf("version %q, %d paths", spec.OpenAPI, len(spec.Paths))
	}
}

// describe builds the description.
func describe(t *testing.T) object {
	paths := object{}
	examples := borrowed(examplesOf(t))
	for _, pattern := range patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		at, _ := paths[path].(object)
		if at == nil {
			at = object{}
			paths[path] = at
		}
		at[strings.ToLower(method)] = operation(pattern, examples[pattern])
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "Slipway", "version": "1", "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Harness's routes as its clients know them, and Slipway's own below /slipway/v1. Schemas fit the examples, which tests play."},
		"servers":  []any{object{"url": "/"}, object{"url": "/gateway"}},
		"security": []any{object{"apiKey": []any{}}, object{"bearer": []any{}}},
		"components": object{
			"securitySchemes": object{
				"apiKey": object{"type": "apiKey", "in": "header", "name": "x-api-key"},
				"bearer": object{"type": "http", "scheme": "bearer"},
			},
			"responses": object{"Error": object{"description": "Harness's envelope: what is wrong, where and how to mend it",
				"content": object{"application/json": object{"schema": open(schemaOf(object{"status": "", "code": "", "message": "", "correlationId": "", "detailedMessage": nil, "metadata": nil,
					"diagnostics":      []any{object{"severity": "", "code": "", "message": "", "file": "", "line": 1.0, "column": 1.0, "path": "", "help": ""}},
					"responseMessages": []any{object{"code": "", "level": "", "message": "", "failureTypes": []any{""}}}}))}}}},
		},
		"paths": paths,
	}
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

func operation(pattern string, examples []apitest.Exchange) object {
	method, path, _ := strings.Cut(pattern, " ")
	params := []any{}
	for _, m := range inPath.FindAllStringSubmatch(path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	query := map[string]string{}
	for _, x := range examples {
		if u, err := url.Parse(x.Request.Path); err == nil {
			for name, v := range u.Query() {
				query[name] = v[0]
			}
		}
	}
	for _, name := range sorted(query) {
		params = append(params, object{"name": name, "in": "query", "schema": object{"type": "string"}, "example": query[name]})
	}
	op := object{"operationId": strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(strings.ToLower(method)+path, "_"), "_"), "tags": []any{tag(path)},
		"responses": responses(examples)}
	if len(params) > 0 {
		op["parameters"] = params
	}
	if body := requestBody(examples); body != nil {
		op["requestBody"] = body
	}
	return op
}

func responses(examples []apitest.Exchange) object {
	out, known := object{}, map[string][]any{}
	for _, x := range examples {
		head, text, _ := strings.Cut(x.Answer, "\n")
		status := strings.TrimPrefix(head, "< ")
		if number(status) >= 400 {
			out[status] = object{"$ref": "#/components/responses/Error"}
			continue
		}
		answer := object{"description": http.StatusText(number(status))}
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			known[status] = append(known[status], v)
			answer["content"] = object{"application/json": content(known[status])}
		}
		out[status] = answer
	}
	if len(out) == 0 {
		out["default"] = object{"description": "Harness's envelope, or the value itself below /slipway/v1"}
	}
	return out
}

// content is the shape of all of some values, with the first as its example.
func content(values []any) object {
	shape := schemaOf(values[0])
	for _, v := range values[1:] {
		shape = both(shape, schemaOf(v))
	}
	return object{"schema": open(shape), "example": valued(values[0])}
}

// requestBody is what is sent: JSON, if any example that goes well is, else what the first
// says it is.
func requestBody(examples []apitest.Exchange) object {
	var values []any
	var other object
	for _, x := range examples {
		body := strings.TrimSpace(x.Request.Body)
		if body == "" || strings.HasPrefix(x.Answer, "< 4") {
			continue
		}
		var v any
		if json.Unmarshal([]byte(body), &v) == nil {
			values = append(values, v)
			continue
		}
		if other != nil {
			continue
		}
		if t, _, _ := strings.Cut(x.Request.Header["Content-Type"], ";"); t == "multipart/form-data" {
			other = object{"content": object{t: object{"schema": object{"type": "object"}}}}
		} else {
			other = object{"content": object{"application/yaml": object{"schema": object{"type": "string"}, "example": x.Request.Body}}}
		}
	}
	if len(values) > 0 {
		return object{"content": object{"application/json": content(values)}}
	}
	return other
}

// scopes are what routes of v1 have before what they are about.
var scopes = regexp.MustCompile(`^(\w+) /v1(/orgs/\{org\})?(/projects/\{project\})?/`)

// borrowed gives routes of v1 that have no examples those of the same route in another
// scope: what they send and answer is the same.
func borrowed(examples map[string][]apitest.Exchange) map[string][]apitest.Exchange {
	of := map[string][]apitest.Exchange{}
	for _, p := range sorted(examples) {
		if m := scopes.FindString(p); m != "" {
			of[scopes.ReplaceAllString(p, "$1 ")] = examples[p]
		}
	}
	for _, p := range patterns() {
		if scopes.MatchString(p) && len(examples[p]) == 0 {
			examples[p] = of[scopes.ReplaceAllString(p, "$1 ")]
		}
	}
	return examples
}

// tag is what a route is about, by which clients' methods are put together.
func tag(path string) string {
	segments := strings.Split(regexp.MustCompile(`^/v1(/orgs/\{org\})?(/projects/\{project\})?/`).ReplaceAllString(path, "/v1/"), "/")
	for _, s := range segments[1:] {
		if s != "ng" && s != "api" && s != "v1" && s != "v2" && s != "slipway" && s != "pipeline" && s != "template" {
			return s
		}
	}
	return "other"
}

// examplesOf are the examples by the route that serves them.
func examplesOf(t *testing.T) map[string][]apitest.Exchange {
	mux := http.NewServeMux()
	for _, p := range patterns() {
		mux.HandleFunc(p, func(http.ResponseWriter, *http.Request) {})
	}
	out := map[string][]apitest.Exchange{}
	for _, dir := range exampleFolders {
		files, err := filepath.Glob(filepath.Join(dir, "*.http"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			script, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range apitest.Exchanges(string(script)) {
				_, pattern := mux.Handler(httptest.NewRequest(x.Request.Method, x.Request.Path, nil))
				if pattern != "" {
					out[pattern] = append(out[pattern], x)
				}
			}
		}
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func number(status string) int {
	n := 0
	for _, d := range status {
		n = n*10 + int(d-'0')
	}
	return n
}
