package functions_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	api "github.com/slipway-cd/slipway/functions/api/door"
	catalogue "github.com/slipway-cd/slipway/functions/catalogue/door"
)

var update = flag.Bool("update", false, "rewrite what is generated")

// served are the routes for people and their tools, by the function that serves them.
var served = map[string][]string{"api": api.Patterns(), "catalogue": catalogue.Patterns()}

// patterns are all of them, in order.
func patterns() []string {
	var all []string
	for _, of := range served {
		all = append(all, of...)
	}
	return slices.Sorted(slices.Values(all))
}

// TestRoutesLeadToTheirFunctions follows every route through API Gateway, as the stack
// has it: the golden template of package infra/stack.
func TestRoutesLeadToTheirFunctions(t *testing.T) {
	g := readGateway(t, "../infra/stack/testdata/default.json")
	for function, of := range served {
		for _, pattern := range of {
			method, path, _ := strings.Cut(pattern, " ")
			for _, prefix := range []string{"", "/gateway"} {
				if got := g.function(method, prefix+path); got != function {
					t.Errorf("%s %s leads to %q, and is served by %q: see infra/stack/route.go", method, prefix+path, got, function)
				}
			}
		}
	}
}

// gateway is the tree of a REST API's resources.
type gateway struct {
	child   map[string]map[string]string // by parent, then by path part: the resource
	methods map[string]methods           // by resource, then by method: the function
}

// methods are functions by method; ANY stands for all that are not there.
type methods map[string]string

func (m methods) of(method string) string {
	if f, ok := m[method]; ok {
		return f
	}
	return m["ANY"]
}

const root = "root"

func readGateway(t *testing.T, file string) gateway {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				ParentID    string `json:"ParentId"`
				ResourceID  string `json:"ResourceId"`
				PathPart    string
				Method      string `json:"HttpMethod"`
				Integration struct {
					URI string `json:"Uri"`
				}
			}
		}
	}
	if err := json.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	g := gateway{child: map[string]map[string]string{}, methods: map[string]methods{}}
	for id, r := range template.Resources {
		p := r.Properties
		switch r.Type {
		case "AWS::ApiGateway::Resource":
			parent := logical(p.ParentID)
			if g.child[parent] == nil {
				g.child[parent] = map[string]string{}
			}
			g.child[parent][p.PathPart] = id
		case "AWS::ApiGateway::Method":
			at := logical(p.ResourceID)
			if g.methods[at] == nil {
				g.methods[at] = methods{}
			}
			g.methods[at][p.Method] = integrated(p.Integration.URI)
		}
	}
	return g
}

// logical is the resource that a reference names, root for the API's own.
func logical(ref string) string {
	if strings.HasSuffix(ref, ".RootResourceId}") {
		return root
	}
	return strings.Trim(ref, "${}")
}

// integrated is the function in the address of an integration.
func integrated(uri string) string {
	for name := range served {
		if strings.Contains(uri, "${"+strings.ToUpper(name[:1])+name[1:]) {
			return name
		}
	}
	return uri
}

// function is where a request ends: the resource that fits best, each part of the path
// by its own name before any name, and that before the rest of the path.
func (g gateway) function(method, path string) string {
	return g.below(root, method, strings.Split(strings.Trim(path, "/"), "/"))
}

func (g gateway) below(at, method string, parts []string) string {
	if len(parts) == 0 {
		return g.methods[at].of(method)
	}
	if next, ok := g.child[at][parts[0]]; ok && !strings.HasPrefix(parts[0], "{") {
		if f := g.below(next, method, parts[1:]); f != "" {
			return f
		}
	}
	greedy := ""
	for name, next := range g.child[at] {
		switch {
		case strings.HasSuffix(name, "+}"):
			greedy = next
		case strings.HasPrefix(name, "{"):
			if f := g.below(next, method, parts[1:]); f != "" {
				return f
			}
		}
	}
	return g.methods[greedy].of(method)
}
