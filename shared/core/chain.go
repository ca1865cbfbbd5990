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

// MaxChainBytes is how many bytes of JSON the inputs of a chained run may have, and its
// outputs: each are kept in a track.
const MaxChainBytes = 64 << 10

// ChainCall is what a stage starts a chained run with.
type ChainCall struct {
	Node    string         `json:"node"` // FQN of the stage
	Attempt int            `json:"attempt"`
	Inputs  map[string]any `json:"inputs,omitempty"` // the values of Chain.Inputs
}

// Parent is the stage of another run that a chained run was started by.
type Parent struct {
	Run      string `json:"run"`
	Scope    Scope  `json:"scope"`
	Pipeline string `json:"pipeline"`
	Sequence int64  `json:"sequence"`
	Track    string `json:"track"` // that walks the stage
	Stage    string `json:"stage"` // its identifier
	ChainCall
	Outputs []ChainOutput `json:"outputs,omitempty"`
}

// Chained tells a stage how the run ended that it has started.
type Chained struct {
	Run     string         `json:"run"`
	Status  Status         `json:"status"`
	Started int64          `json:"started,omitempty"`
	Outputs map[string]any `json:"outputs,omitempty"`
	// Failure is why it failed, or why its outputs cannot be told.
	Failure *Failure `json:"failure,omitempty"`
}
