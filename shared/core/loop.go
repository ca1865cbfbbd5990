package core

// LoopKind is how a loop says what it goes over.
type LoopKind string

// Kinds of loops.
const (
	LoopMatrix      LoopKind = "matrix"      // every combination of the axes' values
	LoopRepeat      LoopKind = "repeat"      // items, or a number of times
	LoopParallelism LoopKind = "parallelism" // a number of copies at once
	LoopDeployment  LoopKind = "deployment"  // a Deployment stage's services in their places: Items are pairs
)

// Loop is a node's looping strategy as written (BEHAVIOUR §10). What it expands to
// is known when the node starts: any part of it may be an expression.
type Loop struct {
	Kind LoopKind `json:"kind"`
	// Axes are a matrix's, in the author's order: the first is the outermost.
	Axes []Axis `json:"axes,omitempty"`
	// Matrix is the expression that all axes come from, instead of Axes.
	Matrix string `json:"matrix,omitempty"`
	// Exclude are combinations to leave out: each by the axes it names.
	Exclude []map[string]any `json:"exclude,omitempty"`
	// ExcludeExpr is the expression the list of those comes from, instead.
	ExcludeExpr string `json:"excludeExpr,omitempty"`
	// Items are a repeat's; Times stands instead, and holds parallelism's number.
	Items *LoopList   `json:"items,omitempty"`
	Times *LoopNumber `json:"times,omitempty"`
	// Start and End are the range [start,end) of the items to take, PartitionSize
	// how many of them make one iteration. Percent: they are percents of the list.
	Start         *LoopNumber `json:"start,omitempty"`
	End           *LoopNumber `json:"end,omitempty"`
	PartitionSize *LoopNumber `json:"partitionSize,omitempty"`
	Percent       bool        `json:"percent,omitempty"`
	// MaxConcurrency bounds how many iterations run at once; nil or 0: all do.
	MaxConcurrency *LoopNumber `json:"maxConcurrency,omitempty"`
	// NodeName is what an iteration is called on screens, rendered for each.
	NodeName string `json:"nodeName,omitempty"`
	// SkipQueued: after a failure, iterations that have not started are skipped.
	SkipQueued bool `json:"skipQueued,omitempty"`
	// When is a condition asked for each iteration.
	When string   `json:"when,omitempty"`
	Pos  Position `json:"pos"`
}

// Axis is one axis of a matrix.
type Axis struct {
	Name string   `json:"name"`
	List LoopList `json:"list"`
}

// LoopList is a list of JSON values, or the expression it comes from.
type LoopList struct {
	Values []any  `json:"values,omitempty"`
	Expr   string `json:"expr,omitempty"`
}

// LoopNumber is a whole number of 0 or more, or the expression it comes from.
type LoopNumber struct {
	Value int    `json:"value,omitempty"`
	Expr  string `json:"expr,omitempty"`
}

// Iteration is one of a loop's. Its values are JSON values.
type Iteration struct {
	Index int `json:"index"` // from 0
	// PostFix is appended to the node's identifier, Name to its display name: "_0_1",
	// "_dev". Both are unique in the loop.
	PostFix string `json:"postFix"`
	Name    string `json:"name"`
	// Matrix holds a value for each axis; Item is a repeat's, Partition instead of it
	// where the loop has a partition size.
	Matrix    map[string]any `json:"matrix,omitempty"`
	Item      any            `json:"item,omitempty"`
	Partition []any          `json:"partition,omitempty"`
}

// Place is an iteration that something is inside of.
type Place struct {
	Loop  string `json:"loop"`  // FQN of the looped node
	Count int    `json:"count"` // of its iterations
	Iteration
}
