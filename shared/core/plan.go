package core

import (
	"fmt"
	"strings"
)

// Semantics is the number of the engine's meaning that new plans are made for.
// A change of what a plan means raises it and branches on it.
const Semantics = 1

// Plan is a pipeline compiled with its inputs: an immutable tree of nodes. It is
// stored once per run; everything a run does is decided from it and its events.
type Plan struct {
	Semantics  int               `json:"semantics"`
	Scope      Scope             `json:"scope"`
	Identifier string            `json:"identifier"`
	Name       string            `json:"name"`
	Tags       map[string]string `json:"tags,omitempty"`
	Root       *Node             `json:"root"`
	// Inputs are the runtime inputs that were given, as the part of the pipeline that
	// <+inputSet> stands for (BEHAVIOUR §12.7); nil when nothing asks for them.
	Inputs map[string]any `json:"inputs,omitempty"`
	// Connectors are those that its texts name and whose documents were given, by Ref.
	Connectors []Connector `json:"connectors,omitempty"`
	// Origins says where the values of runtime inputs are from, of the first MaxOrigins.
	Origins []Origin `json:"origins,omitempty"`
}

// MaxOrigins is of how many runtime inputs a plan knows the origins.
const MaxOrigins = 200

// Origin is where the value of a runtime input is from.
type Origin struct {
	Path  string   `json:"path"` // "variables.env", "stages.build.timeout"
	Value string   `json:"value,omitempty"`
	By    string   `json:"by"`           // input, input set, default or nobody
	Of    string   `json:"of,omitempty"` // the input set's identifier
	Pos   Position `json:"pos"`
}

// NodeKind says what a node of a plan is.
type NodeKind string

// Node kinds.
const (
	KindPipeline NodeKind = "pipeline" // children: stages and parallels of stages
	KindStage    NodeKind = "stage"    // children: steps, groups and parallels
	KindGroup    NodeKind = "group"    // a step group; children as a stage's
	KindParallel NodeKind = "parallel" // children: branches that run side by side, each with its Track
	KindStep     NodeKind = "step"
)

// Node is one node of a plan. Strings in Spec and Variables may hold <+…>
// expressions, which are evaluated just before the node starts.
type Node struct {
	Kind       NodeKind `json:"kind"`
	Identifier string   `json:"id,omitempty"` // empty for a parallel
	Name       string   `json:"name,omitempty"`
	// FQN is the node's full path as expressions spell it, unique in the plan:
	// "pipeline.stages.S.spec.execution.steps.G.steps.X". A parallel's is that of
	// its parent with "#n", n counting the parent's children from 0.
	FQN  string `json:"fqn"`
	Type string `json:"type,omitempty"` // stage or step type, e.g. Custom, ShellScript
	// Track is set on nodes that are walked on their own: the pipeline "0", stages
	// and branches, dotted below their parent's: "0.2", "0.2.1".
	Track     string            `json:"track,omitempty"`
	Timeout   int64             `json:"timeout,omitempty"`   // ms, 0 for none of its own
	Selectors []string          `json:"selectors,omitempty"` // delegate selectors in force here, expressions among them
	Variables []Variable        `json:"variables,omitempty"` // pipeline, stage, group
	Tags      map[string]string `json:"tags,omitempty"`
	Spec      map[string]any    `json:"spec,omitempty"` // a step's spec as JSON values
	When      *When             `json:"when,omitempty"` // nil: as nodes without a condition of their own
	Failure   []FailureStrategy `json:"failure,omitempty"`
	Loop      *Loop             `json:"loop,omitempty"`
	Target    *Target           `json:"target,omitempty"` // of a Deployment stage
	// TimeoutText is a step's timeout when it is an expression that is evaluated when the
	// step starts.
	TimeoutText string  `json:"timeoutText,omitempty"`
	Chain       *Chain  `json:"chain,omitempty"` // of a stage of type Pipeline
	Asks        []Ask   `json:"asks,omitempty"`  // values it asks for when it starts
	Children    []*Node `json:"children,omitempty"`
	// Rollback are a stage's or group's rollback steps, a list as Children is.
	Rollback []*Node  `json:"rollback,omitempty"`
	Pos      Position `json:"pos"`
}

// Variable is a pipeline, stage or group variable (BEHAVIOUR §7.8). Value is a
// JSON scalar, list or map; a Secret's value is a secret identifier.
type Variable struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // String, Number, Secret
	Value    any    `json:"value"`
	Required bool   `json:"required,omitempty"`
}

// Position is a place in a document: line and column from 1, the column in runes.
type Position struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Position) String() string {
	if p.File == "" {
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Walk calls f for the node and everything below it, in plan order: rollback steps
// after the others of their stage or group.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, c := range n.Children {
		c.Walk(f)
	}
	for _, c := range n.Rollback {
		c.Walk(f)
	}
}

// ParentTrack returns the track above t: "0.2" for "0.2.1", "" for "0".
func ParentTrack(t string) string {
	i := strings.LastIndexByte(t, '.')
	if i < 0 {
		return ""
	}
	return t[:i]
}
