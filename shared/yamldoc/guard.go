package yamldoc

import (
	"fmt"

	"github.com/goccy/go-yaml/token"

	"github.com/slipway-cd/slipway/shared/core"
)

// guard holds a document to its bounds on the flat list of tokens, before the
// parser builds anything: the parser recurses with depth and with the keys of a
// block map, and takes quadratic time over those and over empty values.
func guard(file string, first int, tokens token.Tokens) *core.Diagnostic {
	g := guardState{}
	for i, tk := range tokens {
		var next *token.Token
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		if msg, help := g.see(tk, next); msg != "" {
			return at(file, first+tk.Position.Line, tk.Position.Column, CodeTooLarge, msg, help)
		}
	}
	return nil
}

// opened is a block map or list that has begun.
type opened struct {
	col  int
	dash bool
	keys int // of a map, so far
}

type guardState struct {
	block                         []opened // open block maps and lists, by column
	flow                          int      // open [ and {
	keys                          int      // of the block map last added to
	aliases, values, empty, props int
}

func (g *guardState) see(tk, next *token.Token) (msg, help string) {
	if len(tk.Value) > MaxScalar && tk.Type != token.CommentType {
		return fmt.Sprintf("a value is larger than %d KB", MaxScalar>>10), "keep large content in a file and refer to it"
	}
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		g.flow++
	case token.SequenceEndType, token.MappingEndType:
		g.flow = max(0, g.flow-1)
	case token.AliasType:
		g.aliases++
	case token.SequenceEntryType, token.MappingKeyType:
		g.open(tk.Position.Column, true)
	case token.MappingValueType:
		if tk.Prev != nil && g.flow == 0 {
			g.open(tk.Prev.Position.Column, false)
		}
	default:
	}
	if tk.Type == token.TagType || tk.Type == token.AnchorType {
		g.props++
	} else if tk.Prev == nil || tk.Prev.Type != token.AnchorType {
		g.props = 0
	}
	if emptyAfter(tk, next, g.flow > 0) {
		g.empty++
	}
	g.values++
	switch {
	case len(g.block)+g.flow > MaxDepth || g.props > MaxDepth:
		return fmt.Sprintf("maps and lists are nested more than %d deep", MaxDepth), "flatten the document"
	case g.keys > MaxKeys:
		return fmt.Sprintf("more than %d keys in one map", MaxKeys), "split it"
	case g.aliases > MaxAliases:
		return fmt.Sprintf("more than %d aliases", MaxAliases), "write the values out"
	case g.empty > MaxEmpty:
		return fmt.Sprintf("more than %d keys or list items without a value", MaxEmpty), "remove them"
	case g.values > 2*MaxNodes:
		return fmt.Sprintf("more than %d values", MaxNodes), "split the document"
	}
	return "", ""
}

// open notes that a key or a dash stands at a column, closing what is deeper.
func (g *guardState) open(col int, dash bool) {
	g.keys = 1
	for n := len(g.block); n > 0; n = len(g.block) {
		top := g.block[n-1]
		if top.col < col || top.col == col && dash && !top.dash {
			break
		}
		if top.col == col && !dash && !top.dash {
			g.keys = top.keys + 1
		}
		g.block = g.block[:n-1]
	}
	g.block = append(g.block, opened{col, dash, g.keys})
}

// emptyAfter reports whether a colon or a dash has nothing after it.
func emptyAfter(tk, next *token.Token, flow bool) bool {
	if tk.Type != token.MappingValueType && tk.Type != token.SequenceEntryType && tk.Type != token.CollectEntryType {
		return false
	}
	if next == nil {
		return true
	}
	if flow {
		return next.Type == token.CollectEntryType || next.Type == token.SequenceEndType || next.Type == token.MappingEndType
	}
	if next.Position.Line == tk.Position.Line {
		return false
	}
	col := tk.Position.Column
	if tk.Type == token.MappingValueType && tk.Prev != nil {
		col = tk.Prev.Position.Column
		if next.Type == token.SequenceEntryType && next.Position.Column == col {
			return false
		}
	}
	return next.Position.Column <= col
}
