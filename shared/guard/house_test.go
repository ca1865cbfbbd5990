package guard

import (
	"flag"
	"fmt"
	"go/doc"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the table of packages in ARCHITECTURE.md")

const (
	plan  = "ARCHITECTURE.md"
	begin = "<!-- packages: written by `make generate` from the package comments -->\n"
	end   = "<!-- end of packages -->"
)

// TestHouse holds the table of packages in ARCHITECTURE.md to the packages' own
// words: one row each, with the first sentence of its comment.
func TestHouse(t *testing.T) {
	body := string(text(t, plan))
	head, rest, ok := strings.Cut(body, begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", plan, begin, end)
	}
	table := rows(house(t))
	if *update {
		if err := os.WriteFile(filepath.Join(root, plan), []byte(head+begin+table+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(old, "\n"), strings.Split(table, "\n")); diff != "" {
		t.Errorf("%s is outdated (-is +should be); run make generate:\n%s", plan, diff)
	}
}

func rows(list []room) string {
	var b strings.Builder
	b.WriteString("| package | ring | what it is |\n|---|---|---|\n")
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b room) int { return strings.Compare(place(a.dir)+a.dir, place(b.dir)+b.dir) })
	for _, r := range list {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.dir, place(r.dir), sentence(r))
	}
	return b.String()
}

// place is the ring of a package as the table shows it.
func place(dir string) string {
	name, ok := strings.CutPrefix(dir, "shared/")
	name, _, _ = strings.Cut(name, "/")
	switch {
	case !ok:
		return "–"
	case suites[name]:
		return "tests"
	}
	return fmt.Sprint(ring[name])
}

// sentence is what a package says it is, without its name.
func sentence(r room) string {
	for _, f := range r.files {
		if f.ast.Doc != nil {
			s := new(doc.Package).Synopsis(f.ast.Doc.Text())
			s = strings.TrimPrefix(strings.TrimPrefix(s, "Package "+r.name+" "), "Command "+path.Base(r.dir)+" ")
			return strings.ReplaceAll(s, "|", `\|`)
		}
	}
	return ""
}

// folder finds the rows of the hand-written table of top-level folders.
var folder = regexp.MustCompile("(?m)^\\| `([a-z0-9.]+)/` \\|")

// TestFolders holds the table of top-level folders complete and honest.
func TestFolders(t *testing.T) {
	described := map[string]bool{}
	for _, m := range folder.FindAllSubmatch(text(t, plan), -1) {
		described[string(m[1])] = true
	}
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range all {
		if dir, _, ok := strings.Cut(f, "/"); ok && !strings.HasPrefix(dir, ".") {
			there[dir] = true
		}
	}
	for dir := range there {
		if !described[dir] {
			t.Errorf("%s/ is not in the table of folders of %s", dir, plan)
		}
	}
	for dir := range described {
		if !there[dir] {
			t.Errorf("%s describes %s/, which is not there", plan, dir)
		}
	}
}
