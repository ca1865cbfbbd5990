package explain

import (
	"encoding/json"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

// inputs are the runtime inputs of a node: those in its own fields, and the variables
// that its fields read; of the run itself all.
func (s *Story) inputs(n *core.Node) []Link {
	var links []Link
	reads := read(n)
	for _, o := range s.run.Plan.Origins {
		if n.Kind != core.KindPipeline && !s.owns(n, o.Path) && !reads["pipeline."+o.Path] && !reads[o.Path] {
			continue
		}
		text := strings.TrimPrefix(o.Path, "variables.") + " = " + quote(o.Value) + ", " + from[o.By]
		if o.Of != "" {
			text += " " + o.Of
		}
		links = append(links, Link{Of: OfInput, Text: text, Pos: place(o.Pos)})
	}
	return links
}

// from says what gave a value.
var from = map[string]string{
	"input": "given for the run", "input set": "from input set", "default": "the default of the input",
	"nobody": "for nobody gave one", "template": "from template", "pipeline": "from the pipeline",
}

// owns reports whether the path leads into a field of the node itself.
func (s *Story) owns(n *core.Node, path string) bool {
	inside := func(n *core.Node) bool { return strings.HasPrefix(path, strings.TrimPrefix(n.FQN, "pipeline.")+".") }
	if n.Kind == core.KindPipeline || !inside(n) {
		return false
	}
	for _, c := range append(append([]*core.Node{}, n.Children...), n.Rollback...) {
		if c.FQN != "" && inside(c) {
			return false
		}
	}
	return true
}

// read are the names of variables that a node's own fields read.
func read(n *core.Node) map[string]bool {
	names := map[string]bool{}
	add := func(paths []expr.Path) {
		for _, p := range paths {
			names[p.String()] = true
		}
	}
	if body, err := json.Marshal(n.Spec); err == nil {
		text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\"`, `"`).Replace(string(body))
		paths, _ := expr.Refs(text)
		add(paths)
	}
	if n.When != nil {
		paths, _ := expr.ConditionRefs(n.When.Condition)
		add(paths)
	}
	return names
}
