package functions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
)

// mark is the name of everything that others must not see.
const mark = "OnlyForUs"

// accessPage holds the table of who gets what answer where.
const accessPage = "../docs/reference/access.md"

const (
	accessBegin = "<!-- access: written by go test ./functions -run TestAccess -update -->\n"
	accessEnd   = "<!-- end of access -->"
)

// TestAccess calls every route there is with every kind of credential, on things that
// are there, and keeps what they answer in a table. Nobody else's answer may show
// anything of ours, and a route that is not in the table fails the test.
func TestAccess(t *testing.T) {
	f := apitest.Start(t)
	run := occupied(t, f)
	who := []struct {
		name   string
		header map[string]string
		ours   bool
	}{
		{"nobody", map[string]string{}, false},
		{"a delegate", map[string]string{"Authorization": "Bearer " + f.Platform.JoinToken()}, false},
		{"another account", map[string]string{"x-api-key": "foreign"}, false},
		{"an ended token", map[string]string{"x-api-key": "ended"}, false},
		{"another organization", map[string]string{"x-api-key": "beside"}, false},
		{"another project", map[string]string{"x-api-key": "sibling"}, false},
		{"this project", map[string]string{"x-api-key": "inside"}, true},
		{"a user", map[string]string{"x-api-key": f.Platform.AdminToken(), "X-Slipway-As": "carol"}, true},
	}
	var table strings.Builder
	table.WriteString("| route |")
	for _, w := range who {
		fmt.Fprintf(&table, " %s |", w.name)
	}
	table.WriteString("\n|---|" + strings.Repeat("---|", len(who)) + "\n")
	for _, pattern := range patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		fmt.Fprintf(&table, "| `%s` |", pattern)
		for _, w := range who {
			if w.ours && method != "GET" {
				fmt.Fprintf(&table, " %s |", may(f, method, path, w.header))
				continue
			}
			for _, named := range []bool{true, false} {
				r := f.Do(apitest.Request{Method: method, Path: filled(path, run, named), Header: w.header})
				if named {
					fmt.Fprintf(&table, " %d |", r.Status)
				}
				if !w.ours && (strings.Contains(string(r.Body), mark) || r.Status < 300 && method != "GET" && w.name != "another account" && !strings.Contains(path, "list")) {
					t.Errorf("%s, as %s: %d %s", pattern, w.name, r.Status, r.Body)
				}
				if ((w.name == "nobody" || w.name == "an ended token") && r.Status != 401) || (w.name == "a delegate" && r.Status != 403) {
					t.Errorf("%s, as %s: %d %s", pattern, w.name, r.Status, r.Body)
				}
			}
		}
		table.WriteString("\n")
	}
	page, err := os.ReadFile(accessPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), accessBegin)
	_, after, ok2 := strings.Cut(rest, accessEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", accessPage)
	}
	want := before + accessBegin + table.String() + accessEnd + after
	if *update {
		if err := os.WriteFile(accessPage, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("run the test with -update, and read what has changed (-is +should be):\n%s", diff)
	}
}

// may tells whether one may change something: asked of what is not there, as it would
// change what the next ones find.
func may(f *apitest.Fixture, method, path string, header map[string]string) string {
	r := f.Do(apitest.Request{Method: method, Path: strings.ReplaceAll(filled(path, "absent", true), "/x", "/absent"), Header: header})
	switch r.Status {
	case 401:
		return "401"
	case 403:
		return "no"
	}
	return "may"
}

// occupied fills a platform with one of everything, all of it called mark, and returns a
// run. There are credentials of another account and of two projects.
func occupied(t *testing.T, f *apitest.Fixture) string {
	f.AddToken("foreign", "other", "eve")
	for token, at := range map[string]core.Token{"inside": {Scope: core.Scope{Org: "default", Project: "default"}},
		"sibling": {Scope: core.Scope{Org: "default", Project: "sibling"}}, "beside": {Scope: core.Scope{Org: "beside"}}, "ended": {Until: 1}} {
		at.Kind, at.Account, at.User, at.Name = core.PrincipalUser, "default", "carol", token
		if at.Scope.Org != "" {
			at.Scope.Account = "default"
		}
		if err := f.Govern.PutToken(t.Context(), token, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		"project: {identifier: sibling, name: Sibling, orgIdentifier: default}",
		"project: {identifier: x, name: " + mark + ", orgIdentifier: default}",
		"service: {identifier: x, name: " + mark + "}",
		"environment: {identifier: x, name: " + mark + ", type: Production}",
		"infrastructureDefinition: {identifier: x, name: " + mark + ", environmentRef: x, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: n, releaseName: r}}",
		"secret: {identifier: x, name: " + mark + ", type: SecretText, spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: " + mark + "}}",
		"variable: {identifier: x, name: " + mark + ", type: String, spec: {valueType: FIXED, fixedValue: " + mark + "}}",
		strings.NewReplacer("name: Hello", "name: "+mark, "identifier: hello", "identifier: x").Replace(apitest.Hello),
	} {
		r := f.Do(apitest.Request{Method: "PUT", Path: "/slipway/v1/entities?org=default&project=default", Body: text, User: "admin"})
		if r.Status != 201 {
			t.Fatalf("%s: %d %s", text, r.Status, r.Body)
		}
	}
	run := f.Run(strings.Replace(apitest.Ask, "name: Ask first", "name: "+mark, 1))
	f.Await(run, "ApprovalWaiting")
	return run
}

// filled is a route's path with things that are there.
func filled(path, run string, named bool) string {
	for from, to := range map[string]string{"{run}": run, "{account}": "default", "{org}": "default", "{project}": "default", "{kind}": "service", "{node}": run + ".0", "{task}": run + ".0"} {
		path = strings.ReplaceAll(path, from, to)
	}
	if strings.Contains(path, "approvals/{id}") {
		path = strings.ReplaceAll(path, "{id}", run)
	}
	for strings.Contains(path, "{") {
		i, j := strings.Index(path, "{"), strings.Index(path, "}")
		path = path[:i] + "x" + path[j+1:]
	}
	path += "?org=default&project=default&orgIdentifier=default&projectIdentifier=default&environmentIdentifier=x&pipelineIdentifier=x&targetIdentifier=x"
	if named {
		path += "&accountIdentifier=default"
	}
	return path
}
