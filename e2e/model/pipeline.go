// Package model is a second reading of BEHAVIOUR: a direct interpreter of pipelines,
// and a generator of pipelines and outcomes to hold the engine to it. It imports
// neither the engine nor the compiler.
package model

// Kind says what a node is.
type Kind string

// Kinds.
const (
	Pipeline Kind = "pipeline"
	Stage    Kind = "stage"
	Group    Kind = "group"
	Parallel Kind = "parallel"
	Step     Kind = "step"
)

// Node is a node of a pipeline with what the world does to it. Times are seconds.
type Node struct {
	Kind     Kind
	ID       string // unique in the pipeline; a parallel has none
	Type     string // of a step: ShellScript, Wait, HarnessApproval
	Timeout  int    // 0: none
	When     *When
	Failure  []Strategy
	Children []*Node
	Rollback []*Node
	Loop     *Loop
	Input    *Input // of a step: it asks for a value when it starts

	Tries   []Try    // how a step's attempts go; the last stands for those that follow
	Answers []Answer // to its interventions, in order; then nobody answers
}

// Try is how one attempt goes: Takes seconds to an end, in time or not. Of a Wait
// Takes is its duration, of an approval how long until somebody answers.
type Try struct {
	Takes int
	Error string // a type of failure, "Reject" of an approval, "" for success
	// Marked is after how many seconds somebody marks it as failed, Given after how many
	// somebody gives the value that it asks for; 0: nobody does.
	Marked, Given int
}

// When is a condition: a status and, when Of is set, that the step of that identifier
// has succeeded, or when Flag is, that it is "true"; "error" cannot be evaluated.
type When struct {
	Status   string // Success, Failure, All
	Flag, Of string
}

// Loop repeats a node Times, at most Max (0: all) at once.
type Loop struct {
	Kind       string // repeat, matrix or parallelism, which has no Max
	Times, Max int
	SkipQueued bool
}

// Input is a value that is given while running.
type Input struct{ Default bool }

// Strategy is one entry of failureStrategies.
type Strategy struct {
	Errors []string
	Action *Action
}

// Action is what a strategy does.
type Action struct {
	Type      string
	Count     int   // of Retry
	Intervals []int // of Retry
	Flag      string
	Timeout   int      // of ManualIntervention
	Allowed   []string // of ManualIntervention; empty: all
	Then      *Action
}

// Answer is what a person says to an intervention, After seconds.
type Answer struct {
	After  int
	Action string
}

// Walk calls f for the node and all below it, in the order of the document.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, c := range n.Children {
		c.Walk(f)
	}
	for _, c := range n.Rollback {
		c.Walk(f)
	}
}
