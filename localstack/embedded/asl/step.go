package asl

import (
	"math"
	"time"
)

// MaxPayload bounds what a state takes, gives and is answered, in bytes of JSON.
const MaxPayload = 256 << 10

// Env is the execution a step belongs to, and what the step may ask of the world.
type Env struct {
	ExecutionID, ExecutionName string
	MachineID, MachineName     string
	Input                      any // the execution's
	Started, Now               time.Time
	// Token makes a task token for the next attempt.
	Token func() string
	// Jitter returns a number from 0 to below 1.
	Jitter func() float64
	// Budget is how many states this step may enter before the execution fails for
	// its length of history.
	Budget int
}

// At is where an execution stands: an attempt of a Task state.
type At struct {
	State   string
	Input   Data // the state's raw input
	Entered time.Time
	Retries []int  // used so far, one count a retrier
	Token   string // "" unless the task waits for one
}

// RetryCount is how many retries the state has had in all.
func (a At) RetryCount() int {
	n := 0
	for _, r := range a.Retries {
		n += r
	}
	return n
}

// Data is a JSON value with, when known, its encoding.
type Data struct {
	Value any
	json  []byte
}

// DataOf decodes JSON.
func DataOf(encoded []byte) (Data, error) {
	v, err := Decode(encoded)
	return Data{v, encoded}, err
}

// JSON is the compact encoding.
func (d *Data) JSON() []byte {
	if d.json == nil {
		d.json = Encode(d.Value)
	}
	return d.json
}

// with is d with a new value, keeping the encoding when the path is $.
func (d Data) with(p *path, c *Context) (Data, bool) {
	switch {
	case p == nil:
		return Data{Value: map[string]any{}}, true
	case len(p.steps) == 0 && !p.context:
		return d, true
	default:
		v, ok := p.resolve(d.Value, c)
		return Data{Value: v}, ok
	}
}

// Task is what an attempt asks of the world.
type Task struct {
	Kind      Kind
	Target    string        // function or state machine: a name or an ARN
	Name      string        // of the child execution, "" to make one up
	Payload   []byte        // JSON for the function or child execution
	Timeout   time.Duration // 0 for none
	Heartbeat time.Duration // 0 for none
}

// End is how an execution ended: with an output, or a failure.
type End struct {
	Output  Data
	Failure *Failure
}

// Step is one move of an execution, to its next attempt of a task or to its end.
type Step struct {
	Entered []string // states entered, in order; empty for a retry
	At      At
	Task    *Task
	Retried bool          // the same state again
	Delay   time.Duration // before the attempt begins
	End     *End          // nil while the execution goes on
}

// Start begins an execution.
func (m *Machine) Start(e *Env, input Data) Step {
	return m.run(e, Step{}, m.startAt, input)
}

// run enters states until one has to wait.
func (m *Machine) run(e *Env, st Step, name string, input Data) Step {
	for {
		s := m.states[name]
		if len(st.Entered) >= e.Budget {
			return st.fail(failure(ErrRuntime, "the execution reached the maximum number of history events"))
		}
		st.Entered = append(st.Entered, name)
		if s.kind.IsTask() {
			at := At{State: name, Input: input, Entered: e.Now, Retries: make([]int, len(s.retry))}
			return m.attempt(e, st, at)
		}
		next, output, end := s.pass(m.context(e, At{State: name, Entered: e.Now}), input)
		if end != nil {
			st.End = end
			return st
		}
		name, input = next, output
	}
}

// attempt computes what an attempt asks for. A template that fails would fail
// the same way again, so it goes straight to the catchers.
func (m *Machine) attempt(e *Env, st Step, at At) Step {
	s := m.states[at.State]
	if s.kind == InvokeWait {
		at.Token = e.Token()
	}
	task, bad := s.request(m.context(e, at), at.Input)
	if bad != nil {
		return m.caught(e, st, at, bad)
	}
	st.At, st.Task = at, task
	return st
}

// Request computes an attempt's task again from where the execution stands.
func (m *Machine) Request(e *Env, at At) (*Task, *Failure) {
	s := m.states[at.State]
	if s == nil || !s.kind.IsTask() {
		return nil, failure(ErrRuntime, "there is no task %q in the definition", at.State)
	}
	return s.request(m.context(e, at), at.Input)
}

// Complete moves on with a task's result.
func (m *Machine) Complete(e *Env, at At, result Data) Step {
	s := m.states[at.State]
	if len(result.JSON()) > MaxPayload {
		return m.Fail(e, at, tooLong("result", at.State))
	}
	output, bad := s.output(m.context(e, at), at.Input, result)
	switch {
	case bad != nil:
		return m.Fail(e, at, bad)
	case s.end:
		return Step{End: &End{Output: output}}
	default:
		return m.run(e, Step{}, s.next, output)
	}
}

// Fail moves on after a task failed: another attempt, a catcher's state, or the
// end of the execution.
func (m *Machine) Fail(e *Env, at At, f *Failure) Step {
	s := m.states[at.State]
	for i, r := range s.retry {
		if !matches(r.errors, f.Error) {
			continue
		}
		if at.Retries[i] >= r.max {
			break // the first retrier that matches decides
		}
		delay := r.delay(at.Retries[i], e.Jitter)
		at.Retries = append([]int(nil), at.Retries...)
		at.Retries[i]++
		st := m.attempt(e, Step{}, at)
		if st.Task != nil && len(st.Entered) == 0 {
			st.Retried, st.Delay = true, delay
		}
		return st
	}
	return m.caught(e, Step{}, at, f)
}

// delay is the wait before the retry that follows used earlier ones.
func (r *retrier) delay(used int, jitter func() float64) time.Duration {
	seconds := r.interval.Seconds() * math.Pow(r.rate, float64(used))
	limit := float64(maxSeconds)
	if r.ceiling > 0 {
		limit = r.ceiling.Seconds()
	}
	seconds = min(seconds, limit)
	if r.jitter {
		seconds *= jitter()
	}
	return time.Duration(seconds * float64(time.Second))
}

func (m *Machine) caught(e *Env, st Step, at At, f *Failure) Step {
	if len(f.Cause) > MaxCause {
		f = &Failure{f.Error, f.Cause[:MaxCause]}
	}
	s := m.states[at.State]
	for _, c := range s.catch {
		if !matches(c.errors, f.Error) {
			continue
		}
		output := Data{}
		if c.resultPath == nil {
			output = at.Input
		} else {
			v, ok := c.resultPath.set(at.Input.Value, map[string]any{"Error": f.Error, "Cause": f.Cause})
			if !ok {
				return st.fail(failure(ErrRuntime, "the catcher's ResultPath %q cannot be applied to the input of the state %q", c.resultPath.text, s.name))
			}
			output.Value = v
		}
		if len(output.JSON()) > MaxPayload {
			return st.fail(tooLong("caught error", s.name))
		}
		return m.run(e, st, c.next, output)
	}
	return st.fail(f)
}

// fail ends the execution. An uncaught lost heartbeat is reported as a time-out,
// as Step Functions does.
func (st Step) fail(f *Failure) Step {
	if f.Error == ErrHeartbeatTimeout {
		f = &Failure{ErrTimeout, f.Cause}
	}
	st.At, st.Task, st.End = At{}, nil, &End{Failure: f}
	return st
}

func (m *Machine) context(e *Env, at At) *Context {
	return &Context{
		ExecutionID: e.ExecutionID, ExecutionName: e.ExecutionName,
		ExecutionInput: e.Input, ExecutionStarted: e.Started,
		MachineID: e.MachineID, MachineName: e.MachineName,
		StateName: at.State, StateEntered: at.Entered,
		RetryCount: at.RetryCount(), Token: at.Token,
	}
}

func tooLong(what, state string) *Failure {
	return failure(ErrDataLimit, "the %s of the state %q is over %d bytes", what, state, MaxPayload)
}
