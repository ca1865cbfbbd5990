package model

import (
	"math"
	"slices"
	"strconv"
)

// Statuses that a node ends with. Passed is Skipped after a failure, or NotStarted
// when nothing behind it would run either: which of them is for the display.
const (
	NotStarted   = ""
	Succeeded    = "SUCCEEDED"
	Skipped      = "SKIPPED"
	Passed       = "PASSED"
	IgnoreFailed = "IGNORE_FAILED"
	Expired      = "EXPIRED"
	Rejected     = "APPROVAL_REJECTED"
	Failed       = "FAILED"
	Aborted      = "ABORTED"
)

// rank orders statuses: a parent's is its children's highest (BEHAVIOUR §14.2).
var rank = map[string]int{Succeeded: 1, IgnoreFailed: 2, Expired: 3, Rejected: 4, Failed: 5, Aborted: 6}

func failing(status string) bool { return rank[status] >= rank[Expired] }

// never is a time that does not come.
const never = math.MaxInt

// Record is what became of a node. Starts holds when each attempt began.
type Record struct {
	Status     string
	Start, End int
	Starts     []int
	asked      []int // when each attempt began to wait for its value, its start if for none
	// Or are other ends that are right as well, where two things happen at once.
	Or []string

	ran   bool // it is not only known why it did not
	key   string
	below []*Record // of what is in it, iterations and rollback steps too
}

// Fits reports whether a node may have ended so.
func (r *Record) Fits(status string) bool {
	return status == r.Status || slices.Contains(r.Or, status) ||
		r.Status == Passed && (status == Skipped || status == NotStarted)
}

// Result is what became of a run.
type Result struct {
	Status string
	// Nodes are those that have started or were skipped: by identifier, with those of the
	// iterations around it: "group2_0.s4_1".
	Nodes map[string]*Record
	// Tie says that something ended just when its time ran out: which of the two is
	// first, and so all that follows, is anyone's guess.
	Tie bool
}

// end is how a node ended, for what is around it.
type end struct {
	status  string
	at      int
	abort   int    // when the run is aborted from here; never
	undo    *Node  // the stage or group to roll back
	failure string // why, for whoever is asked next
	stops   bool   // a failure that stops a rollback
}

// scope is what a node sees of what is around it.
type scope struct {
	in     *Record // what the node is in
	path   string  // the iterations around it, each with a dot behind
	turn   int     // the sum of their numbers: what happens in each differs
	looped *Node   // the node that an iteration of is run, number says which
	number int
	stage  *Node
	groups []*Node // from the outside in; of a rollback, those inside it
	before []string
	// near are those since the nearest group with a condition of its own, or since the
	// rollback began: a node without a condition runs when none of them has failed.
	near     []string
	rollback bool
}

type run struct {
	pipeline   *Node
	nodes      map[string]*Record
	rolledBack bool
	undone     map[*Record]bool // stages that were rolled back
	tie        bool
}

// Interpret runs a pipeline.
func Interpret(p *Node) Result {
	r := &run{pipeline: p, nodes: map[string]*Record{}, undone: map[*Record]bool{}}
	root := &Record{}
	s := scope{in: root}
	e := r.list(p.Children, s, 0)
	status := r.aggregate(p.Children, s)
	if e.undo == p {
		e = r.undoPipeline(s, e.at)
		status = Failed
	}
	abort := e.abort
	r.tie = r.tie || p.Timeout > 0 && min(e.at, abort) == p.Timeout
	if p.Timeout > 0 && min(e.at, abort) > p.Timeout {
		abort = never
		status = Expired
		r.cut(root.below, p.Timeout, Expired)
	}
	if abort != never {
		r.cut(root.below, abort, Aborted)
		status = Aborted
	}
	return Result{Status: status, Nodes: r.nodes, Tie: r.tie}
}

// record begins to note what becomes of a node.
func (r *run) record(s scope, id string, rec Record) *Record {
	rec.key = s.path + id
	if before := r.nodes[rec.key]; before != nil { // a rollback that was cut off, once more
		rec.Starts, rec.asked = before.Starts, before.asked
	}
	r.nodes[rec.key] = &rec
	s.in.below = append(s.in.below, &rec)
	return &rec
}

// list runs nodes one after the other. The statuses seen by one are its own.
func (r *run) list(nodes []*Node, s scope, at int) end {
	e := end{status: Succeeded, at: at, abort: never}
	for _, n := range nodes {
		c := r.node(n, s, e.at)
		e.at, e.failure = c.at, c.failure
		if c.abort != never || c.undo != nil || s.rollback && c.stops {
			return c
		}
		s.before = with(s.before, c.status)
		s.near = with(s.near, c.status)
	}
	return e
}

func (r *run) node(n *Node, s scope, at int) end {
	if n.Kind == Parallel {
		return r.parallel(n, s, at)
	}
	id := n.ID
	if s.looped == n { // it was let in as a whole
		id += "_" + strconv.Itoa(s.number)
	} else if status := r.gate(n, s); status == Failed {
		e := r.undecided(n, s, at)
		r.record(s, id, Record{Status: e.status, Start: at, End: at, Starts: []int{at}})
		return e
	} else if status != "" {
		r.record(s, id, Record{Status: status, Start: at, End: at})
		return end{status: status, at: at, abort: never}
	}
	rec := r.record(s, id, Record{Start: at, ran: true})
	s.in = rec
	if s.looped == n {
		s.path += id + "."
	}
	var e end
	switch {
	case n.Loop != nil && s.looped != n:
		e = r.loop(n, s, at)
	case n.Kind == Stage:
		e = r.stage(n, s, at)
	case n.Kind == Group:
		e = r.group(n, s, at)
	default:
		e = r.step(n, rec, s, at)
	}
	rec.Status, rec.End = e.status, e.at
	return e
}

// gate decides whether a node runs: "" when it does (BEHAVIOUR §9).
func (r *run) gate(n *Node, s scope) string {
	when, seen := n.When, s.before
	if when == nil {
		when, seen = &When{Status: "Success"}, s.near
	}
	var failed, ignored bool
	for _, status := range seen {
		failed = failed || failing(status)
		ignored = ignored || status == IgnoreFailed
	}
	switch {
	case n.Kind == Stage && r.rolledBack && when.Status != "All":
		return Passed
	case when.Status == "Success" && failed:
		return Passed
	case when.Status == "Failure" && !failed && !ignored:
		return Skipped
	case when.Flag == "error":
		return Failed
	case when.Flag == "false", when.Of != "" && (r.nodes[when.Of] == nil || r.nodes[when.Of].Status != Succeeded):
		return Skipped
	}
	return ""
}

// parallel runs branches side by side; all are awaited before a failure leads on.
func (r *run) parallel(n *Node, s scope, at int) end {
	e := end{status: Succeeded, at: at, abort: never}
	rolledBack := r.rolledBack
	for _, c := range n.Children {
		r.beside(rolledBack, func() { r.join(&e, r.node(c, s, at), s) })
	}
	return e.joined()
}

// beside runs what does not see whether a stage beside it is rolled back.
func (r *run) beside(rolledBack bool, f func()) {
	before := r.rolledBack
	r.rolledBack = rolledBack
	f()
	r.rolledBack = r.rolledBack || before
}

// join adds how a branch ended to how all did.
func (r *run) join(e *end, b end, s scope) {
	if rank[b.status] > rank[e.status] {
		e.status = b.status
	}
	if b.undo != nil && (e.undo == nil || r.outer(b.undo, e.undo, s)) {
		e.undo, e.failure = b.undo, b.failure
	}
	e.at, e.abort, e.stops = max(e.at, b.at), min(e.abort, b.abort), e.stops || b.stops
}

func (e end) joined() end {
	if e.abort != never {
		e.at, e.undo = e.abort, nil
	}
	return e
}

// outer reports whether a is around b: of two rollbacks the greater is done.
func (r *run) outer(a, b *Node, s scope) bool {
	around := append([]*Node{r.pipeline, s.stage}, s.groups...)
	for _, n := range around {
		if n == a || n == b {
			return n == a && a != b
		}
	}
	return false
}

// with is a list with one more, which shares nothing with the other.
func with[T any](list []T, one T) []T { return append(list[:len(list):len(list)], one) }

func (r *run) aggregate(nodes []*Node, s scope) string {
	worst := Succeeded
	for _, n := range nodes {
		status := ""
		if n.Kind == Parallel {
			status = r.aggregate(n.Children, s)
		} else if rec := r.nodes[s.path+n.ID]; rec != nil {
			status = rec.Status
		}
		if rank[status] > rank[worst] {
			worst = status
		}
	}
	return worst
}

// cut ends at a time whatever is open then, and forgets what comes later.
func (r *run) cut(list []*Record, at int, status string) {
	for _, rec := range list {
		r.cut(rec.below, at, status)
		if rec.Start > at {
			delete(r.nodes, rec.key)
			continue
		}
		if rec.End == at || rec.Start == at || slices.Contains(rec.Starts, at) { // both at once: either may be first
			rec.Or = append(rec.Or, status, NotStarted)
		}
		for i := len(rec.Starts) - 1; i >= 0 && rec.Starts[i] > at; i-- {
			if i < len(rec.asked) && rec.asked[i] <= at {
				rec.Starts[i] = rec.asked[i]
				break
			}
			rec.Starts = rec.Starts[:i]
		}
		if rec.End > at {
			rec.Status, rec.End = status, at
		}
	}
}
