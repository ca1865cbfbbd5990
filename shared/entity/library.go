package entity

import (
	"context"
	"strings"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Shelves are the documents of an account as the compiler reads them. They are for one
// compilation: what was found once is found again, whatever is changed meanwhile.
type Shelves struct {
	ctx       context.Context //nolint:containedctx // the compiler knows none
	catalogue *Catalogue
	account   string
	read      map[core.EntityRef]*compile.Source
	lists     map[core.EntityRef][]Listed // by kind, scope and identifier
	err       error
}

// Shelves returns an account's documents for one compilation.
func (c *Catalogue) Shelves(ctx context.Context, account string) *Shelves {
	return &Shelves{ctx: ctx, catalogue: c, account: account, read: map[core.EntityRef]*compile.Source{}, lists: map[core.EntityRef][]Listed{}}
}

// Err is what kept a document from being read, nil when all were. What was compiled
// with an error is not to be used.
func (s *Shelves) Err() error { return s.err }

// Find is the compile.Library.
func (s *Shelves) Find(r compile.Reference) (compile.Source, bool) {
	ref, ok := s.locate(r)
	if !ok || s.err != nil {
		return compile.Source{}, false
	}
	if src, ok := s.read[ref]; ok {
		if src == nil {
			return compile.Source{}, false
		}
		return *src, true
	}
	e, err := s.catalogue.Get(s.ctx, ref)
	switch {
	case fault.Is(err, fault.NotFound):
		s.read[ref] = nil
		return compile.Source{}, false
	case err != nil:
		s.err = err
		return compile.Source{}, false
	}
	src := compile.Source{File: fileName(e.EntityRef), Data: []byte(e.YAML)}
	s.read[ref] = &src
	return src, true
}

// fileName is what diagnostics call a stored document.
func fileName(r core.EntityRef) string {
	name := r.Scope.Prefix() + r.Identifier
	if r.Label != "" {
		name += "@" + r.Label
	}
	return string(r.Kind) + "/" + name + ".yaml"
}

// locate turns a compiler's reference into a stored entity's.
func (s *Shelves) locate(r compile.Reference) (core.EntityRef, bool) {
	at := r.At
	at.Account = s.account
	ref := core.EntityRef{Kind: core.EntityKind(r.Kind), Scope: at, Identifier: r.Identifier}
	if r.Nth > 0 {
		return s.nth(ref, r)
	}
	switch ref.Kind {
	case core.EntityInputSet:
		ref.Parent = r.Pipeline
	case core.EntityInfrastructure:
		ref.Parent = r.Environment
	case core.EntityTemplate:
		if ref.Label = r.Version; ref.Label == "" && !strings.EqualFold(r.Label, "stable") {
			ref.Label = r.Label
		}
	default: // the identifier is all
	}
	if ref.Parent == "" && (ref.Kind == core.EntityInputSet || ref.Kind == core.EntityInfrastructure) {
		rows := s.rows(ref.Kind, at, r.Identifier)
		if len(rows) == 0 {
			return ref, false
		}
		ref.Parent = rows[0].Parent
	}
	return ref, true
}

// nth is one of those that can be seen from a scope: the account's first, then the
// organization's and the project's.
func (s *Shelves) nth(ref core.EntityRef, r compile.Reference) (core.EntityRef, bool) {
	n := r.Nth
	for _, at := range Visible(ref.Scope) {
		for _, row := range s.rows(ref.Kind, at, "") {
			if r.Environment != "" && row.Parent != "" && row.Parent != r.Environment {
				continue
			}
			if n--; n == 0 {
				return row.Ref(ref.Kind), true
			}
		}
	}
	return ref, false
}

// Visible are the scopes whose entities can be referred to from a scope, widest first.
func Visible(s core.Scope) []core.Scope {
	out := []core.Scope{{Account: s.Account}}
	if s.Org != "" {
		out = append(out, core.Scope{Account: s.Account, Org: s.Org})
	}
	if s.Project != "" {
		out = append(out, s)
	}
	return out
}

// rows are the entities of a kind in a scope, of one identifier unless it is "".
func (s *Shelves) rows(kind core.EntityKind, at core.Scope, id string) []Listed {
	key := core.EntityRef{Kind: kind, Scope: at, Identifier: id}
	if rows, ok := s.lists[key]; ok {
		return rows
	}
	q := Query{Kind: kind, Scope: at}
	if id != "" {
		q.Identifiers = []string{id}
	}
	rows, _, err := s.catalogue.List(s.ctx, q)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.lists[key] = rows
	return rows
}
