package asl

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Machine is a parsed definition. It is immutable and safe for concurrent use.
type Machine struct {
	startAt string
	states  map[string]*state
	names   []string // as declared
	timeout time.Duration
	text    []byte
	digest  string
}

// Text is the definition after substitution: Parse accepts it again.
func (m *Machine) Text() []byte { return m.text }

// Digest names the definition: hex of a hash of Text, 32 characters.
func (m *Machine) Digest() string { return m.digest }

// Timeout is the machine's TimeoutSeconds, 0 for none.
func (m *Machine) Timeout() time.Duration { return m.timeout }

// States lists the states' names in the order of the definition.
func (m *Machine) States() []string { return m.names }

// Index is a state's place in States, -1 when there is none of that name.
func (m *Machine) Index(name string) int {
	if s := m.states[name]; s != nil {
		return s.index
	}
	return -1
}

// Kind is what a state does.
type Kind int

// The kinds of state. The three Task kinds are told apart by their resource.
const (
	Invoke     Kind = iota // lambda:invoke
	InvokeWait             // lambda:invoke.waitForTaskToken
	StartSync              // states:startExecution.sync:2
	Choice
	Succeed
	Fail
)

// IsTask reports whether an execution stands in such a state until something
// from outside happens.
func (k Kind) IsTask() bool { return k <= StartSync }

// Kind returns a state's kind; ok is false when there is no such state.
func (m *Machine) Kind(name string) (k Kind, ok bool) {
	s := m.states[name]
	if s == nil {
		return 0, false
	}
	return s.kind, true
}

// Targets lists the values of a parameter that tasks of a kind hold literally:
// the functions or machines that must exist. Values found at run time are not
// among them.
func (m *Machine) Targets(k Kind) []string {
	var out []string
	for _, name := range m.names {
		s := m.states[name]
		if s.kind != k {
			continue
		}
		parameter := "FunctionName"
		if k == StartSync {
			parameter = "StateMachineArn"
		}
		if t, ok := s.parameters.field(parameter); ok && t.kind == literal {
			v, _ := t.literal.(string)
			out = append(out, v)
		}
	}
	return out
}

// state is one state, with the fields of all kinds.
type state struct {
	name  string
	index int
	kind  Kind
	next  string // "" at the end
	end   bool

	inputPath, outputPath, resultPath *path // nil is null
	parameters, selector              *template
	retry                             []retrier
	catch                             []catcher
	timeout, heartbeat                time.Duration
	timeoutPath, heartbeatPath        *path

	rules     []rule
	otherwise string // Choice's Default

	failError, failCause         string
	failErrorPath, failCausePath *path
}

type retrier struct {
	errors   []string
	interval time.Duration
	max      int
	rate     float64
	ceiling  time.Duration // 0 for none
	jitter   bool
}

type catcher struct {
	errors     []string
	next       string
	resultPath *path // nil is null
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
