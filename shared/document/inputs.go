package document

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// identity are the keys that tell which element of a list, or which type of thing, an
// input belongs to.
var identity = []string{"identifier", "name", "type"}

// Inputs is the runtime-input template of a document (BEHAVIOUR §12.4): what of it is a
// runtime input, with the keys that say what that belongs to. It begins below the keys
// of within; "" when there are no inputs.
func Inputs(text string, within ...string) (string, error) {
	docs, diags := yamldoc.Parse("", []byte(text))
	if diags.Blocks() || len(docs) == 0 {
		return "", fault.New(fault.Invalid, "the document cannot be read: %s", diags)
	}
	root := docs[0].Root.At(within...)
	if root == nil {
		return "", nil
	}
	kept := inputs(root)
	if kept == nil {
		return "", nil
	}
	return kept.Encode()
}

// inputs copies of a node what leads to runtime inputs, nil when nothing does.
func inputs(n *yamldoc.Node) *yamldoc.Node {
	switch n.Kind {
	case yamldoc.Map:
		return inputsOfMap(n)
	case yamldoc.List:
		out := yamldoc.NewList(n.Pos)
		for _, it := range n.Items {
			if kept := inputs(it); kept != nil {
				out.Append(kept)
			}
		}
		if len(out.Items) > 0 {
			return out
		}
	case yamldoc.String:
		if strings.HasPrefix(n.Text, "<+input>") {
			return n.Clone()
		}
	default: // no input
	}
	return nil
}

func inputsOfMap(n *yamldoc.Node) *yamldoc.Node {
	out, some := yamldoc.NewMap(n.Pos), false
	for _, e := range n.Entries {
		if kept := inputs(e.Value); kept != nil {
			out.Put(e.Key, kept)
			some = true
		} else if e.Value.Scalar() && identifies(n, e.Key.Text) {
			out.Put(e.Key, e.Value.Clone())
		}
	}
	if !some {
		return nil
	}
	return out
}

// identifies reports whether a key tells what a map is: a name does where there is no
// identifier.
func identifies(n *yamldoc.Node, key string) bool {
	for _, k := range identity {
		if k == key {
			return key != "name" || n.Get("identifier") == nil
		}
	}
	return false
}
