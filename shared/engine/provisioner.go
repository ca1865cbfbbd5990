package engine

import "github.com/slipway-cd/slipway/shared/core"

// provisioner is the group of the steps that make a stage's infrastructure first, nil
// for none (BEHAVIOUR §3.8).
func provisioner(stage *core.Node) *core.Node {
	if len(stage.Children) > 0 && stage.Children[0].FQN == stage.FQN+core.ProvisionerPath {
		return stage.Children[0]
	}
	return nil
}

// provisioner is that group for expressions, null for none.
func (d *deployed) provisioner() any {
	if p := provisioner(d.at.w.run.enclosing(d.at.n, core.KindStage)); p != nil {
		return &node{d.at, p}
	}
	return nil
}

// made is an output of one of the steps that made the infrastructure, as
// <+provisioner.NAME> asks for it: of several of that name the last one's.
func (o *node) made(key string) (v any, ok bool, err error) {
	stage := o.s.w.run.Parent(o.n)
	if o.n.Kind != core.KindGroup || stage == nil || stage.Kind != core.KindStage || provisioner(stage) != o.n {
		return nil, false, nil
	}
	for _, step := range leaves(o.n) {
		f, err := o.s.lookup(step, true)
		if err != nil {
			return nil, false, err
		}
		all, _ := o.s.outputs(f.Outputs).(map[string]any)
		for _, from := range []any{all, all["outputVariables"]} {
			if m, is := from.(map[string]any); is && m[key] != nil {
				v, ok = m[key], true
			}
		}
	}
	return v, ok, nil
}

// leaves are the steps below a node, in order.
func leaves(n *core.Node) (out []*core.Node) {
	if n.Kind == core.KindStep {
		return []*core.Node{n}
	}
	for _, c := range n.Children {
		out = append(out, leaves(c)...)
	}
	return out
}
