package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a mapping of a document: JSON is YAML.
type object = map[string]any

// writer writes a pipeline down. Steps are referred to by their full paths.
type writer struct{ paths map[string]string }

// YAML is the pipeline as a user would write it.
func YAML(p *Node) []byte {
	w := writer{paths: map[string]string{}}
	for _, s := range p.Children {
		w.find(s, "pipeline.stages.")
	}
	doc := object{
		"identifier": p.ID, "name": p.ID, "stages": w.list(p.Children),
		"variables": []any{
			object{"name": "yes", "type": "String", "value": "true"},
			object{"name": "no", "type": "String", "value": "false"},
		},
	}
	if p.Timeout > 0 {
		doc["timeout"] = seconds(p.Timeout)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(object{"pipeline": doc}); err != nil {
		panic(err) // plain data
	}
	return b.Bytes()
}

func seconds(n int) string { return fmt.Sprintf("%ds", n) }

// find notes how expressions spell the steps below.
func (w writer) find(n *Node, at string) {
	in := at
	switch n.Kind {
	case Stage:
		in = at + n.ID + ".spec.execution.steps."
	case Group:
		in = at + n.ID + ".steps."
	case Step:
		w.paths[n.ID] = at + n.ID
	case Pipeline, Parallel:
	}
	for _, c := range n.Children {
		w.find(c, in)
	}
}

func (w writer) list(nodes []*Node) []any {
	var out []any
	for _, n := range nodes {
		out = append(out, w.node(n))
	}
	return out
}

func (w writer) node(n *Node) object {
	if n.Kind == Parallel {
		return object{"parallel": w.list(n.Children)}
	}
	m := object{"identifier": n.ID, "name": n.ID}
	if n.Timeout > 0 {
		m["timeout"] = seconds(n.Timeout)
	}
	if n.When != nil {
		m["when"] = w.when(n)
	}
	if n.Failure != nil {
		m["failureStrategies"] = strategies(n.Failure)
	}
	if n.Loop != nil {
		m["strategy"] = loop(n.Loop)
	}
	switch n.Kind {
	case Stage:
		steps := object{"steps": w.list(n.Children)}
		if n.Rollback != nil {
			steps["rollbackSteps"] = w.list(n.Rollback)
		}
		m["type"], m["spec"] = "Custom", object{"execution": steps}
		return object{"stage": m}
	case Group:
		m["steps"] = w.list(n.Children)
		if n.Rollback != nil {
			m["rollbackSteps"] = w.list(n.Rollback)
		}
		return object{"stepGroup": m}
	default:
		m["type"], m["spec"] = n.Type, spec(n)
		return object{"step": m}
	}
}

func (w writer) when(n *Node) object {
	m := object{"stageStatus": n.When.Status}
	if n.Kind == Stage {
		m = object{"pipelineStatus": n.When.Status}
	}
	switch {
	case n.When.Of != "":
		m["condition"] = fmt.Sprintf(`<+%s.status> == "SUCCEEDED"`, w.paths[n.When.Of])
	case n.When.Flag != "":
		m["condition"] = flag(n.When.Flag)
	}
	return m
}

// flag is an expression that is true or false, or a number, which is neither.
func flag(value string) string {
	switch value {
	case "true":
		return `<+pipeline.variables.yes> == "true"`
	case "error":
		return "<+pipeline.startTs>"
	}
	return `<+pipeline.variables.no> == "true"`
}

func strategies(list []Strategy) []any {
	var out []any
	for _, s := range list {
		out = append(out, object{"onFailure": object{"errors": s.Errors, "action": action(s.Action)}})
	}
	return out
}

func action(a *Action) object {
	m := object{"type": a.Type}
	spec := object{}
	switch a.Type {
	case "Retry":
		spec["retryCount"], spec["onRetryFailure"] = a.Count, object{"action": action(a.Then)}
		var intervals []string
		for _, i := range a.Intervals {
			intervals = append(intervals, seconds(i))
		}
		spec["retryIntervals"] = intervals
		if a.Flag != "" {
			spec["condition"] = flag(a.Flag)
		}
	case "ManualIntervention":
		spec["timeout"], spec["onTimeout"] = seconds(a.Timeout), object{"action": action(a.Then)}
		if len(a.Allowed) > 0 {
			spec["allowedActions"] = a.Allowed
		}
	default:
		return m
	}
	m["spec"] = spec
	return m
}

func spec(n *Node) object {
	switch n.Type {
	case "Wait":
		return object{"duration": seconds(n.Tries[0].Takes)}
	case "HarnessApproval":
		return object{"approvalMessage": "Go?", "includePipelineExecutionHistory": false,
			"approvers": object{"userGroups": []string{"approvers"}, "minimumCount": 1, "disallowPipelineExecutor": false}}
	}
	m := object{"shell": "Bash", "onDelegate": true, "source": object{"type": "Inline", "spec": object{"script": "true"}}}
	if n.Input != nil {
		value := "<+input>.executionInput()"
		if n.Input.Default {
			value += ".default(d)"
		}
		m["environmentVariables"] = []any{object{"name": "V", "type": "String", "value": value}}
	}
	return m
}

func loop(l *Loop) object {
	m := object{"parallelism": l.Times}
	switch l.Kind {
	case "repeat":
		m = object{"repeat": object{"times": l.Times, "maxConcurrency": l.Max}}
	case "matrix":
		var axis []string
		for i := range l.Times {
			axis = append(axis, fmt.Sprintf("v%d", i))
		}
		m = object{"matrix": object{"axis": axis, "maxConcurrency": l.Max}}
	}
	if l.SkipQueued {
		m["onFailure"] = "SkipQueued"
	}
	return m
}
