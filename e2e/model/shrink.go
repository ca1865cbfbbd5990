package model

// Shrink drops from a pipeline what is not needed for it to fail. What it leaves has
// failed; the pipeline given is changed.
func Shrink(p *Node, fails func(*Node) bool) *Node {
	for again := true; again; {
		again = false
		p.Walk(func(n *Node) {
			again = drop(p, &n.Children, fails) || again
			again = drop(p, &n.Rollback, fails) || again
			again = unwrap(p, &n.Children, fails) || again
			again = drop(p, &n.Failure, fails) || again
			again = drop(p, &n.Answers, fails) || again
			if len(n.Tries) > 1 { // a step has to end somehow
				last := n.Tries[1:]
				again = drop(p, &last, func(p *Node) bool {
					was := n.Tries
					n.Tries = append(was[:1:1], last...)
					if fails(p) {
						return true
					}
					n.Tries = was
					return false
				}) || again
			}
			again = zero(p, &n.When, fails) || again
			again = zero(p, &n.Loop, fails) || again
			again = zero(p, &n.Input, fails) || again
			if n.Kind != Step {
				again = zero(p, &n.Timeout, fails) || again
			}
		})
	}
	return p
}

// drop leaves out members of a list.
func drop[T any](p *Node, list *[]T, fails func(*Node) bool) (done bool) {
	for i := len(*list) - 1; i >= 0; i-- {
		was := *list
		*list = append(was[:i:i], was[i+1:]...)
		if fails(p) {
			done = true
			continue
		}
		*list = was
	}
	return done
}

// unwrap puts the children of a group or parallel in its place.
func unwrap(p *Node, list *[]*Node, fails func(*Node) bool) (done bool) {
	for i := len(*list) - 1; i >= 0; i-- {
		was := *list
		if was[i].Kind != Group && was[i].Kind != Parallel {
			continue
		}
		*list = append(append(was[:i:i], was[i].Children...), was[i+1:]...)
		if fails(p) {
			return true
		}
		*list = was
	}
	return done
}

func zero[T comparable](p *Node, field *T, fails func(*Node) bool) bool {
	var none T
	was := *field
	if was == none {
		return false
	}
	*field = none
	if fails(p) {
		return true
	}
	*field = was
	return false
}
