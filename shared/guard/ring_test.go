package guard

import (
	"strings"
	"testing"
)

// ring is where each package below shared/ stands: it may import its own ring and
// those below. Rings 0 and 1 are pure; ring 2 reaches the world through the ports
// of core. A new package is entered here.
var ring = map[string]int{
	"core":  0,
	"fault": 0,

	"yamldoc":  1,
	"schema":   1,
	"expr":     1,
	"compile":  1,
	"document": 1,
	"engine":   1,
	"simulate": 1,
	"spell":    1,
	"strategy": 1,
	"govern":   1,
	"target":   1,
	"verify":   1,
	"steps":    1,
	"replay":   1,
	"explain":  1,
	"lock":     1,
	"wire":     1,

	"clock":    2,
	"entity":   2,
	"journal":  2,
	"dispatch": 2,
	"plane":    2,
	"launch":   2,
	"view":     2,
	"httpio":   2,
	"retry":    2,
	"meter":    2,
	"aws":      2,
}

// suites are below shared/ for everybody's tests and stand in no ring.
var suites = map[string]bool{"contract": true, "guard": true}

// world is what a pure package may not import, by first elements of the path;
// known holds the exceptions, which only compute.
var (
	world = []string{"os", "net", "syscall", "math/rand", "crypto/rand", "log", "plugin", "embed"}
	known = map[string]bool{"net/url": true, "net/netip": true, "net/mail": true, "embed": true}
)

func TestRings(t *testing.T) {
	for _, r := range house(t) {
		name, ok := strings.CutPrefix(r.dir, "shared/")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "/")
		if suites[name] {
			continue
		}
		own, ok := ring[name]
		if !ok {
			t.Errorf("%s stands in no ring: enter it in shared/guard/ring_test.go", r.dir)
			continue
		}
		for _, f := range r.files {
			if f.test {
				continue
			}
			for _, imp := range f.imports {
				if why := broken(name, own, imp); why != "" {
					t.Errorf("%s imports %s: %s", f.path, imp, why)
				}
			}
		}
	}
}

// broken says which rule package shared/name of ring own breaks by importing imp.
func broken(name string, own int, imp string) string {
	if local, ok := strings.CutPrefix(imp, module+"/"); ok {
		other, ok := strings.CutPrefix(local, "shared/")
		other, _, _ = strings.Cut(other, "/")
		switch {
		case !ok:
			return "a shared package imports only shared packages"
		case suites[other]:
			return "it is for tests"
		case ring[other] > own:
			return "it is of a higher ring"
		case own == 0 && other != name && other != "fault":
			return "ring 0 imports only the standard library and fault"
		}
		return ""
	}
	switch standard := !strings.Contains(strings.SplitN(imp, "/", 2)[0], "."); {
	case own == 0 && !standard:
		return "ring 0 imports only the standard library and fault"
	case own > 1 || !standard || known[imp]:
		return ""
	}
	for _, w := range world {
		if inside(imp, w) {
			return "rings 0 and 1 do not read the world; it comes in as arguments"
		}
	}
	return ""
}

// TestBroken makes sure that the ring rule can fail.
func TestBroken(t *testing.T) {
	tests := map[string]struct {
		name string
		imp  string
		bad  bool
	}{
		"core on fault":             {"core", module + "/shared/fault", false},
		"core on another package":   {"core", module + "/shared/steps", true},
		"core on a library":         {"core", "github.com/oklog/ulid/v2", true},
		"engine on its own ring":    {"engine", module + "/shared/steps", false},
		"engine on a higher ring":   {"engine", module + "/shared/journal", true},
		"engine on an adapter":      {"engine", module + "/localstack/embedded/file", true},
		"engine on files":           {"engine", "os/exec", true},
		"engine on randomness":      {"engine", "math/rand/v2", true},
		"a URL is only text":        {"steps", "net/url", false},
		"yamldoc on its library":    {"yamldoc", "github.com/goccy/go-yaml", false},
		"journal spreads its tries": {"journal", "math/rand/v2", false},
		"journal on a test suite":   {"journal", module + "/shared/contract", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if why := broken(tc.name, ring[tc.name], tc.imp); (why != "") != tc.bad {
				t.Errorf("broken = %q, want broken %v", why, tc.bad)
			}
		})
	}
}
