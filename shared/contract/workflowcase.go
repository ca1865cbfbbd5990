package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func (s *workflowSuite) startTwice() {
	s.start("wait", "x", patientInput)
	s.start("wait", "x", patientInput)
	err := s.flow.Start(s.Context(), "wait", "x", json.RawMessage(`{"timeout":601,"heartbeat":500}`))
	s.wants("another input", err, fault.AlreadyExists)
	s.start("call", "x", `{}`) // names are per machine
	s.must(s.finish(s.token("x"), `1`))
	s.ends("wait", "x", core.ExecutionSucceeded)
	err = s.flow.Start(s.Context(), "wait", "x", json.RawMessage(patientInput))
	s.wants("after the end", err, fault.AlreadyExists)
}

func (s *workflowSuite) startRefuses() {
	for name, kind := range map[string]fault.Kind{
		"":                      fault.Invalid,
		"a/b":                   fault.Invalid,
		"a b":                   fault.Invalid,
		strings.Repeat("n", 81): fault.Invalid,
	} {
		s.wants("the name "+name, s.flow.Start(s.Context(), "call", name, json.RawMessage(`{}`)), kind)
	}
	s.start("wait", strings.Repeat("n", 80), patientInput)
	s.wants("no JSON", s.flow.Start(s.Context(), "call", "x", json.RawMessage(`{`)), fault.Invalid)
	s.wants("no machine", s.flow.Start(s.Context(), "nothing", "x", json.RawMessage(`{}`)), fault.NotFound)
}

func (s *workflowSuite) startRace() {
	const racers = 8
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			input := fmt.Sprintf(`{"timeout":600,"heartbeat":%d}`, 100+i)
			switch err := s.flow.Start(s.Context(), "wait", "x", json.RawMessage(input)); {
			case err == nil:
				won.Add(1)
			default:
				s.wants("a loser", err, fault.AlreadyExists)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		s.Errorf("%d starts with different inputs succeeded, want 1", won.Load())
	}
}

func (s *workflowSuite) finishOnce() {
	s.start("wait", "x", patientInput)
	token := s.token("x")
	if len(token) > core.MaxTokenBytes {
		s.Errorf("the token has %d bytes, more than %d", len(token), core.MaxTokenBytes)
	}
	s.wants("no JSON", s.finish(token, `{`), fault.Invalid)
	s.must(s.finish(token, `{"a":[1,"<é>"]}`))
	s.outputs(s.ends("wait", "x", core.ExecutionSucceeded), `{"a":[1,"<é>"]}`)
	s.wants("again", s.finish(token, `1`), fault.Gone)
	s.wants("a beat", s.flow.Beat(s.Context(), token), fault.Gone)
}

func (s *workflowSuite) finishRace() {
	s.start("wait", "x", patientInput)
	token := s.token("x")
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := s.finish(token, `1`); err == nil {
				won.Add(1)
			} else {
				s.wants("a loser", err, fault.Gone)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		s.Errorf("%d finishes succeeded, want 1", won.Load())
	}
}

func (s *workflowSuite) finishFirst() {
	s.answers(func(i invocation) (string, error) { return "null", s.finish(i.Token, `"early"`) })
	s.start("wait", "x", patientInput)
	s.outputs(s.ends("wait", "x", core.ExecutionSucceeded), `"early"`)
}

func (s *workflowSuite) functionError() {
	s.answers(func(invocation) (string, error) { return "", fault.New(fault.Conflict, "no") })
	s.start("wait", "x", patientInput)
	s.outputs(s.ends("wait", "x", core.ExecutionSucceeded), `"Slipway.Conflict"`)
	s.wants("its token", s.finish(s.token("x"), `1`), fault.Gone)
}

func (s *workflowSuite) lateError() {
	s.answers(func(i invocation) (string, error) {
		s.must(s.finish(i.Token, `1`))
		return "", fault.New(fault.Conflict, "after all")
	})
	s.start("wait", "x", patientInput)
	s.outputs(s.ends("wait", "x", core.ExecutionSucceeded), `1`)
}

func (s *workflowSuite) functionResult() {
	s.answers(func(i invocation) (string, error) { return `{"got":` + string(i.Input) + `}`, nil })
	s.start("call", "x", `{"n":1}`)
	s.outputs(s.ends("call", "x", core.ExecutionSucceeded), `{"payload":{"got":{"n":1}},"status":200}`)
}

func (s *workflowSuite) functionRetry() {
	var tries atomic.Int32
	s.answers(func(invocation) (string, error) {
		if tries.Add(1) == 1 {
			return "", fault.New(fault.Throttled, "slow down")
		}
		return `true`, nil
	})
	s.start("call", "x", `{}`)
	s.outputs(s.ends("call", "x", core.ExecutionSucceeded), `{"payload":true,"status":200}`)
	if tries.Load() < 2 {
		s.Error("the function was invoked once")
	}
}

func (s *workflowSuite) beats() {
	s.start("wait", "x", `{"timeout":600,"heartbeat":2}`)
	token := s.token("x")
	beat := time.NewTicker(500 * time.Millisecond)
	defer beat.Stop()
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); <-beat.C {
		s.must(s.flow.Beat(s.Context(), token))
	}
	s.must(s.finish(token, `1`))
	s.wants("an unknown token", s.flow.Beat(s.Context(), "x"+token), fault.Gone)
}

func (s *workflowSuite) silence() {
	s.start("wait", "x", `{"timeout":600,"heartbeat":1}`)
	token := s.token("x")
	if e := s.ends("wait", "x", core.ExecutionFailed); e.Error != "Silent" {
		s.Errorf("error = %q: States.HeartbeatTimeout was not caught", e.Error)
	}
	s.wants("a late finish", s.finish(token, `1`), fault.Gone)
	s.wants("a late beat", s.flow.Beat(s.Context(), token), fault.Gone)
}

func (s *workflowSuite) late() {
	s.start("wait", "x", `{"timeout":1,"heartbeat":500}`)
	token := s.token("x")
	if e := s.ends("wait", "x", core.ExecutionFailed); e.Error != "Late" {
		s.Errorf("error = %q: States.Timeout was not caught", e.Error)
	}
	s.wants("a late finish", s.finish(token, `1`), fault.Gone)
}

func (s *workflowSuite) child() {
	s.start("parent", "p", `{"name":"c"}`)
	s.must(s.finish(s.token("c"), `{"deep":{"er":1}}`))
	s.outputs(s.ends("parent", "p", core.ExecutionSucceeded), `{"name":"c","status":"SUCCEEDED","from":"p","output":{"er":1}}`)
	s.outputs(s.ends("wait", "c", core.ExecutionSucceeded), `{"deep":{"er":1}}`)
}

func (s *workflowSuite) failedChild() {
	s.start("parent", "p", `{"name":"c"}`)
	s.token("c")
	s.must(s.flow.Stop(s.Context(), "wait", "c", "enough"))
	s.ends("wait", "c", core.ExecutionAborted)
	s.outputs(s.ends("parent", "p", core.ExecutionSucceeded), `"States.TaskFailed"`)
}

func (s *workflowSuite) describe() {
	_, err := s.flow.Describe(s.Context(), "wait", "x")
	s.wants("before the start", err, fault.NotFound)
	s.start("wait", "x", patientInput)
	e, err := s.flow.Describe(s.Context(), "wait", "x")
	s.must(err)
	if e.Machine != "wait" || e.Name != "x" || e.Status != core.ExecutionRunning || !sameJSON(string(e.Input), patientInput) ||
		e.Started.IsZero() || !e.Stopped.IsZero() || e.Output != nil {
		s.Errorf("running: %+v", e)
	}
	s.must(s.finish(s.token("x"), `1`))
	e = s.ends("wait", "x", core.ExecutionSucceeded)
	if !sameJSON(string(e.Input), patientInput) || e.Stopped.Before(e.Started) {
		s.Errorf("ended: %+v", e)
	}
}

func (s *workflowSuite) stop() {
	s.must(s.flow.Stop(s.Context(), "wait", "x", "unknown"))
	s.start("wait", "x", patientInput)
	token := s.token("x")
	s.must(s.flow.Stop(s.Context(), "wait", "x", "enough"))
	if e := s.ends("wait", "x", core.ExecutionAborted); e.Cause != "enough" {
		s.Errorf("cause = %q", e.Cause)
	}
	s.wants("a finish", s.finish(token, `1`), fault.Gone)
	s.must(s.flow.Stop(s.Context(), "wait", "x", "again"))
}

func (s *workflowSuite) stopParent() {
	s.start("parent", "p", `{"name":"c"}`)
	token := s.token("c")
	s.must(s.flow.Stop(s.Context(), "parent", "p", "enough"))
	s.ends("parent", "p", core.ExecutionAborted)
	s.ends("wait", "c", core.ExecutionAborted)
	s.wants("a finish", s.finish(token, `1`), fault.Gone)
}

func (s *workflowSuite) bounds() {
	padded := func(n int) string {
		head, tail := `{"timeout":600,"heartbeat":500,"pad":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	s.wants("an input over the bound", s.flow.Start(s.Context(), "wait", "x", json.RawMessage(padded(core.MaxPayloadBytes+1))), fault.TooLarge)
	s.start("call", "x", padded(core.MaxPayloadBytes)) // its payload is longer: the task fails, the start does not
	if e := s.ends("call", "x", core.ExecutionFailed); e.Error != "States.DataLimitExceeded" {
		s.Errorf("error = %q", e.Error)
	}
	s.start("wait", "y", patientInput)
	token := s.token("y")
	s.wants("an output over the bound", s.finish(token, padded(core.MaxPayloadBytes+1)), fault.TooLarge)
	s.must(s.finish(token, padded(core.MaxPayloadBytes)))
	s.ends("wait", "y", core.ExecutionSucceeded)
}
