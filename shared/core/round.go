package core

import (
	"fmt"
	"strconv"
	"strings"
)

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

// ExecutionName is the name of the execution that walks a track in this round
// (DESIGN §3): the run's ULID, the track, the phase (n for normal, r for rollback,
// with the number of the round when it is not the first) and the generation from 1.
func (r Round) ExecutionName(run, track string, generation int) string {
	phase := "n"
	if r.Rollback {
		phase = "r"
	}
	if r.N > 0 {
		phase += strconv.Itoa(r.N)
	}
	return fmt.Sprintf("%s-%s-%s-%d", run, trackInName.Replace(track), phase, generation)
}

var trackInName = strings.NewReplacer(".", "_", "~", "x")

// ParseExecution reads the round and the generation of an execution's name; the
// generation is 0 when the name is none of ours.
func ParseExecution(name string) (r Round, generation int) {
	part := strings.Split(name, "-")
	if len(part) < 4 {
		return Round{}, 0
	}
	phase := part[len(part)-2]
	generation, err := strconv.Atoi(part[len(part)-1])
	if err != nil || phase == "" || phase[0] != 'n' && phase[0] != 'r' {
		return Round{}, 0
	}
	r.Rollback = phase[0] == 'r'
	if phase[1:] != "" {
		if r.N, err = strconv.Atoi(phase[1:]); err != nil {
			return Round{}, 0
		}
	}
	return r, generation
}
