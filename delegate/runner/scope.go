package runner

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/expr"
	"github.com/slipway-cd/slipway/shared/fault"
)

// scope is what expressions that were left for the delegate may name: the answer,
// the step's input variables and secrets.
type scope struct {
	names map[string]any
}

func newScope(inputs []variable, got answer) scope {
	vars := map[string]any{}
	for _, v := range inputs {
		vars[string(v.Name)] = string(v.Value)
	}
	names := map[string]any{"inputVariables": vars, "secrets": secretNames{}}
	for name, value := range vars {
		names[name] = value
	}
	names["httpResponseCode"], names["httpResponseBody"] = int64(got.code), got.body
	names["httpMethod"], names["httpUrl"] = got.method, got.url
	return scope{names}
}

// Lookup implements expr.Scope.
func (s scope) Lookup(name string) (any, bool) {
	v, ok := s.names[name]
	return v, ok
}

// holds decides the assertion; there is none when it is blank.
func (s scope) holds(assertion text) (bool, error) {
	return expr.Condition(string(assertion), s)
}

// outputs evaluates output variables. Values are strings, null where there is
// nothing; those of type Secret are returned apart.
func (s scope) outputs(job *Job, vars []variable) (out map[string]any, secret map[string]string, err error) {
	out = map[string]any{}
	for _, v := range vars {
		name := string(v.Name)
		value, err := s.render(job, v.Value)
		if err != nil {
			return out, secret, fault.New(fault.Invalid, "output variable %s: %w", name, err)
		}
		if !strings.EqualFold(string(v.Type), "Secret") {
			out[name] = value
			continue
		}
		if secret == nil {
			secret = map[string]string{}
		}
		if secret[name] = ""; value != nil {
			secret[name] = fmt.Sprint(value)
		}
	}
	return out, secret, nil
}

// render returns a string, or nil for null.
func (s scope) render(job *Job, value text) (any, error) {
	v, err := expr.Render(string(value), s)
	if v == nil || err != nil {
		return nil, err
	}
	str, ok := v.(string)
	if !ok {
		str = expr.Format(v)
	}
	// Secrets last: their values are never read as expressions.
	return job.reveal(text(str))
}

// secretNames answers secrets.getValue with a reference, which is revealed last.
type secretNames struct{}

// Get implements expr.Object: there are no properties.
func (secretNames) Get(string) (any, bool, error) { return nil, false, nil }

// Call implements expr.Caller.
func (secretNames) Call(method string, args []any) (any, error) {
	if ref, ok := first(args).(string); ok && method == "getValue" {
		return expr.Secret{Ref: ref}, nil
	}
	return nil, expr.ErrNoMethod
}

func first(args []any) any {
	if len(args) != 1 {
		return nil
	}
	return args[0]
}
