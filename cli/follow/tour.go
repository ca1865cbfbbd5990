package follow

import "github.com/slipway-cd/slipway/shared/view"

// change is a node's start or end.
type change struct {
	node view.Node
	end  bool
	at   int64 // ms, 0 when it has not happened
}

// tour lists every node's start and end as a walk through the plan passes them:
// what happened in the same millisecond happened in this order.
func tour(nodes []view.Node) []change {
	children := map[string][]view.Node{}
	known := map[string]bool{}
	for _, n := range nodes { // parents come first
		parent := n.Parent
		if !known[parent] {
			parent = "" // the pipeline itself
		}
		known[n.FQN] = true
		children[parent] = append(children[parent], n)
	}
	var out []change
	var walk func(parent string)
	walk = func(parent string) {
		for _, n := range children[parent] {
			out = append(out, change{node: n, at: n.Started})
			walk(n.FQN)
			out = append(out, change{node: n, end: true, at: n.Finished})
		}
	}
	walk("")
	return out
}
