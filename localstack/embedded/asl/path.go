package asl

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// path is a reference path: $ or $$ and then names and array indexes.
type path struct {
	text    string
	context bool // $$: the context object
	steps   []step
}

// step is a member's name, or an index when name is empty and index ≥ 0.
type step struct {
	name  string
	index int
}

var whole = &path{text: "$"}

// parsePath reads $.a.b[0] and $['a']["b"]. Paths that can select more than one
// value (.., *, ?, slices) and intrinsic functions are refused.
func parsePath(s string) (*path, error) {
	if strings.HasPrefix(s, "States.") {
		return nil, fmt.Errorf("%q is an intrinsic function, which is not supported: compute the value in a function", s)
	}
	p := &path{text: s}
	rest, ok := strings.CutPrefix(s, "$")
	if !ok {
		return nil, fmt.Errorf("%q is not a path: begin with $", s)
	}
	rest, p.context = strings.CutPrefix(rest, "$")
	for rest != "" {
		var st step
		var err error
		if st, rest, err = parseStep(rest); err != nil {
			return nil, fmt.Errorf("the path %q %w", s, err)
		}
		p.steps = append(p.steps, st)
	}
	return p, nil
}

func parseStep(s string) (step, string, error) {
	if after, ok := strings.CutPrefix(s, "."); ok {
		end := strings.IndexFunc(after, func(r rune) bool {
			return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if end < 0 {
			end = len(after)
		}
		if end == 0 {
			return step{}, "", misplaced(after)
		}
		return step{name: after[:end], index: -1}, after[end:], nil
	}
	after, ok := strings.CutPrefix(s, "[")
	if !ok {
		return step{}, "", misplaced(s)
	}
	if after != "" && (after[0] == '\'' || after[0] == '"') {
		end := strings.Index(after[1:], after[:1]+"]")
		if end <= 0 {
			return step{}, "", errors.New("has a quoted name that is empty or not closed: write ['name']")
		}
		return step{name: after[1 : 1+end], index: -1}, after[end+3:], nil
	}
	inside, after, ok := strings.Cut(after, "]")
	index, err := strconv.Atoi(inside)
	if !ok || err != nil || index < 0 || inside[0] == '+' {
		return step{}, "", fmt.Errorf("has [%s]: only an index from 0 or a quoted name can stand in brackets", inside)
	}
	return step{index: index}, after, nil
}

func misplaced(rest string) error {
	if rest == "" {
		return errors.New("ends with a dot: name a member")
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if strings.ContainsRune("*.?@:,(", r) {
		return fmt.Errorf("uses %q: only paths to one value are supported, of names and indexes", r)
	}
	return fmt.Errorf("has an unexpected %q: quote unusual names, ['a b']", r)
}

// get returns the value the path points at.
func (p *path) get(root any) (any, bool) { return follow(root, p.steps) }

func follow(v any, steps []step) (any, bool) {
	for _, st := range steps {
		if st.name == "" {
			list, ok := v.([]any)
			if !ok || st.index >= len(list) {
				return nil, false
			}
			v = list[st.index]
			continue
		}
		members, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = members[st.name]; !ok {
			return nil, false
		}
	}
	return v, true
}

// set returns root with value at the path. What is shared is copied; missing
// objects are made. False when something on the way is not what the path needs.
func (p *path) set(root, value any) (any, bool) { return place(root, p.steps, value) }

func place(v any, steps []step, value any) (any, bool) {
	if len(steps) == 0 {
		return value, true
	}
	st := steps[0]
	if st.name == "" {
		list, ok := v.([]any)
		if !ok || st.index >= len(list) {
			return nil, false
		}
		item, ok := place(list[st.index], steps[1:], value)
		if !ok {
			return nil, false
		}
		list = append([]any(nil), list...)
		list[st.index] = item
		return list, true
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	inner, exists := members[st.name]
	if !exists {
		inner = map[string]any{}
	}
	inner, ok = place(inner, steps[1:], value)
	if !ok {
		return nil, false
	}
	members = maps.Clone(members)
	members[st.name] = inner
	return members, true
}
