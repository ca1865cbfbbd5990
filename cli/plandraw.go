package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/strategy"
)

// drawing draws a plan like the YAML it is made of.
type drawing struct {
	out   io.Writer
	theme screen.Theme
	planned
}

// column is where remarks begin, where the line leaves room.
const column = 64

// line writes a line with a remark behind it.
func (d *drawing) line(indent, text, remark string) { d.paint(screen.Plain, indent, text, remark) }

func (d *drawing) paint(ink screen.Ink, indent, text, remark string) {
	text = d.theme.Clean(text)
	room := column - utf8.RuneCountInString(indent+text)
	if text = indent + d.theme.Paint(ink, text); remark != "" {
		text += strings.Repeat(" ", max(2, room)) + d.theme.Paint(screen.Dim, "# "+d.theme.Clean(remark))
	}
	fmt.Fprintln(d.out, text)
}

// told are the fields that a node's heading or a list element's name tells.
var told = regexp.MustCompile(`^(identifier|name|type)$|^variables\.[^.]+\.(name|type)$|\.environmentVariables\.[^.]+\.(name|type)$`)

func (d *drawing) node(n *core.Node, indent string) {
	if n.Kind == core.KindParallel {
		d.line(indent, "- parallel:", "")
	} else {
		d.heading(n, indent)
	}
	below := indent + "  "
	for _, f := range d.Fields[n.FQN] {
		if !told.MatchString(f.Path) {
			d.field(f, below)
		}
	}
	d.loop(n, below)
	for _, c := range n.Children {
		d.node(c, below)
	}
	if len(n.Rollback) > 0 {
		d.line(below, "rollback:", "")
		for _, c := range n.Rollback {
			d.node(c, below+"  ")
		}
	}
}

func (d *drawing) heading(n *core.Node, indent string) {
	kind := string(n.Kind)
	if n.Kind == core.KindGroup {
		kind = "stepGroup"
	}
	text := kind + ": " + n.Identifier
	if n.Kind != core.KindPipeline {
		text = "- " + text
	}
	if n.Type != "" {
		text += " (" + n.Type + ")"
	}
	remark := place(n.Pos)
	if n.Name != n.Identifier {
		remark = n.Name + ", " + remark
	}
	for _, u := range d.Uses[n.FQN] {
		remark += ", template " + u.Template + " in " + u.File
	}
	d.paint(screen.Bold, indent, text, remark)
}

func (d *drawing) field(f compile.Field, indent string) {
	text, rest := shown(f.Value)
	d.line(indent, f.Path+": "+text, origin(f.Origin))
	for _, l := range rest {
		d.line(indent+"  ", l, "")
	}
}

// shown is a value on one line, or | and the lines it has.
func shown(v any) (first string, rest []string) {
	s, ok := v.(string)
	if list, isList := v.([]any); isList && !slices.ContainsFunc(list, nested) {
		words := make([]string, len(list))
		for i, x := range list {
			words[i], _ = shown(x)
		}
		return "[" + strings.Join(words, ", ") + "]", nil
	}
	switch {
	case !ok:
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v), nil
		}
		return string(b), nil
	case strings.Contains(s, "\n"):
		return "|", strings.Split(strings.TrimRight(s, "\n"), "\n")
	case s == "" || strings.TrimSpace(s) != s || strings.Contains(s, " #") || strings.HasPrefix(s, "\""):
		return fmt.Sprintf("%q", s), nil
	}
	return s, nil
}

// nested reports a value that takes more than a word in a list.
func nested(v any) bool {
	switch v := v.(type) {
	case []any, map[string]any:
		return true
	case string:
		return strings.ContainsAny(v, ",\n")
	}
	return false
}

func place(p core.Position) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// origin is where a value comes from, in words.
func origin(o compile.Origin) string {
	of := ""
	if o.Of != "" {
		of = " " + o.Of
	}
	switch o.By {
	case compile.ByInput:
		return "--input"
	case compile.ByInputSet:
		return place(o.Position) + ", input set" + of
	case compile.ByTemplate:
		return place(o.Position) + ", template" + of
	case compile.ByDefault:
		return place(o.Position) + ", default of the input"
	case compile.ByNobody:
		return place(o.Position) + ", an input nobody gave"
	case compile.ByService, compile.ByEnvironment, compile.ByInfrastructure, compile.ByOverride:
		return place(o.Position) + ", " + string(o.By) + of
	case compile.ByPipeline:
	}
	return place(o.Position)
}

// maxShown is how many iterations of a loop are drawn.
const maxShown = 20

func (d *drawing) loop(n *core.Node, indent string) {
	if n.Loop == nil {
		return
	}
	if needs := strategy.Needs(n.Loop); len(needs) > 0 {
		d.line(indent, "→ as many iterations as the run comes to, from "+strings.Join(needs, ", "), "")
		return
	}
	its := d.Loops[n.FQN]
	for i, it := range its {
		if i == maxShown {
			d.line(indent, fmt.Sprintf("→ and %d more, %d in all", len(its)-i, len(its)), "")
			return
		}
		text := "→ " + it.Identifier
		for _, a := range n.Loop.Axes {
			v, _ := shown(it.Matrix[a.Name])
			text += "  " + a.Name + "=" + v
		}
		if n.Loop.Kind == core.LoopDeployment {
			text += fmt.Sprintf("  %v to %v/%v", it.Matrix["serviceRef"], it.Matrix["environmentRef"], it.Matrix["identifier"])
		}
		if it.Item != nil && n.Loop.Items != nil {
			v, _ := shown(it.Item)
			text += "  " + v
		}
		if it.Partition != nil {
			v, _ := shown(it.Partition)
			text += "  " + v
		}
		d.line(indent, text, "")
	}
}
