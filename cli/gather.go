package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// gather reads the documents of files and folders. A document that is there twice is
// one, if it is the same; else none of them is to be kept.
func (a *app) gather(files []string, place func(file string) client.Place) (docs []written, foreign int, err error) {
	add := func(file string, data []byte) {
		if len(data) > maxFile {
			docs = append(docs, written{file: file, diags: tooLarge(file)})
			return
		}
		more, n := documentsOf([]compile.Source{{File: file, Data: data}}, place)
		docs, foreign = append(docs, more...), foreign+n
	}
	for _, f := range files {
		if err := a.readAll(f, add); err != nil {
			return nil, 0, err
		}
	}
	docs = distinct(docs)
	circles(docs)
	return docs, foreign, nil
}

// readAll hands over a file, all YAML files of a folder, or standard input.
func (a *app) readAll(file string, add func(file string, data []byte)) error {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(a.in, maxFile+1))
		if err != nil {
			return unreadable(file, err)
		}
		add(file, data)
		return nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return unreadable(file, err)
	}
	if !info.IsDir() {
		data, err := readDocument(file)
		if err != nil {
			return unreadable(file, err)
		}
		add(file, data)
		return nil
	}
	return walkDocuments(file, func(file string, data []byte, err error) error {
		if err != nil {
			return unreadable(file, err)
		}
		add(file, data)
		return nil
	})
}

// distinct leaves out documents that are there twice, and refuses those that are there
// twice and differ: nothing says which of them is meant.
func distinct(docs []written) []written {
	first := map[core.EntityRef]int{}
	out := make([]written, 0, len(docs))
	for _, w := range docs {
		if w.entity == nil {
			out = append(out, w)
			continue
		}
		i, again := first[w.entity.EntityRef]
		switch {
		case !again:
			first[w.entity.EntityRef] = len(out)
			out = append(out, w)
		case out[i].text != w.text:
			out[i].refuse(w)
			w.refuse(out[i])
			out = append(out, w)
		}
	}
	return out
}

// refuse says that another document is of the same entity.
func (w *written) refuse(other written) {
	w.diags = append(w.diags, core.Diagnostic{Severity: core.SeverityError, Code: "twice", File: w.file, Line: w.above + 1, Column: 1,
		Message: fmt.Sprintf("%s is in %s:%d too, and differs", w.entity.EntityRef, other.file, other.above+1), Help: "keep one of them"})
	w.refused = true
}

// withHomes adds documents for the organizations and projects that others live in and
// nobody has written.
func withHomes(ctx context.Context, c *client.Client, docs []written, dry bool) ([]written, error) {
	known := map[core.EntityRef]bool{}
	for _, w := range docs {
		if w.entity != nil {
			known[w.entity.EntityRef] = true
		}
	}
	var added []written
	for _, w := range docs {
		if w.entity == nil || w.refused || dry {
			continue
		}
		for _, home := range document.Homes(w.entity.Scope) {
			if known[home] {
				continue
			}
			known[home] = true
			_, err := c.Entity(ctx, client.EntityRef{Kind: string(home.Kind), ID: home.Identifier, Place: client.Place{Org: home.Scope.Org}})
			if err == nil {
				continue
			}
			if !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			text := fmt.Sprintf("%[1]s:\n  name: %[2]s\n  identifier: %[2]s\n", home.Kind, home.Identifier)
			if home.Scope.Org != "" {
				text += "  orgIdentifier: " + home.Scope.Org + "\n"
			}
			more, _ := documentsOf([]compile.Source{{File: "(named by " + w.file + ")", Data: []byte(text)}}, everywhere(client.Place{Org: home.Scope.Org}))
			added = append(added, more...)
		}
	}
	return append(added, docs...), nil
}
