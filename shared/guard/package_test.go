package guard

import (
	"bytes"
	"go/ast"
	"path"
	"strings"
	"testing"
)

// maxComment is how many lines a package comment may have, maxLines a file that
// is not a test, maxMethods an interface.
const (
	maxComment = 5
	maxLines   = 400
	maxMethods = 6
)

func TestPackageComments(t *testing.T) {
	for _, r := range house(t) {
		comments := 0
		for _, f := range r.files {
			doc := f.ast.Doc
			if doc == nil {
				continue
			}
			comments++
			if n := lines(f, doc); n > maxComment {
				t.Errorf("%s: the package comment has %d lines, at most %d are read", f.path, n, maxComment)
			}
			if want := "Package " + r.name + " "; r.name != "main" && !strings.HasPrefix(doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", f.path, want)
			}
			if !strings.Contains(doc.Text(), ".") {
				t.Errorf("%s: the package comment is not a sentence", f.path)
			}
		}
		switch {
		case comments == 0:
			t.Errorf("%s has no package comment: say in a sentence what it is", r.dir)
		case comments > 1:
			t.Errorf("%s has %d package comments; one file has it", r.dir, comments)
		}
	}
}

func lines(f source, n ast.Node) int {
	return f.fset.Position(n.End()).Line - f.fset.Position(n.Pos()).Line + 1
}

// vague names say nothing about what is inside.
var vague = map[string]bool{
	"util": true, "utils": true, "common": true, "helper": true, "helpers": true, "types": true, "type": true,
	"manager": true, "managers": true, "misc": true, "base": true, "lib": true,
}

func TestNames(t *testing.T) {
	for _, r := range house(t) {
		if vague[r.name] || vague[path.Base(r.dir)] {
			t.Errorf("package %s: name it after the noun it is about", r.dir)
		}
		for _, f := range r.files {
			name := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
			if vague[name] {
				t.Errorf("%s: name the file after the noun it is about", f.path)
			}
		}
	}
}

// long files that may stay, with the reason.
var long = map[string]string{}

func TestFileSizes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range house(t) {
		for _, f := range r.files {
			if f.test || ast.IsGenerated(f.ast) {
				continue
			}
			n := bytes.Count(text(t, f.path), []byte("\n"))
			seen[f.path] = n > maxLines
			if n > maxLines && long[f.path] == "" {
				t.Errorf("%s has %d lines, over %d: which two things is it?", f.path, n, maxLines)
			}
		}
	}
	for f := range long {
		if !seen[f] {
			t.Errorf("%s is not long any more: take it off the list", f)
		}
	}
}

// TestInterfaces holds the ports, and every other seam, narrow.
func TestInterfaces(t *testing.T) {
	ports := 0
	for _, r := range house(t) {
		for _, f := range r.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				i, ok := spec.Type.(*ast.InterfaceType)
				if !ok {
					return true
				}
				if r.dir == "shared/core" {
					ports++
				}
				if len(i.Methods.List) > maxMethods {
					t.Errorf("%s: interface %s has %d methods, over %d", f.path, spec.Name.Name, len(i.Methods.List), maxMethods)
				}
				return true
			})
		}
	}
	if ports < 8 {
		t.Errorf("found only %d ports in core", ports)
	}
}
