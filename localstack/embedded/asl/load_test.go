package asl

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/fault"
)

// one is a machine around one state "S", written on line 2.
func one(state string) string {
	return "{\"StartAt\":\"S\",\"States\":{\n\"S\":" + state + ",\n\"E\":{\"Type\":\"Succeed\"}}}"
}

// task is a state with the fields of a plain invocation and more.
func task(more string) string {
	return `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f"},"Next":"E"` + more + `}`
}

// textAt is the definition from a problem's position on.
func textAt(definition string, p Problem) string {
	lines := strings.Split(definition, "\n")
	return strings.Join(lines[p.Line-1:], "\n")[p.Column-1:]
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		definition string
		at         string // the text the problem points at
		says       string
	}{
		"not JSON":              {`{"StartAt":}`, `}`, "not JSON"},
		"cut off":               {`{"StartAt":"S"`, ``, "ends too early"},
		"text after":            {one(task("")) + " x", `x`, "after the end"},
		"duplicate key":         {one(task(`,"Next":"E"`)), `"Next":"E"}`, `"Next" stands here twice`},
		"no StartAt":            {`{"States":{"E":{"Type":"Succeed"}}}`, `{`, "no StartAt"},
		"StartAt dangling":      {`{"StartAt":"X","States":{"E":{"Type":"Succeed"}}}`, `"X"`, `"X", which does not exist`},
		"no States":             {`{"StartAt":"S"}`, `{`, "no States"},
		"Next dangling":         {one(strings.Replace(task(""), `"E"`, `"X"`, 1)), `"S":{`, `leads to "X"`},
		"unreachable":           {one(`{"Type":"Succeed"}`), `"E":{`, `"E" is never reached`},
		"never ends":            {`{"StartAt":"S","States":{"S":` + strings.Replace(task(""), `"E"`, `"S"`, 1) + `}}`, `{"S":{`, "no state ends"},
		"Pass":                  {one(`{"Type":"Pass","Next":"E"}`), `"Pass"`, `"Pass" are not supported`},
		"Map":                   {one(`{"Type":"Map","Next":"E"}`), `"Map"`, `"Map" are not supported`},
		"JSONata":               {one(task(`,"QueryLanguage":"JSONata"`)), `"QueryLanguage"`, "JSONPath is what is used"},
		"Assign":                {one(task(`,"Assign":{}`)), `"Assign"`, "variables are not supported"},
		"unknown field":         {one(task(`,"Timeout":1`)), `"Timeout"`, `cannot have "Timeout"`},
		"unknown resource":      {one(`{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","Next":"E"}`), `"arn:aws:states:::sqs`, "is not supported: use"},
		"unknown parameter":     {one(strings.Replace(task(""), `"f"`, `"f","LogType":"Tail"`, 1)), `"LogType"`, `cannot have "LogType"`},
		"no function":           {one(strings.Replace(task(""), `"FunctionName":"f"`, ``, 1)), `{}`, "no FunctionName"},
		"leads nowhere":         {one(strings.Replace(task(""), `,"Next":"E"`, ``, 1)), `{"Type"`, "leads nowhere"},
		"Next and End":          {one(task(`,"End":true`)), `"End"`, "either Next or End"},
		"End false":             {one(strings.Replace(task(""), `"Next":"E"`, `"End":false`, 1)), `false`, "End can only be true"},
		"intrinsic":             {one(task(`,"ResultSelector":{"a.$":"States.Format('x')"}`)), `"States.Format`, "intrinsic function"},
		"wildcard":              {one(task(`,"InputPath":"$.a[*]"`)), `"$.a[*]"`, "only an index"},
		"descent":               {one(task(`,"InputPath":"$..a"`)), `"$..a"`, "only paths to one value"},
		"no dollar":             {one(task(`,"InputPath":"a"`)), `"a"`, "begin with $"},
		"context in ResultPath": {one(task(`,"ResultPath":"$$.Execution.Id"`)), `"$$.Execution.Id"`, "cannot stand here"},
		"unknown context":       {one(task(`,"InputPath":"$$.Execution.RoleArn"`)), `"$$.Execution.RoleArn"`, "not in the context object"},
		"twice with .$":         {one(task(`,"ResultSelector":{"a":1,"a.$":"$"}`)), `"a.$"`, "once with .$"},
		"token without waiting": {one(strings.Replace(task(""), `"f"`, `"f","Payload.$":"$$.Task.Token"`, 1)), `"Parameters"`, "only with .waitForTaskToken"},
		"waiting without token": {one(strings.Replace(task(""), `invoke"`, `invoke.waitForTaskToken"`, 1)), `"Parameters"`, "must hand it on"},
		"both time-outs":        {one(task(`,"TimeoutSeconds":1,"TimeoutSecondsPath":"$.a"`)), `"TimeoutSecondsPath"`, "either TimeoutSeconds or"},
		"time-out of 0":         {one(task(`,"TimeoutSeconds":0`)), `0`, "whole number from 1"},
		"heartbeat too long":    {one(task(`,"TimeoutSeconds":5,"HeartbeatSeconds":5`)), `"HeartbeatSeconds"`, "smaller than"},
		"ALL with others":       {one(task(`,"Retry":[{"ErrorEquals":["States.ALL","a"]}]`)), `"States.ALL"`, "stand alone"},
		"ALL not last":          {one(task(`,"Retry":[{"ErrorEquals":["States.ALL"]},{"ErrorEquals":["a"]}]`)), `"States.ALL"`, "in the last retrier"},
		"no such States error":  {one(task(`,"Retry":[{"ErrorEquals":["States.Heartbeat"]}]`)), `"States.Heartbeat"`, "no error of the language"},
		"States.Runtime":        {one(task(`,"Catch":[{"ErrorEquals":["States.Runtime"],"Next":"E"}]`)), `"States.Runtime"`, "cannot be handled"},
		"rate below one":        {one(task(`,"Retry":[{"ErrorEquals":["a"],"BackoffRate":0.5}]`)), `0.5`, "at least 1.0"},
		"ceiling too low":       {one(task(`,"Retry":[{"ErrorEquals":["a"],"MaxDelaySeconds":1}]`)), `1}`, "greater than IntervalSeconds"},
		"jitter":                {one(task(`,"Retry":[{"ErrorEquals":["a"],"JitterStrategy":"HALF"}]`)), `"HALF"`, "FULL"},
		"catcher dangling":      {one(task(`,"Catch":[{"ErrorEquals":["a"],"Next":"X"}]`)), `"S":{`, `leads to "X"`},
		"rule without Next":     {one(`{"Type":"Choice","Default":"E","Choices":[{"Variable":"$","IsNull":true}]}`), `{"Variable"`, "no Next"},
		"rule without operator": {one(`{"Type":"Choice","Choices":[{"Variable":"$","Next":"E"}]}`), `{"Variable"`, "needs And, Or, Not"},
		"two operators":         {one(`{"Type":"Choice","Choices":[{"Variable":"$","IsNull":true,"IsString":true,"Next":"E"}]}`), `"IsString"`, "tests one thing"},
		"nested Next":           {one(`{"Type":"Choice","Choices":[{"Not":{"Variable":"$","IsNull":true,"Next":"E"},"Next":"E"}]}`), `"Next":"E"},"Next"`, "only a rule of Choices"},
		"timestamps":            {one(`{"Type":"Choice","Choices":[{"Variable":"$","TimestampEquals":"x","Next":"E"}]}`), `"TimestampEquals"`, "not supported"},
		"wrong operand":         {one(`{"Type":"Choice","Choices":[{"Variable":"$","StringEquals":1,"Next":"E"}]}`), `1,`, "a string, not a number"},
		"no variable":           {one(`{"Type":"Choice","Choices":[{"StringEquals":"x","Next":"E"}]}`), `{"StringEquals"`, "needs a Variable"},
		"error twice":           {one(`{"Type":"Fail","Error":"a","ErrorPath":"$.b"}`), `"ErrorPath"`, "either Error or ErrorPath"},
		"unresolved":            {one(strings.Replace(task(""), `"f"`, `"${Nobody}"`, 1)), `${Nobody}`, "no substitution is given for ${Nobody}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("m.json", []byte(tc.definition), nil)
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("err = %v, want fault.Invalid", err)
			}
			problems, _ := errors.AsType[Problems](err)
			for _, p := range problems {
				if strings.HasPrefix(textAt(tc.definition, p), tc.at) && strings.Contains(p.Message, tc.says) {
					return
				}
			}
			t.Errorf("nothing at %q saying %q in:\n%v", tc.at, tc.says, err)
		})
	}
}

func TestParseGathersAllProblems(t *testing.T) {
	_, err := Parse("m.json", []byte(one(task(`,"A":1,"B":2`))), nil)
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two problems, got %v", err)
	}
}

func TestSubstitution(t *testing.T) {
	definition := one(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Comment":"${A}","Parameters":{"FunctionName":"${B}"},"Next":"E","Oops":1}`)
	_, err := Parse("m.json", []byte(definition), map[string]string{"A": "a long value, longer than its name", "B": "f"})
	problems, _ := errors.AsType[Problems](err)
	if len(problems) != 1 || !strings.HasPrefix(textAt(definition, problems[0]), `"Oops"`) {
		t.Errorf("a position after substitutions must be the author's: %v", err)
	}
	m, err := Parse("m.json", []byte(strings.Replace(definition, `,"Oops":1`, "", 1)), map[string]string{"A": "", "B": "arn:f"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Targets(Invoke); len(got) != 1 || got[0] != "arn:f" {
		t.Errorf("Targets = %q", got)
	}
	again, err := Parse("again", m.Text(), nil)
	if err != nil || again.Digest() != m.Digest() {
		t.Errorf("the substituted text must parse to the same machine: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(one(task("")))
	f.Add(one(`{"Type":"Choice","Default":"E","Choices":[{"Variable":"$.a['b'][0]","IsNull":true,"Next":"E"}]}`))
	f.Add(`{"StartAt":"${`)
	f.Fuzz(func(t *testing.T, definition string) {
		if m, err := Parse("f", []byte(definition), map[string]string{"A": "x"}); (m == nil) == (err == nil) {
			t.Error("either a machine or an error")
		}
	})
}
