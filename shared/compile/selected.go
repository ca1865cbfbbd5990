package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// choose leaves out of a pipeline the stages that a run was not asked for: they are
// as if they were not there (BEHAVIOUR §7.12). Those of a pipeline that is a template
// are known when that has been put in.
func (c *compiler) choose(p *yamldoc.Node) {
	list := p.Get("stages")
	if len(c.opt.Stages) == 0 || c.chosen != nil || list == nil || list.Kind != yamldoc.List {
		return
	}
	s := &selection{c: c, wanted: map[string]bool{}, left: map[string]bool{}, all: map[string]bool{}}
	c.chosen = s
	if allow := c.settled(p.Get("allowStageExecutions")); allow == nil || allow.Text != "true" {
		at := p
		if allow != nil {
			at = allow
		}
		c.errorf(at, CodeSelection, "write allowStageExecutions: true", "the pipeline does not allow single stages to be run")
		return
	}
	for _, id := range c.opt.Stages {
		s.wanted[id] = true
	}
	s.choose(list)
	for _, id := range c.opt.Stages {
		if !slices.Contains(s.found, id) {
			help := "its stages: " + strings.Join(slices.Sorted(maps.Keys(s.all)), ", ")
			c.errorf(list, CodeSelection, help, "the pipeline has no stage %q to run", id)
		}
	}
}

// selection is which stages of a pipeline are run.
type selection struct {
	c            *compiler
	wanted, left map[string]bool
	all          map[string]bool
	found        []string
}

// choose keeps the wanted stages of a list.
func (s *selection) choose(list *yamldoc.Node) {
	list.Filter(func(it *yamldoc.Node) bool {
		for _, key := range []string{"parallel", "insert"} {
			in := it.Get(key)
			if key == "insert" {
				in = in.Get("stages")
			}
			if in != nil && in.Kind == yamldoc.List {
				s.choose(in)
				return len(in.Items) > 0
			}
		}
		id := textAt(it.Get("stage"), "identifier")
		s.all[id] = true
		if s.wanted[id] {
			s.found = append(s.found, id)
			return true
		}
		s.left[id] = true
		return false
	})
}

// supply puts the values that were given for expressions in their place, and refuses
// others that read a stage that is left out.
func (s *selection) supply(n *yamldoc.Node) {
	for _, it := range n.Items {
		s.supply(it)
	}
	for _, e := range n.Entries {
		s.supply(e.Value)
	}
	if n.Kind != yamldoc.String || !strings.Contains(n.Text, "stages.") {
		return
	}
	for _, from := range keys(s.c.opt.Expressions) {
		n.Text = strings.ReplaceAll(n.Text, from, s.c.opt.Expressions[from])
	}
	paths, _ := expr.Refs(n.Text) // what is wrong with it is told elsewhere
	if more, err := expr.ConditionRefs(n.Text); err == nil && n.Name() == "condition" {
		paths = more
	}
	for _, p := range paths {
		names := p.Names
		if len(names) > 0 && names[0] == "pipeline" {
			names = names[1:]
		}
		if len(names) > 1 && names[0] == "stages" && s.left[names[1]] {
			s.c.add(core.SeverityError, n, n.Pos, CodeSelection, "<+"+p.String()+"> reads stage "+names[1]+", which is not among the stages that run",
				"run that stage too, or give a value for the expression")
			return
		}
	}
}
