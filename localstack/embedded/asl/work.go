package asl

import (
	"math"
	"time"
)

// pass does the work of a Choice, Succeed or Fail state.
func (s *state) pass(c *Context, raw Data) (next string, output Data, end *End) {
	if s.kind == Fail {
		return "", Data{}, &End{Failure: s.failed(c, raw.Value)}
	}
	input, bad := s.selected("InputPath", s.inputPath, c, raw)
	if bad == nil && s.kind == Choice {
		next, bad = s.choose(c, input.Value)
	}
	if bad == nil {
		output, bad = s.selected("OutputPath", s.outputPath, c, input)
	}
	switch {
	case bad != nil:
		return "", Data{}, &End{Failure: bad}
	case s.kind == Succeed:
		return "", Data{}, &End{Output: output}
	default:
		return next, output, nil
	}
}

func (s *state) choose(c *Context, input any) (string, *Failure) {
	for _, r := range s.rules {
		ok, bad := r.test(input, c)
		if bad != nil {
			return "", bad
		}
		if ok {
			return r.next, nil
		}
	}
	if s.otherwise == "" {
		return "", failure(ErrNoChoiceMatched, "no rule of the state %q matches its input and it has no Default", s.name)
	}
	return s.otherwise, nil
}

func (s *state) failed(c *Context, input any) *Failure {
	f := &Failure{s.failError, s.failCause}
	for _, part := range []struct {
		p    *path
		name string
		to   *string
	}{{s.failErrorPath, "ErrorPath", &f.Error}, {s.failCausePath, "CausePath", &f.Cause}} {
		if part.p == nil {
			continue
		}
		v, _ := part.p.resolve(input, c)
		text, ok := v.(string)
		if !ok {
			return failure(ErrRuntime, "%s %q of the state %q does not lead to a string", part.name, part.p.text, s.name)
		}
		*part.to = text
	}
	return f
}

// selected applies InputPath or OutputPath; null gives an empty object.
func (s *state) selected(what string, p *path, c *Context, d Data) (Data, *Failure) {
	out, ok := d.with(p, c)
	if !ok {
		return out, failure(ErrRuntime, "%s %q of the state %q leads nowhere", what, p.text, s.name)
	}
	return out, nil
}

// request computes what a task asks for: InputPath, then the limits and Parameters.
func (s *state) request(c *Context, raw Data) (*Task, *Failure) {
	input, bad := s.selected("InputPath", s.inputPath, c, raw)
	if bad != nil {
		return nil, bad
	}
	t := &Task{Kind: s.kind, Timeout: s.timeout, Heartbeat: s.heartbeat}
	if t.Timeout, bad = s.duration("TimeoutSecondsPath", s.timeoutPath, c, input.Value, t.Timeout); bad != nil {
		return nil, bad
	}
	if t.Heartbeat, bad = s.duration("HeartbeatSecondsPath", s.heartbeatPath, c, input.Value, t.Heartbeat); bad != nil {
		return nil, bad
	}
	v, bad := s.parameters.evaluate(input.Value, c)
	if bad != nil {
		return nil, bad
	}
	members, _ := v.(map[string]any)
	target, payload := "FunctionName", "Payload"
	if s.kind == StartSync {
		target, payload = "StateMachineArn", "Input"
		t.Name, _ = members["Name"].(string)
	}
	t.Target, _ = members[target].(string)
	v, given := members[payload]
	t.Payload = payloadOf(s.kind, v, given)
	if len(t.Payload) > MaxPayload {
		return nil, tooLong("payload", s.name)
	}
	return t, nil
}

// duration reads TimeoutSecondsPath or HeartbeatSecondsPath.
func (s *state) duration(what string, p *path, c *Context, input any, fixed time.Duration) (time.Duration, *Failure) {
	if p == nil {
		return fixed, nil
	}
	v, _ := p.resolve(input, c)
	n, ok := numeric(v)
	if !ok || n < 1 || n > maxSeconds || n != math.Trunc(n) {
		return 0, failure(ErrRuntime, "%s %q of the state %q must lead to a whole number from 1 to %d", what, p.text, s.name, maxSeconds)
	}
	return time.Duration(n) * time.Second, nil
}

// output applies ResultSelector, ResultPath and OutputPath. The result is placed
// into the raw input, from before InputPath (specification, ResultPath).
func (s *state) output(c *Context, raw, result Data) (Data, *Failure) {
	if s.selector != nil {
		v, bad := s.selector.evaluate(result.Value, c)
		if bad != nil {
			return Data{}, bad
		}
		result = Data{Value: v}
	}
	placed := raw
	switch {
	case s.resultPath == nil:
	case len(s.resultPath.steps) == 0:
		placed = result
	default:
		v, ok := s.resultPath.set(raw.Value, result.Value)
		if !ok {
			return Data{}, failure(ErrResultPath, "ResultPath %q cannot be applied to the input of the state %q", s.resultPath.text, s.name)
		}
		placed = Data{Value: v}
	}
	out, bad := s.selected("OutputPath", s.outputPath, c, placed)
	if bad == nil && len(out.JSON()) > MaxPayload {
		bad = tooLong("output", s.name)
	}
	return out, bad
}

// payloadOf encodes Payload or Input. A child execution's Input that is a string
// is its JSON text, and null is as if absent.
func payloadOf(k Kind, v any, given bool) []byte {
	if k == StartSync {
		if text, ok := v.(string); ok {
			return []byte(text)
		}
		given = v != nil
	}
	if !given {
		return []byte("{}")
	}
	return Encode(v)
}
