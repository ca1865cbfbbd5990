package ng

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// readWrapped reads the body of kinds whose bodies are their document in JSON:
// {"connector": {…}}. A YAML body is kept byte for byte.
func readWrapped(kind core.EntityKind) func(*request.Call) (sent, error) {
	return func(c *request.Call) (sent, error) {
		raw, err := httpio.Bytes(c.Request, httpio.MaxBody)
		if err != nil {
			return sent{}, err
		}
		return wrapped(c, kind, raw, strings.Contains(c.Header.Get("Content-Type"), "yaml"))
	}
}

func wrapped(c *request.Call, kind core.EntityKind, raw []byte, verbatim bool) (sent, error) {
	key := document.Root(kind)
	docs, diags := yamldoc.Parse(key+".yaml", raw)
	if diags.Blocks() {
		return sent{}, httpio.Diagnosed(diags)
	}
	if len(docs) != 1 || docs[0].Root.Get(key) == nil || docs[0].Root.Get(key).Kind != yamldoc.Map {
		return sent{}, fault.New(fault.Invalid, "the body is {%q: {…}}", key)
	}
	root := docs[0].Root
	inner := root.Get(key)
	if account := text(inner, "accountIdentifier"); account != "" && account != c.At.Account {
		return sent{}, fault.New(fault.Forbidden, "the token is of another account than %q", account)
	}
	n := named{Identifier: text(inner, "identifier"), Org: text(inner, "orgIdentifier"), Project: text(inner, "projectIdentifier")}
	at, err := n.home(c)
	if err != nil {
		return sent{}, err
	}
	s := sent{at: at, text: string(raw), id: n.Identifier}
	if verbatim {
		return s, nil
	}
	root.Entries = slices.DeleteFunc(root.Entries, func(e yamldoc.Entry) bool { return e.Key.Text != key })
	tidy(inner)
	s.text, err = root.Encode()
	return s, err
}

func text(n *yamldoc.Node, key string) string {
	if v := n.Get(key); v.Scalar() && v.Kind != yamldoc.Null {
		return v.Text
	}
	return ""
}

// repeated are fields in which clients say again, or leave empty, what stands elsewhere.
var repeated = []string{"connectorType", "_"}

// tidy leaves out what JSON clients send of fields that were not set: nulls, and what
// they repeat.
func tidy(n *yamldoc.Node) {
	n.Entries = slices.DeleteFunc(n.Entries, func(e yamldoc.Entry) bool {
		return e.Value.Kind == yamldoc.Null || slices.Contains(repeated, e.Key.Text)
	})
	for _, e := range n.Entries {
		tidy(e.Value)
	}
	for _, it := range n.Items {
		tidy(it)
	}
}
