package guard

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is this repository's module path; root is where it is checked out.
const (
	module = "github.com/slipway-cd/slipway"
	root   = "../.."
)

// source is one Go file of the main module.
type source struct {
	path    string // slash path below the root
	test    bool
	ast     *ast.File
	fset    *token.FileSet
	imports []string
}

// room is one package of the main module.
type room struct {
	dir   string // slash path below the root
	name  string
	files []source
}

// files lists every file that is or could be committed: what git knows and does
// not ignore, or all files when there is no git.
var files = sync.OnceValues(func() ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return walked()
	}
	var list []string
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, f)); err == nil { // not deleted
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
})

// walked lists the files of a tree that came without git.
func walked() ([]string, error) {
	var list []string
	skip := map[string]bool{".git": true, ".slipway": true, "bin": true, "dist": true, "node_modules": true, "cdk.out": true}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skip[d.Name()] {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err
}

// rooms parses every package of the main module, in path order.
var rooms = sync.OnceValues(func() ([]room, error) {
	all, err := files()
	if err != nil {
		return nil, err
	}
	byDir := map[string]*room{}
	for _, f := range all {
		if !strings.HasSuffix(f, ".go") || foreign(f) {
			continue
		}
		src, err := parse(f)
		if err != nil {
			return nil, err
		}
		dir := path.Dir(f)
		r := byDir[dir]
		if r == nil {
			r = &room{dir: dir}
			byDir[dir] = r
		}
		if name := src.ast.Name.Name; !src.test || r.name == "" {
			r.name = strings.TrimSuffix(name, "_test")
		}
		r.files = append(r.files, src)
	}
	var list []room
	for _, r := range byDir {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b room) int { return strings.Compare(a.dir, b.dir) })
	return list, nil
})

// foreign reports whether a Go file is of another module or none.
func foreign(f string) bool {
	if strings.Contains("/"+f, "/testdata/") {
		return true
	}
	for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func parse(f string) (source, error) {
	src := source{path: f, test: strings.HasSuffix(f, "_test.go"), fset: token.NewFileSet()}
	var err error
	src.ast, err = parser.ParseFile(src.fset, filepath.Join(root, f), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src, err
	}
	for _, i := range src.ast.Imports {
		src.imports = append(src.imports, strings.Trim(i.Path.Value, `"`))
	}
	return src, nil
}

func house(t *testing.T) []room {
	t.Helper()
	list, err := rooms()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("found only %d packages: the guard does not see the tree", len(list))
	}
	return list
}

func text(t *testing.T, f string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, f))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil // binary
	}
	return b
}

// inside reports whether a package or folder path is dir or below it.
func inside(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
