package door

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// executionInputRoutes are Harness's for values that are given while running (BEHAVIOUR §12.3).
func (d *door) executionInputRoutes() httpio.Routes {
	const route = " /pipeline/api/pipeline/execution-input/{node}"
	return httpio.Routes{
		"GET" + route:  request.Project(d.inputTemplate),
		"POST" + route: request.Project(d.submitInput),
	}
}

// inputTemplate tells what a node asks for, as the YAML to be filled in.
func (d *door) inputTemplate(c *request.Call) (httpio.Answer, error) {
	_, n, err := d.askingNode(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, map[string]any{"nodeExecutionId": c.PathValue("node"), "inputTemplate": template(n), "userInput": nil}), nil
}

// submitInput gives a node the values that a filled-in template has.
func (d *door) submitInput(c *request.Call) (httpio.Answer, error) {
	body, err := httpio.Bytes(c.Request, httpio.MaxBody)
	if err != nil {
		return httpio.Answer{}, err
	}
	text := string(body)
	if strings.HasPrefix(strings.TrimSpace(text), `"`) {
		if err := json.Unmarshal(body, &text); err != nil {
			return httpio.Answer{}, fault.New(fault.Invalid, "the body is no JSON string: %w", err)
		}
	}
	r, n, err := d.askingNode(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	values, err := filledIn(n, text)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.give(c, r, n, values); err != nil {
		return httpio.Answer{}, err
	}
	return httpio.OK(c.Request, map[string]any{"nodeExecutionId": c.PathValue("node"), "status": "SUCCESS"}), nil
}

// maxOpen is among how many of a project's latest runs a node is looked for.
const maxOpen = 2000

// askingNode finds the node that waits for input under an id. The id alone does not tell
// the run: it is the query's planExecutionId, or one of the project's that are open.
func (d *door) askingNode(c *request.Call) (*engine.Run, *core.Node, error) {
	id := c.PathValue("node")
	if run := c.Q.Get("planExecutionId"); run != "" {
		if err := d.inProject(c, govern.View, run); err != nil {
			return nil, nil, err
		}
		if r, n, err := d.asksIn(c, run, id); err != nil || n != nil {
			return r, n, err
		}
		return nil, nil, fault.New(fault.NotFound, "no node %s of run %s waits for input", id, run)
	}
	for seen, cursor := 0, ""; seen < maxOpen; {
		runs, next, err := d.Views.List(c.Ctx, c.At, 100, cursor)
		if err != nil {
			return nil, nil, err
		}
		for _, run := range runs {
			if run.Status.Terminal() {
				continue
			}
			if r, n, err := d.asksIn(c, run.ID, id); err != nil || n != nil {
				return r, n, err
			}
		}
		if seen, cursor = seen+len(runs), next; next == "" {
			break
		}
	}
	return nil, nil, fault.New(fault.NotFound, "no node %s waits for input in project %s", id, c.At.Project)
}

func (d *door) asksIn(c *request.Call, run, id string) (*engine.Run, *core.Node, error) {
	r, tracks, err := d.Journal.Whole(c.Ctx, c.Who.Account, run)
	if err != nil {
		return nil, nil, err
	}
	var found *core.Node
	r.Walk(func(n *core.Node) {
		if len(n.Asks) == 0 || engine.NodeExecutionID(run, n.FQN) != id {
			return
		}
		if t := tracks[r.Owner(n.FQN)]; t != nil && t.Nodes[n.FQN] != nil && t.Nodes[n.FQN].Status == core.InputWaiting {
			found = n
		}
	})
	return r, found, nil
}

// kindKey is the key that a node of a kind stands below.
func kindKey(n *core.Node) string {
	if n.Kind == core.KindGroup {
		return "stepGroup"
	}
	return string(n.Kind)
}

// below is what of an input's path is inside the node: the path has the parts of the node's
// full path but the first.
func below(n *core.Node, path string) []string {
	parts := strings.Split(path, ".")
	if at := strings.Count(n.FQN, "."); at < len(parts) {
		return parts[at:]
	}
	return parts
}

// template is the YAML of what a node asks for.
func template(n *core.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n  identifier: %s\n", kindKey(n), strconv.Quote(n.Identifier))
	var last []string
	for _, a := range n.Asks {
		path := below(n, a.Path)
		at := 0
		for at < len(path)-1 && at < len(last)-1 && path[at] == last[at] {
			at++
		}
		for ; at < len(path)-1; at++ {
			fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", at+1), path[at])
		}
		marker := "<+input>.executionInput()"
		if len(a.One) > 0 {
			marker += ".allowedValues(" + strings.Join(a.One, ",") + ")"
		}
		if a.Default != nil {
			marker += ".default(" + *a.Default + ")"
		}
		fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", len(path)), path[len(path)-1], strconv.Quote(marker))
		last = path
	}
	return b.String()
}

// filledIn are the values of a filled-in template by what asks for them. What was left as
// it was is not given.
func filledIn(n *core.Node, text string) (map[string]string, error) {
	docs, diags := yamldoc.Parse("input.yaml", []byte(text))
	if diags.Blocks() || len(docs) != 1 {
		return nil, fault.New(fault.Invalid, "the body is no YAML: %s", diags)
	}
	leaves := map[string]string{}
	collectLeaves(docs[0].Root, nil, leaves)
	values := map[string]string{}
	for _, a := range n.Asks {
		for path, v := range leaves {
			if (a.Path == path || strings.HasSuffix(a.Path, "."+path)) && !strings.HasPrefix(v, "<+input>") {
				values[a.Path] = v
			}
		}
	}
	return values, nil
}

// collectLeaves notes the scalars below a node of a document by their paths, without the
// key that says what kind of node it is. Items of a list are called as they name themselves.
func collectLeaves(n *yamldoc.Node, path []string, leaves map[string]string) {
	switch {
	case n.Kind == yamldoc.Map:
		for _, e := range n.Entries {
			at := append(slices.Clip(path), e.Key.Text)
			if len(path) == 0 && slices.Contains([]string{"step", "stepGroup", "stage"}, e.Key.Text) {
				at = nil
			}
			collectLeaves(e.Value, at, leaves)
		}
	case n.Kind == yamldoc.List:
		for _, it := range n.Items {
			name := it.Get("name")
			if value := it.Get("value"); name != nil && value != nil {
				collectLeaves(value, append(slices.Clip(path), name.Text), leaves)
			}
		}
	case n.Scalar():
		leaves[strings.Join(path, ".")] = n.Text
	}
}
