package guard

import (
	"os/exec"
	"strings"
	"testing"
)

// banned dependencies, with the binaries that may have them all the same.
var banned = []struct {
	path   string
	why    string
	except []string
}{
	{"k8s.io", "Kubernetes clients never reach a function", nil},
	{"sigs.k8s.io", "Kubernetes clients never reach a function", nil},
	{"helm.sh", "Helm never reaches a function", nil},
	{"github.com/open-policy-agent/opa", "OPA is 20 MB: functions/policy alone has it", []string{"functions/policy"}},
	{"github.com/aws", "the one binary runs without AWS; functions have their own mains", []string{"functions", "infra"}},
	{"testing", "test code is not shipped", nil},
	{"github.com/google/go-cmp", "test code is not shipped", nil},
	{"expvar", "it opens a route of its own", nil},
	{"net/http/pprof", "it opens a route of its own", nil},
}

// TestBinaries looks at everything that is linked into each main, however deep.
func TestBinaries(t *testing.T) {
	for _, r := range house(t) {
		if r.name != "main" || inside(r.dir, "e2e") {
			continue
		}
		t.Run(r.dir, func(t *testing.T) {
			for _, dep := range deps(t, r.dir) {
				for _, b := range banned {
					if inside(dep, b.path) && !below(r.dir, b.except) {
						t.Errorf("%s links %s: %s (go mod why %s)", r.dir, dep, b.why, dep)
					}
				}
			}
		})
	}
}

// TestDelegateDeps holds that the delegate reaches nothing of the control plane,
// not even through a package in between.
func TestDelegateDeps(t *testing.T) {
	for _, dep := range deps(t, "delegate/...") {
		local, ok := strings.CutPrefix(dep, module+"/")
		switch {
		case inside(dep, "github.com/aws"):
			t.Errorf("the delegate links %s", dep)
		case local == "shared/spell": // a function that expr compares names with
		case ok && !inside(local, "delegate") && !delegateSees[strings.TrimPrefix(local, "shared/")]:
			t.Errorf("the delegate links %s", local)
		}
	}
}

func deps(t *testing.T, pattern string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "./"+pattern)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v %s", err, stderr(err))
	}
	return strings.Fields(string(out))
}

func stderr(err error) string {
	if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it unwrapped
		return string(e.Stderr)
	}
	return ""
}
