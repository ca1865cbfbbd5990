package workflow

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// maxHistory is how many of the newest states an execution remembers.
const maxHistory = 512

// record is what is kept of an execution. Times are ms since 1970, 0 for none.
// A record is never changed once it is published; steps work on a copy.
type record struct {
	status   core.ExecutionStatus
	machine  string
	name     string
	digest   string // of the definition it runs
	input    []byte
	started  int64
	stopped  int64
	output   []byte
	failure  string
	cause    string
	parent   string // key of the execution that waits for this one
	child    string // key of the execution this one waits for
	state    string // where it stands; "" once ended
	given    []byte // the state's raw input
	entered  int64
	retries  []int
	token    string
	seq      uint64 // numbers attempts: an answer to an older one is ignored
	due      int64  // when the attempt begins
	deadline int64  // when the attempt times out
	beat     int64  // heartbeat interval in ms, 0 for none

	history     []uint16 // indexes of states entered, the newest maxHistory
	transitions int
	events      int // estimate of Step Functions' history events
}

// failed reports whether the execution has ended other than well.
func (r *record) failed() bool { return !r.running() && r.status != core.ExecutionSucceeded }

func (r *record) running() bool { return r.status == core.ExecutionRunning }

// encoding of a record: a format byte, then tag, length, bytes for each field
// that is not empty. Unknown tags are skipped, so fields can be added.
const recordFormat = 1

const (
	tagStatus = iota + 1
	tagMachine
	tagName
	tagDigest
	tagInput
	tagStarted
	tagStopped
	tagOutput
	tagFailure
	tagCause
	tagParent
	tagChild
	tagState
	tagGiven
	tagEntered
	tagRetries
	tagToken
	tagSeq
	tagDue
	tagDeadline
	tagBeat
	tagHistory
	tagTransitions
	tagEvents
)

func (r *record) encode() []byte {
	w := writer{make([]byte, 1, 512+len(r.input)+len(r.given)+len(r.output)+2*len(r.history))}
	w.b[0] = recordFormat
	w.text(tagStatus, string(r.status))
	w.text(tagMachine, r.machine)
	w.text(tagName, r.name)
	w.text(tagDigest, r.digest)
	w.bytes(tagInput, r.input)
	w.number(tagStarted, uint64(r.started))
	w.number(tagStopped, uint64(r.stopped))
	w.bytes(tagOutput, r.output)
	w.text(tagFailure, r.failure)
	w.text(tagCause, r.cause)
	w.text(tagParent, r.parent)
	w.text(tagChild, r.child)
	w.text(tagState, r.state)
	w.bytes(tagGiven, r.given)
	w.number(tagEntered, uint64(r.entered))
	var retries []byte
	for _, n := range r.retries {
		retries = binary.AppendUvarint(retries, uint64(n))
	}
	w.bytes(tagRetries, retries)
	w.text(tagToken, r.token)
	w.number(tagSeq, r.seq)
	w.number(tagDue, uint64(r.due))
	w.number(tagDeadline, uint64(r.deadline))
	w.number(tagBeat, uint64(r.beat))
	history := make([]byte, 0, 2*len(r.history))
	for _, i := range r.history {
		history = binary.LittleEndian.AppendUint16(history, i)
	}
	w.bytes(tagHistory, history)
	w.number(tagTransitions, uint64(r.transitions))
	w.number(tagEvents, uint64(r.events))
	return w.b
}

type writer struct{ b []byte }

func (w *writer) bytes(tag uint64, v []byte) {
	if len(v) > 0 {
		w.b = binary.AppendUvarint(w.b, tag)
		w.b = binary.AppendUvarint(w.b, uint64(len(v)))
		w.b = append(w.b, v...)
	}
}

func (w *writer) text(tag uint64, v string) {
	if v != "" {
		w.b = binary.AppendUvarint(w.b, tag)
		w.b = binary.AppendUvarint(w.b, uint64(len(v)))
		w.b = append(w.b, v...)
	}
}

func (w *writer) number(tag, v uint64) {
	if v != 0 {
		var space [binary.MaxVarintLen64]byte
		w.bytes(tag, space[:binary.PutUvarint(space[:], v)])
	}
}

var errRecord = errors.New("the record is damaged, or of a newer version of Slipway")

// decode reads a record; it keeps parts of data.
func decode(data []byte) (*record, error) {
	if len(data) == 0 || data[0] != recordFormat {
		return nil, errRecord
	}
	r := &record{}
	for data = data[1:]; len(data) > 0; {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errRecord
		}
		size, m := binary.Uvarint(data[n:])
		if m <= 0 || size > uint64(len(data)-n-m) {
			return nil, errRecord
		}
		r.set(tag, data[n+m:n+m+int(size)])
		data = data[n+m+int(size):]
	}
	if r.name == "" || r.status == "" {
		return nil, errRecord
	}
	return r, nil
}

func (r *record) set(tag uint64, v []byte) {
	number, _ := binary.Uvarint(v)
	switch tag {
	case tagStatus:
		r.status = core.ExecutionStatus(v)
	case tagMachine:
		r.machine = string(v)
	case tagName:
		r.name = string(v)
	case tagDigest:
		r.digest = string(v)
	case tagInput:
		r.input = v
	case tagStarted:
		r.started = int64(number)
	case tagStopped:
		r.stopped = int64(number)
	case tagOutput:
		r.output = v
	case tagFailure:
		r.failure = string(v)
	case tagCause:
		r.cause = string(v)
	case tagParent:
		r.parent = string(v)
	case tagChild:
		r.child = string(v)
	case tagState:
		r.state = string(v)
	case tagGiven:
		r.given = v
	default:
		r.setAttempt(tag, v, number)
	}
}

func (r *record) setAttempt(tag uint64, v []byte, number uint64) {
	switch tag {
	case tagEntered:
		r.entered = int64(number)
	case tagRetries:
		for n := 0; len(v) > 0; v = v[n:] {
			var used uint64
			if used, n = binary.Uvarint(v); n <= 0 {
				return
			}
			r.retries = append(r.retries, int(used))
		}
	case tagToken:
		r.token = string(v)
	case tagSeq:
		r.seq = number
	case tagDue:
		r.due = int64(number)
	case tagDeadline:
		r.deadline = int64(number)
	case tagBeat:
		r.beat = int64(number)
	case tagHistory:
		for ; len(v) >= 2; v = v[2:] {
			r.history = append(r.history, binary.LittleEndian.Uint16(v))
		}
	case tagTransitions:
		r.transitions = int(number)
	case tagEvents:
		r.events = int(number)
	}
}

// describe is the record as the port shows it.
func (r *record) describe() core.Execution {
	e := core.Execution{
		Machine: r.machine, Name: r.name, Status: r.status, Input: r.input, Output: r.output,
		Error: r.failure, Cause: r.cause, Started: time.UnixMilli(r.started),
	}
	if r.stopped != 0 {
		e.Stopped = time.UnixMilli(r.stopped)
	}
	return e
}
