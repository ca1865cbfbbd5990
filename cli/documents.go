package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the largest file of documents that is read, in bytes.
const maxFile = 16 << 20

// readDocument reads a file, at most one byte more than is allowed.
func readDocument(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	buf := bytes.NewBuffer(make([]byte, 0, min(info.Size(), maxFile)+bytes.MinRead+1))
	_, err = buf.ReadFrom(io.LimitReader(f, maxFile+1))
	return buf.Bytes(), err
}

// walkDocuments visits every *.yaml and *.yml below a folder in the order of their
// names. Hidden files and folders are left out, and so are links to folders and
// links that lead out of the folder.
func walkDocuments(root string, visit func(file string, data []byte, err error) error) error {
	inside, err := filepath.EvalSymlinks(root)
	if err != nil {
		return visit(root, nil, err)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch hidden := path != root && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			return visit(path, nil, err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir(), hidden, !isYAML(path):
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 && !within(inside, path) {
			return nil
		}
		data, err := readDocument(path)
		return visit(path, data, err)
	})
}

func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// within reports whether a link leads to a file inside a folder.
func within(folder, link string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, target)
	info, err2 := os.Stat(target)
	return err == nil && err2 == nil && info.Mode().IsRegular() && filepath.IsLocal(rel)
}

// plainError leaves out what a message about a file says twice.
func plainError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
