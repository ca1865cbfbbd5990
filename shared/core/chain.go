package core

// Chain is the pipeline that a stage of type Pipeline runs (BEHAVIOUR §7.10).
type Chain struct {
	// Plan is the child's, compiled with what the stage gives it; nil in a plan for
	// looking at whose child was not found.
	Plan *Plan `json:"plan,omitempty"`
	// Source is the child's document as it was written.
	Source string `json:"source,omitempty"`
	// Inputs are what the child is given that hangs on the parent's run: expressions of
	// the parent's, evaluated when the stage starts. The child's plan reads a value as
	// <+parentInputs.KEY>; it is data there, never evaluated again.
	Inputs map[string]string `json:"inputs,omitempty"`
	// Outputs are evaluated in the child's run after its end; later stages of the parent
	// read them as <+pipeline.stages.STAGE.output.NAME>.
	Outputs []ChainOutput `json:"outputs,omitempty"`
}

// ChainOutput is a value that a chained pipeline gives its parent.
type ChainOutput struct {
	Name  string `json:"name"`
	Value string `json:"value"` // text with expressions of the child's
}
