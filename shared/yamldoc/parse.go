package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"

	"github.com/slipway-cd/slipway/shared/core"
)

// Parse reads all documents of a YAML stream. A document that cannot be read is
// left out and said in the diagnostics; the others are still returned, each with
// its index in the stream. An empty input is one empty document.
func Parse(file string, data []byte) ([]*Document, core.Diagnostics) {
	var docs []*Document
	var diags core.Diagnostics
	for _, p := range Each(file, data) {
		diags = append(diags, p.Diagnostics...)
		if p.Root != nil {
			docs = append(docs, &Document{Index: p.Index, Root: p.Root})
		}
	}
	return docs, diags
}

// Parsed is one document of a stream with what is wrong with its YAML.
type Parsed struct {
	Index       int   // from 0
	Root        *Node // nil when it cannot be read
	Last        int   // the line before the next document, math.MaxInt of the last one
	Diagnostics core.Diagnostics
	Text        []byte // the document as it stands in the stream, without the line that parts it from the one before
}

// Each reads all documents of a YAML stream, those that cannot be read included.
func Each(file string, data []byte) []Parsed {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if d := foreignText(file, data); d != nil {
		return []Parsed{{Diagnostics: core.Diagnostics{*d}}}
	}
	src := newSource(file, data)
	var out []Parsed
	chunks := split(data)
	for i, c := range chunks {
		if i == MaxDocuments {
			return append(out, Parsed{Index: i, Diagnostics: core.Diagnostics{*at(file, c.first+1, 1, CodeTooLarge,
				fmt.Sprintf("more than %d documents in one file", MaxDocuments), "split the file")}})
		}
		root, ds := parseChunk(src, c)
		last := math.MaxInt
		if i+1 < len(chunks) {
			last = chunks[i+1].first
		}
		out = append(out, Parsed{i, root, last, ds, c.text(len(chunks))})
	}
	return out
}

// foreignText refuses text in another encoding than UTF-8 by how it begins: each
// of its letters would be a complaint of its own.
func foreignText(file string, data []byte) *core.Diagnostic {
	name := ""
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		name = "UTF-32"
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		name = "UTF-16"
	case len(data) > 3 && (data[0] == 0 && data[1] != 0 && data[2] == 0 || data[0] != 0 && data[1] == 0 && data[3] == 0):
		name = "UTF-16"
	default:
		return nil
	}
	return at(file, 1, 1, CodeSyntax, "the text is "+name+", not UTF-8", "save the file as UTF-8")
}

func parseChunk(src *source, c chunk) (root *Node, diags core.Diagnostics) {
	// The library is guarded by fuzzing, not proven: a crash in it is one
	// document's error, not the process's.
	defer func() {
		if r := recover(); r != nil {
			root, diags = nil, core.Diagnostics{*at(src.file, c.first+1, 1, CodeSyntax, "the document is not valid YAML", "")}
		}
	}()
	if d := c.scan(src.file); d != nil {
		return nil, core.Diagnostics{*d}
	}
	if d := c.measure(src.file); d != nil {
		return nil, core.Diagnostics{*d}
	}
	if root, ok := readPlain(src, c); ok {
		return root, nil
	}
	return parseAny(src, c)
}

// parseAny reads a document of any form.
func parseAny(src *source, c chunk) (root *Node, diags core.Diagnostics) {
	tokens := lexer.Tokenize(string(c.data))
	if d := guard(src.file, c.first, tokens); d != nil {
		return nil, core.Diagnostics{*d}
	}
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, core.Diagnostics{*syntaxError(src.file, c.first, err)}
	}
	cv := &converter{src: src, first: c.first, anchors: map[string]ast.Node{}}
	for _, d := range f.Docs {
		if d.Body == nil {
			continue
		}
		if root != nil {
			cv.fail(d.Body, CodeSyntax, "unexpected content after the end of the document", "separate documents with a line ---")
			break
		}
		root = cv.node(d.Body, 0)
	}
	if root == nil {
		root = &Node{Pos: core.Position{File: src.file, Line: c.first + 1, Column: 1}, src: src}
	}
	if cv.stopped {
		return nil, cv.diags
	}
	return root, cv.diags
}

// words says the library's complaints in the words of a user. Matched by
// substring, in order.
var words = []struct{ have, say, help string }{
	{"found character '\t'", "a tab stands where YAML needs spaces", "indent with spaces"},
	{"mapping value is not allowed in this context", "a second `key:` on the same line", "put the value in quotes or on a line of its own, indented"},
	{"could not find end character of double-quoted", "a string opened with \" is not closed", "add the closing quote"},
	{"could not find end character of single-quoted", "a string opened with ' is not closed", "add the closing quote"},
	{"',' or ']' must be", "a list opened with [ is not closed", "add , or ]"},
	{"sequence end token ']' not found", "a list opened with [ is not closed", "add ]"},
	{"',' or '}' must be", "a map opened with { is not closed", "add , or }; put text that begins with { in quotes"},
	{"could not find flow mapping end", "a map opened with { is not closed", "add }; put text that begins with { in quotes"},
	{"'[' character corresponding", "a ] without its [", "remove it or put the text in quotes"},
	{"'{' character corresponding", "a } without its {", "remove it or put the text in quotes"},
	{"block sequence entries are not allowed", "a list item cannot begin here", "begin it on a new line, indented like its neighbours"},
	{"non-map value is specified", "a plain value stands where a `key: value` is expected", "check the indentation and the colon"},
	{"value is not allowed in this context", "this does not belong here", "check the indentation"},
	{"unexpected key name", "a key without a colon", "write key: value"},
	{"cannot start any token", "a value cannot begin with this character", "put the value in quotes"},
	{"found an invalid key", "a key must be a plain word", "put text that begins with { or [ in quotes"},
	{"reserved", "a value cannot begin with this character", "put the value in quotes"},
	{"undefined alias", "an alias * without a name", "put text that begins with * in quotes"},
	{"undefined anchor", "an anchor & without a name", "put text that begins with & in quotes"},
	{"alias value", "an alias * without a name", "put text that begins with * in quotes"},
}

func syntaxError(file string, first int, err error) *core.Diagnostic {
	var se *yaml.SyntaxError
	if !errors.As(err, &se) || se.Token == nil || se.Token.Position == nil {
		msg, _, _ := strings.Cut(err.Error(), "\n")
		return at(file, first+1, 1, CodeSyntax, "the document is not valid YAML: "+msg, "")
	}
	pos := se.Token.Position
	for _, w := range words {
		if strings.Contains(se.Message, w.have) {
			return at(file, first+pos.Line, pos.Column, CodeSyntax, w.say, w.help)
		}
	}
	return at(file, first+pos.Line, pos.Column, CodeSyntax, "not valid YAML: "+se.Message, "")
}
