package core

// Round says which walk of a track something is about. The first is the zero Round; a
// group that is tried again and a pipeline that is rolled back walk tracks once more.
type Round struct {
	N        int  `json:"n,omitempty"`        // walks before this one
	Rollback bool `json:"rollback,omitempty"` // through the rollback steps, the pipeline being rolled back
}

// ExecutionName is the name of the execution that walks a track for the first time.
func ExecutionName(run, track string, generation int) string {
	return Round{}.ExecutionName(run, track, generation)
}

// ExecutionName is the name of the execution that walks a track in this round.
func (r Round) ExecutionName(run, track string, generation int) string {
	return ExecutionID{Round: r, Generation: generation}.Name(run, track)
}
