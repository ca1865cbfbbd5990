package asl

import (
	"strings"
	"time"
	"unicode/utf8"
)

// maxStateName is Step Functions' bound, in characters.
const maxStateName = 80

func (l *loader) machine(m *Machine, root *node) {
	if !l.fields(root, "a state machine", "Comment", "StartAt", "States", "Version", "TimeoutSeconds") {
		return
	}
	if v := l.text(root, "Version"); v != "" && v != "1.0" {
		l.fail(root.member("Version").value.at, "Version must be \"1.0\"")
	}
	m.timeout = l.seconds(root, "TimeoutSeconds")
	m.startAt = l.required(root, "the state machine", "StartAt")
	states := root.member("States")
	if states == nil || states.value.kind != object || len(states.value.members) == 0 {
		l.fail(root.at, "the state machine has no States: add an object with at least one")
		return
	}
	for i, member := range states.value.members {
		if n := utf8.RuneCountInString(member.name); n == 0 || n > maxStateName {
			l.fail(member.at, "a state's name must have 1 to %d characters, not %d", maxStateName, n)
		}
		s := &state{name: member.name, index: i}
		m.states[member.name] = s
		m.names = append(m.names, member.name)
		l.state(s, member.value)
	}
	l.check(m, root)
}

func (l *loader) state(s *state, n *node) {
	if n.kind != object {
		l.fail(n.at, "a state must be an object, not %s", n.kind)
		return
	}
	switch t := l.required(n, "the state", "Type"); t {
	case "Task":
		l.task(s, n)
	case "Choice":
		s.kind = Choice
		l.choice(s, n)
	case "Succeed":
		s.kind = Succeed
		l.fields(n, "a Succeed state", "Type", "Comment", "InputPath", "OutputPath")
		l.inout(s, n)
	case "Fail":
		s.kind = Fail
		l.failState(s, n)
	case "":
	default:
		l.fail(n.member("Type").value.at, "states of type %q are not supported: use Task, Choice, Succeed or Fail", t)
	}
}

func (l *loader) inout(s *state, n *node) {
	s.inputPath = l.optionalPath(n, "InputPath", true)
	s.outputPath = l.optionalPath(n, "OutputPath", true)
}

func (l *loader) failState(s *state, n *node) {
	l.fields(n, "a Fail state", "Type", "Comment", "Error", "Cause", "ErrorPath", "CausePath")
	read := func(name string, value *string, at **path) {
		*value = l.text(n, name)
		m := n.member(name + "Path")
		if m == nil {
			return
		}
		if n.member(name) != nil {
			l.fail(m.at, "a Fail state has either %s or %sPath: remove one", name, name)
		}
		*at = l.path(m.value, true)
	}
	read("Error", &s.failError, &s.failErrorPath)
	read("Cause", &s.failCause, &s.failCausePath)
}

// resources are the integrations that exist, and the parameters each takes.
var resources = map[string]struct {
	kind       Kind
	parameters []string
}{
	"arn:aws:states:::lambda:invoke":                  {Invoke, []string{"FunctionName", "Payload"}},
	"arn:aws:states:::lambda:invoke.waitForTaskToken": {InvokeWait, []string{"FunctionName", "Payload"}},
	"arn:aws:states:::states:startExecution.sync:2":   {StartSync, []string{"StateMachineArn", "Name", "Input"}},
}

func (l *loader) task(s *state, n *node) {
	l.fields(n, "a Task state", "Type", "Comment", "Resource", "InputPath", "Parameters", "ResultSelector", "ResultPath", "OutputPath",
		"Retry", "Catch", "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath", "Next", "End")
	l.inout(s, n)
	s.resultPath = l.optionalPath(n, "ResultPath", false)
	l.resource(s, n)
	if m := n.member("ResultSelector"); m != nil {
		if m.value.kind != object {
			l.fail(m.value.at, "ResultSelector must be an object, not %s", m.value.kind)
		}
		s.selector = l.template(m.value)
	}
	s.timeout, s.timeoutPath = l.limit(n, "TimeoutSeconds")
	s.heartbeat, s.heartbeatPath = l.limit(n, "HeartbeatSeconds")
	if s.timeout > 0 && s.heartbeat >= s.timeout {
		l.fail(n.member("HeartbeatSeconds").at, "HeartbeatSeconds must be smaller than TimeoutSeconds")
	}
	l.retriers(s, n)
	l.catchers(s, n)
	l.follower(s, n)
}

func (l *loader) resource(s *state, n *node) {
	name := l.required(n, "a Task state", "Resource")
	r, ok := resources[name]
	if !ok {
		if name != "" {
			l.fail(n.member("Resource").value.at, "the resource %q is not supported: use …:::lambda:invoke, …:::lambda:invoke.waitForTaskToken or …:::states:startExecution.sync:2", name)
		}
		s.parameters = &template{}
		return
	}
	s.kind = r.kind
	m := n.member("Parameters")
	if m == nil {
		l.fail(n.at, "this Task has no Parameters: add an object with %s", r.parameters[0])
		s.parameters = &template{}
		return
	}
	s.parameters = l.template(m.value)
	allowed := make([]string, 0, 2*len(r.parameters))
	for _, p := range r.parameters {
		allowed = append(allowed, p, p+".$")
	}
	if !l.fields(m.value, "Parameters of "+name, allowed...) {
		return
	}
	if t, ok := s.parameters.field(r.parameters[0]); !ok {
		l.fail(m.value.at, "Parameters has no %s: add it", r.parameters[0])
	} else if v, isText := t.literal.(string); t.kind == literal && (!isText || v == "") {
		l.fail(m.value.at, "%s must be a string that is not empty", r.parameters[0])
	}
	switch uses := s.parameters.uses("Task.Token"); {
	case s.kind == InvokeWait && !uses:
		l.fail(m.at, "a task that waits for its token must hand it on: put \"token.$\": \"$$.Task.Token\" into Payload")
	case s.kind != InvokeWait && uses:
		l.fail(m.at, "$$.Task.Token exists only with .waitForTaskToken: change the Resource or remove the path")
	}
}

// limit reads XSeconds or XSecondsPath.
func (l *loader) limit(n *node, name string) (time.Duration, *path) {
	m := n.member(name + "Path")
	if m == nil {
		return l.seconds(n, name), nil
	}
	if n.member(name) != nil {
		l.fail(m.at, "a Task has either %s or %sPath: remove one", name, name)
	}
	return 0, l.path(m.value, true)
}

func (l *loader) follower(s *state, n *node) {
	s.next = l.text(n, "Next")
	end := n.member("End")
	if end != nil && (end.value.kind != boolean || !end.value.truth) {
		l.fail(end.value.at, "End can only be true: remove it and add Next")
	}
	s.end = end != nil
	switch {
	case s.end && n.member("Next") != nil:
		l.fail(end.at, "a state has either Next or End: remove one")
	case !s.end && n.member("Next") == nil:
		l.fail(n.at, "this state leads nowhere: add Next or \"End\": true")
	}
}

// quoted lists names for a message.
func quoted(names []string) string { return "\"" + strings.Join(names, "\", \"") + "\"" }
