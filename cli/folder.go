package cli

import (
	"bytes"
	"slices"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// written is one document of the files that a command was given.
type written struct {
	file    string
	at      client.Place // where it goes unless it says so itself
	text    string
	above   int              // lines of the file above the text
	entity  *core.Entity     // nil when it cannot be kept
	diags   core.Diagnostics // errors, when it cannot
	refused bool             // it is not sent: another differs from it, or it refers to itself
}

// byteOrderMark is what some editors put before a text; it is kept with it.
var byteOrderMark = []byte("\ufeff")

// documentsOf reads every document of files. Those that belong to somebody else are
// left out, counted in foreign.
// place is where a file's documents go that do not say so themselves.
func documentsOf(sources []compile.Source, place func(file string) client.Place) (docs []written, foreign int) {
	for _, src := range sources {
		at, from := place(src.File), 0
		for _, p := range yamldoc.Each(src.File, src.Data) {
			if i := bytes.Index(src.Data[from:], p.Text); i >= 0 {
				from += i
			}
			w := written{file: src.File, at: at, above: bytes.Count(src.Data[:from], []byte("\n")), text: string(p.Text), diags: p.Diagnostics}
			if p.Index == 0 && bytes.HasPrefix(src.Data, byteOrderMark) {
				w.text = string(byteOrderMark) + w.text
			}
			if p.Root != nil && !p.Diagnostics.Blocks() {
				if p.Root.Kind == yamldoc.Null {
					continue // nothing, or comments alone
				}
				if document.KindOf(p.Root) == "" {
					foreign++
					continue
				}
				w.entity, w.diags = document.Parsed(&yamldoc.Document{Index: p.Index, Root: p.Root}, w.text,
					document.Expected{Scope: scopeOf(at), Anywhere: true, File: src.File})
			}
			docs = append(docs, w)
		}
	}
	return docs, foreign
}

// everywhere is one place for all files.
func everywhere(at client.Place) func(string) client.Place {
	return func(string) client.Place { return at }
}

// inOrder sorts documents so that each comes behind what it refers to. What refers in
// a circle keeps the order of its kinds.
func inOrder(docs []written) []written {
	rank := func(w written) int {
		if w.entity == nil {
			return -1
		}
		return slices.Index(document.Kinds(), w.entity.Kind)
	}
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b written) int { return rank(a) - rank(b) })
	at := map[core.EntityRef][]int{}
	for i, w := range docs {
		if w.entity != nil {
			r := w.entity.Unlabelled()
			at[r] = append(at[r], i)
		}
	}
	var out []written
	placed := make([]bool, len(docs))
	var place func(i int)
	place = func(i int) {
		if placed[i] {
			return
		}
		placed[i] = true
		if w := docs[i]; w.entity != nil {
			for _, home := range document.Homes(w.entity.Scope) {
				for _, j := range at[home] {
					place(j)
				}
			}
			for _, used := range w.entity.Uses {
				for _, j := range at[used.Unlabelled()] {
					place(j)
				}
			}
		}
		out = append(out, docs[i])
	}
	for i := range docs {
		place(i)
	}
	return out
}
