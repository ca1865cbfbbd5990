package asl

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDelay is the largest MaxDelaySeconds of Step Functions.
const maxDelay = 31_622_400

func (l *loader) list(n *node, name string) []*node {
	m := n.member(name)
	if m == nil {
		return nil
	}
	if m.value.kind != array {
		l.fail(m.value.at, "%s must be a list, not %s", name, m.value.kind)
	}
	return m.value.items
}

func (l *loader) retriers(s *state, n *node) {
	items := l.list(n, "Retry")
	for i, item := range items {
		if !l.fields(item, "a retrier", "ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy", "Comment") {
			continue
		}
		r := retrier{
			errors:   l.errorEquals(item, "retrier", i == len(items)-1),
			interval: time.Duration(l.whole(item, "IntervalSeconds", 1, maxSeconds, 1)) * time.Second,
			max:      l.whole(item, "MaxAttempts", 0, maxSeconds, 3),
			rate:     l.rate(item),
			ceiling:  time.Duration(l.whole(item, "MaxDelaySeconds", 1, maxDelay-1, 0)) * time.Second,
		}
		if r.ceiling > 0 && r.ceiling <= r.interval {
			l.fail(item.member("MaxDelaySeconds").value.at, "MaxDelaySeconds must be greater than IntervalSeconds")
		}
		switch strategy := l.text(item, "JitterStrategy"); strategy {
		case "", "NONE":
		case "FULL":
			r.jitter = true
		default:
			l.fail(item.member("JitterStrategy").value.at, "JitterStrategy must be \"FULL\" or \"NONE\"")
		}
		s.retry = append(s.retry, r)
	}
}

func (l *loader) rate(n *node) float64 {
	m := n.member("BackoffRate")
	if m == nil {
		return 2
	}
	v, err := strconv.ParseFloat(m.value.text, 64)
	if m.value.kind != number || err != nil || v < 1 {
		l.fail(m.value.at, "BackoffRate must be a number of at least 1.0")
		return 2
	}
	return v
}

func (l *loader) catchers(s *state, n *node) {
	items := l.list(n, "Catch")
	for i, item := range items {
		if !l.fields(item, "a catcher", "ErrorEquals", "ResultPath", "Next", "Comment") {
			continue
		}
		s.catch = append(s.catch, catcher{
			errors:     l.errorEquals(item, "catcher", i == len(items)-1),
			next:       l.required(item, "a catcher", "Next"),
			resultPath: l.optionalPath(item, "ResultPath", false),
		})
	}
}

// errorEquals reads the names of errors. States.ALL stands alone and last.
func (l *loader) errorEquals(n *node, what string, last bool) []string {
	items := l.list(n, "ErrorEquals")
	if len(items) == 0 {
		l.fail(n.at, "a %s needs ErrorEquals with at least one error name", what)
	}
	var names []string
	for _, item := range items {
		switch {
		case item.kind != text || item.text == "":
			l.fail(item.at, "an error name must be a string that is not empty")
		case item.text == ErrRuntime:
			l.fail(item.at, "States.Runtime always fails the execution and cannot be handled: remove it")
		case strings.HasPrefix(item.text, "States.") && !slices.Contains(reserved, item.text):
			l.fail(item.at, "%q is no error of the language: use one of %s", item.text, quoted(reserved))
		case item.text == ErrAll && (len(items) > 1 || !last):
			l.fail(item.at, "States.ALL must stand alone, in the last %s", what)
		}
		names = append(names, item.text)
	}
	return names
}
