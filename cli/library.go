package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// maxLibrary is how many YAML files folders given as --with may hold.
const maxLibrary = 10_000

// readLibrary reads the YAML files in folders, by name. Hidden folders are passed
// over; links are not followed out of a folder. A file may be named too.
func readLibrary(dirs []string) ([]compile.Source, error) {
	var out []compile.Source
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, unreadable(dir, err)
		}
		if !info.IsDir() {
			data, err := os.ReadFile(dir)
			if err != nil {
				return nil, unreadable(dir, err)
			}
			out = append(out, compile.Source{File: dir, Data: data})
			continue
		}
		if out, err = readFolder(out, dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readFolder(out []compile.Source, dir string) ([]compile.Source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Join(dir, path)
		switch {
		case err != nil:
			return unreadable(name, err)
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)):
			return nil
		case len(out) == maxLibrary:
			return fault.New(fault.TooLarge, "%s: more than %d YAML files", dir, maxLibrary)
		}
		if info, err := root.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxInput {
			return nil // a link that leads nowhere or out, or no document
		}
		data, err := root.ReadFile(path)
		if err != nil {
			return unreadable(name, err)
		}
		out = append(out, compile.Source{File: name, Data: data})
		return nil
	})
	return out, err
}

// options are what a pipeline is compiled with.
func options(l client.Launch, setFiles []string, library compile.Library) compile.Options {
	opt := compile.Options{Inputs: l.Inputs, Library: library, Stages: l.Stages, Expressions: l.Expressions, Scope: core.Scope{Org: l.Org, Project: l.Project}}
	for i, text := range l.InputSets {
		opt.InputSets = append(opt.InputSets, compile.Source{File: setFiles[i], Data: []byte(text)})
	}
	return opt
}

// needed are the files of a library that a launch refers to: only they are sent.
func needed(l client.Launch, setFiles []string, sources []compile.Source) []client.File {
	library, _ := compile.Index(sources)
	used := map[string]compile.Source{}
	opt := options(l, setFiles, func(r compile.Reference) (compile.Source, bool) {
		s, ok := library(r)
		if ok {
			used[s.File] = s
		}
		return s, ok
	})
	compile.Compile(compile.Source{File: l.File, Data: []byte(l.YAML)}, opt)
	var out []client.File
	for _, s := range sources {
		if _, ok := used[s.File]; ok {
			out = append(out, client.File{File: s.File, YAML: string(s.Data)})
		}
	}
	return out
}
