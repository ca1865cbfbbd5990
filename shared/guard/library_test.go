package guard

import (
	"path"
	"strings"
	"testing"
)

// owner is the one package that may import a library, tests included.
var owner = map[string][]string{
	"go.etcd.io/bbolt":              {"localstack/embedded/file"},
	"github.com/goccy/go-yaml":      {"shared/yamldoc"},
	"github.com/antchfx/xpath":      {"shared/expr"},
	"github.com/oklog/ulid":         {"shared/clock"},
	"github.com/spf13/cobra":        {"cli", "cmd"},
	"github.com/pmezard/go-difflib": {"cli/screen"},
	"maragu.dev/gomponents":         {"functions/approve/door"},
	"github.com/aws":                {"shared/aws", "functions", "infra", "localstack/aws"}, // the last for its tests: TestBinaries keeps its command free
}

// testOnly libraries are not linked into what is shipped.
var testOnly = []string{"testing", "github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/santhosh-tekuri/jsonschema"}

func TestOwners(t *testing.T) {
	for _, r := range house(t) {
		for _, f := range r.files {
			for _, imp := range f.imports {
				if who := owners(imp); who != nil && !below(r.dir, who) {
					t.Errorf("%s imports %s, which is owned by %s", f.path, imp, strings.Join(who, ", "))
				}
				if !f.test && !testbed(r) && forTests(imp) {
					t.Errorf("%s imports %s, which is for tests", f.path, imp)
				}
			}
		}
	}
}

// testbed reports whether a package exists for tests though its files are not.
func testbed(r room) bool {
	return strings.HasSuffix(r.name, "test") || below(r.dir, []string{"shared/contract", "localstack/embedded/weak", "e2e"})
}

func owners(imp string) []string {
	for library, who := range owner {
		if inside(imp, library) {
			return who
		}
	}
	return nil
}

func forTests(imp string) bool {
	for _, library := range testOnly {
		if inside(imp, library) {
			return true
		}
	}
	return false
}

func below(dir string, rooms []string) bool {
	for _, r := range rooms {
		if inside(dir, r) {
			return true
		}
	}
	return false
}

// delegateSees is all of shared/ that the delegate may see.
var delegateSees = map[string]bool{"core": true, "fault": true, "expr": true, "steps": true, "wire": true}

func TestDoorsAndDelegate(t *testing.T) {
	for _, r := range house(t) {
		for _, f := range r.files {
			for _, imp := range f.imports {
				local, ok := strings.CutPrefix(imp, module+"/")
				if !ok {
					continue
				}
				if inside(r.dir, "delegate") && !inside(local, "delegate") && !delegateSees[strings.TrimPrefix(local, "shared/")] {
					t.Errorf("%s imports %s: the delegate sees core, fault, expr, steps and wire only", f.path, local)
				}
				if inside(local, "functions") && !opens(r.dir, local) && !(f.test && (r.dir == "functions" || strings.HasSuffix(local, "test"))) {
					t.Errorf("%s imports %s: a door is opened by its own main, by cmd/slipway and by what composes the laptop", f.path, local)
				}
			}
		}
	}
}

// opens reports whether the package in dir may import a door. A main may put the
// authorizer's before its own: for what no authorizer has vouched for (ADR 0009).
func opens(dir, door string) bool {
	if door == "functions/authorizer/door" && path.Dir(dir) == "functions" {
		return true
	}
	return inside(dir, path.Dir(door)) || below(dir, []string{"cmd/slipway", "localstack/embedded/platform", "e2e"})
}
