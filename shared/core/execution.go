package core

import (
	"fmt"
	"strconv"
	"strings"
)

// ExecutionID says which execution of a machine walks a track: in which round, in place of
// how many that failed, and as the continuation of how many that had grown too long.
type ExecutionID struct {
	Round      Round
	Generation int // from 1
	Continued  int
}

// HistoryEdge is how many events the history of an execution may have before another one
// goes on in its place: Step Functions ends an execution at 25,000.
const HistoryEdge = 15_000

// Name is the name of the execution (DESIGN §3): the run's ULID, the track, the phase (n
// for normal, r for rollback, with the number of the round when it is not the first), the
// generation, and the number of the continuation when it is one.
func (x ExecutionID) Name(run, track string) string {
	phase := "n"
	if x.Round.Rollback {
		phase = "r"
	}
	if x.Round.N > 0 {
		phase += strconv.Itoa(x.Round.N)
	}
	name := fmt.Sprintf("%s-%s-%s-%d", run, trackInName.Replace(track), phase, x.Generation)
	if x.Continued > 0 {
		name += "_" + strconv.Itoa(x.Continued)
	}
	return name
}

var trackInName = strings.NewReplacer(".", "_", "~", "x")

// First reports whether nothing went before the execution in its round.
func (x ExecutionID) First() bool { return x.Generation <= 1 && x.Continued == 0 }

// ParseExecution reads an execution's name; the generation is 0 when it is none of ours.
func ParseExecution(name string) (x ExecutionID) {
	part := strings.Split(name, "-")
	if len(part) < 4 {
		return ExecutionID{}
	}
	phase := part[len(part)-2]
	last, continued, is := strings.Cut(part[len(part)-1], "_")
	var err error
	if x.Generation, err = strconv.Atoi(last); err != nil || phase == "" || phase[0] != 'n' && phase[0] != 'r' {
		return ExecutionID{}
	}
	if is {
		if x.Continued, err = strconv.Atoi(continued); err != nil {
			return ExecutionID{}
		}
	}
	x.Round.Rollback = phase[0] == 'r'
	if phase[1:] != "" {
		if x.Round.N, err = strconv.Atoi(phase[1:]); err != nil {
			return ExecutionID{}
		}
	}
	return x
}
