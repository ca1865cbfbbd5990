package asl

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func env() *Env {
	start := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	return &Env{
		ExecutionID: "arn:x", ExecutionName: "x", MachineID: "arn:m", MachineName: "m",
		Input: map[string]any{"deep": []any{"zero", "one"}}, Started: start, Now: start.Add(time.Second),
		Token: func() string { return "tok" }, Jitter: func() float64 { return 0.5 }, Budget: 100,
	}
}

func parse(t *testing.T, definition string) *Machine {
	t.Helper()
	m, err := Parse("m.json", []byte(definition), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func data(t *testing.T, s string) Data {
	t.Helper()
	d, err := DataOf([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// show is a step in one line, for tables.
func show(st Step) string {
	switch {
	case st.End != nil && st.End.Failure != nil:
		return "failed " + st.End.Failure.Error
	case st.End != nil:
		return "output " + string(st.End.Output.JSON())
	case st.Retried:
		return "retry " + st.At.State + " after " + st.Delay.String()
	default:
		return "at " + st.At.State + " " + string(st.Task.Payload)
	}
}

func TestInputAndOutput(t *testing.T) {
	const input = `{"a":{"b":[10,{"c":"<&>"}]},"keep":true,"n":1.50}`
	tests := map[string]struct{ fields, result, payload, output string }{
		"defaults":              {``, `{"r":1}`, `{}`, `{"r":1}`},
		"whole input":           {`"Payload.$":"$"`, `1`, `{"a":{"b":[10,{"c":"<&>"}]},"keep":true,"n":1.50}`, `1`},
		"paths":                 {`"Payload":{"x.$":"$.a.b[1]['c']","y":[{"z.$":"$.n"}],"l":"$.n"}`, `1`, `{"l":"$.n","x":"<&>","y":[{"z":1.50}]}`, `1`},
		"context":               {`"Payload":{"i.$":"$$.Execution.Id","n.$":"$$.Execution.Name","d.$":"$$.Execution.Input.deep[1]","s.$":"$$.Execution.StartTime","e.$":"$$.State.EnteredTime","r.$":"$$.State.RetryCount","m.$":"$$.StateMachine.Name","w.$":"$$.State.Name","o.$":"$$.StateMachine.Id"}`, `1`, `{"d":"one","e":"2026-01-02T03:04:06.006Z","i":"arn:x","m":"m","n":"x","o":"arn:m","r":0,"s":"2026-01-02T03:04:05.006Z","w":"S"}`, `1`},
		"InputPath":             {`"Payload.$":"$[0]"},"InputPath":"$.a.b","ResultPath":"$.r","X":{`, `1`, `10`, `{"a":{"b":[10,{"c":"<&>"}]},"keep":true,"n":1.50,"r":1}`},
		"InputPath null":        {`"Payload.$":"$"},"InputPath":null,"X":{`, `1`, `{}`, `1`},
		"ResultPath null":       {`},"ResultPath":null,"X":{`, `1`, `{}`, input},
		"ResultPath makes":      {`},"ResultPath":"$.new.deep","X":{`, `[1]`, `{}`, `{"a":{"b":[10,{"c":"<&>"}]},"keep":true,"n":1.50,"new":{"deep":[1]}}`},
		"ResultPath replaces":   {`},"ResultPath":"$.a","X":{`, `null`, `{}`, `{"a":null,"keep":true,"n":1.50}`},
		"ResultPath index":      {`},"ResultPath":"$.a.b[0]","OutputPath":"$.a","X":{`, `7`, `{}`, `{"b":[7,{"c":"<&>"}]}`},
		"ResultSelector":        {`},"ResultSelector":{"k":1,"v.$":"$.Payload.v","t.$":"$$.State.Name"},"X":{`, `{"Payload":{"v":"w"}}`, `{}`, `{"k":1,"t":"S","v":"w"}`},
		"OutputPath null":       {`},"OutputPath":null,"X":{`, `1`, `{}`, `{}`},
		"OutputPath of context": {`},"OutputPath":"$$.Execution.Name","X":{`, `1`, `{}`, `"x"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			fields := tc.fields
			if fields != "" && fields[0] == '"' {
				fields = "," + fields
			}
			definition := one(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","End":true,"Parameters":{"FunctionName":"f"` + fields + `}}`)
			definition = strings.Replace(definition, `,"X":{}`, ``, 1)
			definition = strings.Replace(definition, ",\n\"E\":{\"Type\":\"Succeed\"}", "", 1)
			m, in := parse(t, definition), data(t, input)
			st := m.Start(env(), in)
			if got := show(st); got != "at S "+tc.payload {
				t.Errorf("start: %s\nwant   at S %s", got, tc.payload)
			}
			if got := show(m.Complete(env(), st.At, data(t, tc.result))); got != "output "+tc.output {
				t.Errorf("complete: %s\nwant   output %s", got, tc.output)
			}
			if got := string(Encode(in.Value)); got != input {
				t.Errorf("the input was changed to %s", got)
			}
		})
	}
}

func TestFailuresOfData(t *testing.T) {
	long := `"` + strings.Repeat("x", MaxPayload-1) + `"` // one byte over
	fits := `"` + strings.Repeat("x", MaxPayload-2) + `"`
	caught := `,"Catch":[{"ErrorEquals":["States.ALL"],"Next":"E","ResultPath":"$.e"}],"OutputPath":"$"`
	tests := map[string]struct{ more, input, result, want string }{
		"parameter path":         {`,"ResultSelector":{"x.$":"$.no"}`, `{}`, `{}`, "failed States.ParameterPathFailure"},
		"result path":            {`,"ResultPath":"$.a.b"`, `{"a":1}`, `{}`, "failed States.ResultPathMatchFailure"},
		"result path on no list": {`,"ResultPath":"$.a[0]"`, `{}`, `{}`, "failed States.ResultPathMatchFailure"},
		"input path":             {`,"InputPath":"$.no"`, `{}`, `{}`, "failed States.Runtime"},
		"output path":            {`,"OutputPath":"$.no"`, `{}`, `{}`, "failed States.Runtime"},
		"ALL leaves runtime":     {strings.Replace(caught, `"OutputPath":"$"`, `"OutputPath":"$.no"`, 1), `{}`, `{}`, "failed States.Runtime"},
		"time-out path absent":   {`,"TimeoutSecondsPath":"$.t"`, `{}`, `{}`, "failed States.Runtime"},
		"time-out path zero":     {`,"TimeoutSecondsPath":"$.t"`, `{"t":0}`, `{}`, "failed States.Runtime"},
		"time-out path fraction": {`,"HeartbeatSecondsPath":"$.t"`, `{"t":1.5}`, `{}`, "failed States.Runtime"},
		"result at the bound":    {``, `{}`, fits, "output " + fits},
		"result over the bound":  {``, `{}`, long, "failed States.DataLimitExceeded"},
		"ALL leaves data limits": {caught, `{}`, long, "failed States.DataLimitExceeded"},
		"by name":                {strings.Replace(caught, "States.ALL", ErrDataLimit, 1), `{}`, long, `output {"e":{"Cause":"the result of the state \"S\" is over 262144 bytes","Error":"States.DataLimitExceeded"}}`},
		"output over the bound":  {`,"ResultPath":"$.r"`, `{"a":1}`, fits, "failed States.DataLimitExceeded"},
		"payload over the bound": {`,"InputPath":"$"`, `{"p":` + long + `}`, `{}`, "failed States.DataLimitExceeded"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			definition := one(task(tc.more))
			if strings.HasPrefix(name, "payload") {
				definition = strings.Replace(definition, `"f"`, `"f","Payload.$":"$.p"`, 1)
			}
			m := parse(t, definition)
			st := m.Start(env(), data(t, tc.input))
			if st.End == nil {
				st = m.Complete(env(), st.At, data(t, tc.result))
			}
			if diff := cmp.Diff(tc.want, show(st)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	m := parse(t, one(task(`,"TimeoutSecondsPath":"$.t","HeartbeatSeconds":7`)))
	st := m.Start(env(), data(t, `{"t":90}`))
	if st.Task.Timeout != 90*time.Second || st.Task.Heartbeat != 7*time.Second {
		t.Errorf("limits = %v, %v", st.Task.Timeout, st.Task.Heartbeat)
	}
}

func TestRetryAndCatch(t *testing.T) {
	tests := map[string]struct {
		more   string
		errors []string // thrown one after the other
		want   []string
	}{
		"uncaught":           {``, []string{"Boom"}, []string{"failed Boom"}},
		"back-off":           {`,"Retry":[{"ErrorEquals":["Boom"]}]`, []string{"Boom", "Boom", "Boom", "Boom"}, []string{"retry S after 1s", "retry S after 2s", "retry S after 4s", "failed Boom"}},
		"ceiling and jitter": {`,"Retry":[{"ErrorEquals":["Boom"],"IntervalSeconds":2,"BackoffRate":3,"MaxDelaySeconds":5,"JitterStrategy":"FULL"}]`, []string{"Boom", "Boom"}, []string{"retry S after 1s", "retry S after 2.5s"}},
		"own counters":       {`,"Retry":[{"ErrorEquals":["A"],"MaxAttempts":1},{"ErrorEquals":["States.ALL"],"MaxAttempts":1}]`, []string{"A", "B", "A"}, []string{"retry S after 1s", "retry S after 1s", "failed A"}},
		"none":               {`,"Retry":[{"ErrorEquals":["A"],"MaxAttempts":0},{"ErrorEquals":["States.ALL"]}]`, []string{"A"}, []string{"failed A"}},
		"task failed":        {`,"Retry":[{"ErrorEquals":["States.TaskFailed"]}]`, []string{"A", ErrTimeout}, []string{"retry S after 1s", "failed States.Timeout"}},
		"not a heartbeat":    {`,"Retry":[{"ErrorEquals":["States.TaskFailed"]}]`, []string{ErrHeartbeatTimeout}, []string{"failed States.Timeout"}},
		"heartbeat by time":  {`,"Retry":[{"ErrorEquals":["States.Timeout"]}]`, []string{ErrHeartbeatTimeout}, []string{"retry S after 1s"}},
		"time not by beat":   {`,"Retry":[{"ErrorEquals":["States.HeartbeatTimeout"]}]`, []string{ErrTimeout}, []string{"failed States.Timeout"}},
		"retry, then catch":  {`,"Retry":[{"ErrorEquals":["A"],"MaxAttempts":1}],"Catch":[{"ErrorEquals":["A"],"Next":"E"}]`, []string{"A", "A"}, []string{"retry S after 1s", `output {"Cause":"why","Error":"A"}`}},
		"catch in order":     {`,"Catch":[{"ErrorEquals":["A"],"Next":"E","ResultPath":null},{"ErrorEquals":["States.ALL"],"Next":"E","ResultPath":"$.x"}]`, []string{"A"}, []string{`output {"in":1}`}},
		"catch the rest":     {`,"Catch":[{"ErrorEquals":["A"],"Next":"E"},{"ErrorEquals":["States.ALL"],"Next":"E","ResultPath":"$.x"}]`, []string{"B"}, []string{`output {"in":1,"x":{"Cause":"why","Error":"B"}}`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := parse(t, one(task(tc.more)))
			st := m.Start(env(), data(t, `{"in":1}`))
			var got []string
			for _, e := range tc.errors {
				st = m.Fail(env(), st.At, &Failure{e, "why"})
				got = append(got, show(st))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRetryKeepsEnteredTimeAndCounts(t *testing.T) {
	m := parse(t, one(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Next":"E","Retry":[{"ErrorEquals":["A"]},{"ErrorEquals":["B"]}],"Parameters":{"FunctionName":"f","Payload":{"t.$":"$$.Task.Token","r.$":"$$.State.RetryCount","e.$":"$$.State.EnteredTime"}}}`))
	e := env()
	st := m.Start(e, data(t, `{}`))
	e.Now, e.Token = e.Now.Add(time.Hour), func() string { return "second" }
	st = m.Fail(e, m.Fail(e, st.At, &Failure{"A", ""}).At, &Failure{"B", ""})
	if got := string(st.Task.Payload); got != `{"e":"2026-01-02T03:04:06.006Z","r":2,"t":"second"}` {
		t.Errorf("payload = %s", got)
	}
	again, bad := m.Request(e, st.At)
	if bad != nil || string(again.Payload) != string(st.Task.Payload) {
		t.Errorf("the same attempt must ask the same again: %s %v", again.Payload, bad)
	}
}

func TestChoice(t *testing.T) {
	const input = `{"s":"abc","n":5,"b":true,"z":null,"o":{"s":"abc","n":6}}`
	v := func(variable, rest string) string { return `{"Variable":"` + variable + `",` + rest + `}` }
	tests := map[string]struct {
		rule string
		want string // yes, no or an error
	}{
		"string":                {v("$.s", `"StringEquals":"abc"`), "yes"},
		"string differs":        {v("$.s", `"StringEquals":"ABC"`), "no"},
		"string of a number":    {v("$.n", `"StringEquals":"5"`), "no"},
		"string less":           {v("$.s", `"StringLessThan":"abd"`), "yes"},
		"string path":           {v("$.s", `"StringEqualsPath":"$.o.s"`), "yes"},
		"number":                {v("$.n", `"NumericEquals":5.0`), "yes"},
		"number greater":        {v("$.n", `"NumericGreaterThan":5`), "no"},
		"number at least":       {v("$.n", `"NumericGreaterThanEquals":5`), "yes"},
		"number path":           {v("$.n", `"NumericLessThanPath":"$.o.n"`), "yes"},
		"path nowhere":          {v("$.n", `"NumericLessThanPath":"$.no"`), "failed States.Runtime"},
		"boolean":               {v("$.b", `"BooleanEquals":true`), "yes"},
		"boolean of a string":   {v("$.s", `"BooleanEquals":false`), "no"},
		"present":               {v("$.z", `"IsPresent":true`), "yes"},
		"not present":           {v("$.no", `"IsPresent":false`), "yes"},
		"null":                  {v("$.z", `"IsNull":true`), "yes"},
		"not null":              {v("$.s", `"IsNull":false`), "yes"},
		"null nowhere":          {v("$.no", `"IsNull":true`), "failed States.Runtime"},
		"variable nowhere":      {v("$.no", `"StringEquals":"x"`), "failed States.Runtime"},
		"is string":             {v("$.s", `"IsString":true`), "yes"},
		"is numeric":            {v("$.s", `"IsNumeric":true`), "no"},
		"is boolean":            {v("$.b", `"IsBoolean":true`), "yes"},
		"matches":               {v("$.s", `"StringMatches":"a*c"`), "yes"},
		"matches all of it":     {v("$.s", `"StringMatches":"a*b"`), "no"},
		"context variable":      {v("$$.Execution.Name", `"StringEquals":"x"`), "yes"},
		"and":                   {`{"And":[` + v("$.b", `"BooleanEquals":true`) + `,` + v("$.z", `"IsNull":false`) + `]}`, "no"},
		"or":                    {`{"Or":[` + v("$.z", `"IsNull":false`) + `,` + v("$.b", `"BooleanEquals":true`) + `]}`, "yes"},
		"not":                   {`{"Not":` + v("$.z", `"IsNull":false`) + `}`, "yes"},
		"and ends at the first": {`{"And":[` + v("$.no", `"IsPresent":true`) + `,` + v("$.no", `"StringEquals":"x"`) + `]}`, "no"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rule := strings.TrimSuffix(tc.rule, "}") + `,"Next":"Yes"}`
			m := parse(t, `{"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[`+rule+`],"Default":"No"},
				"Yes":{"Type":"Fail","Error":"yes"},"No":{"Type":"Fail","Error":"no"}}}`)
			got := strings.TrimPrefix(show(m.Start(env(), data(t, input))), "failed ")
			if got != strings.TrimPrefix(tc.want, "failed ") {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestEnds(t *testing.T) {
	choice := `{"StartAt":"C","States":{"C":{"Type":"Choice","InputPath":"$.i","OutputPath":"$.o","Choices":[{"Variable":"$.k","StringEquals":"on","Next":"S"}]},"S":{"Type":"Succeed","OutputPath":"$.x"}}}`
	loop := `{"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[{"Variable":"$","IsNull":true,"Next":"S"}],"Default":"C"},"S":{"Type":"Succeed"}}}`
	fail := `{"StartAt":"F","States":{"F":{"Type":"Fail","ErrorPath":"$.e","CausePath":"$.c"}}}`
	tests := map[string]struct{ definition, input, want string }{
		"through":           {choice, `{"i":{"k":"on","o":{"x":1}}}`, "output 1"},
		"no choice":         {choice, `{"i":{"k":"off"}}`, "failed States.NoChoiceMatched"},
		"too long a way":    {loop, `{}`, "failed States.Runtime"},
		"error of the path": {fail, `{"e":"E","c":"C"}`, "failed E"},
		"error no string":   {fail, `{"e":1,"c":"C"}`, "failed States.Runtime"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := show(parse(t, tc.definition).Start(env(), data(t, tc.input))); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWildcard(t *testing.T) {
	tests := map[string]struct {
		pattern, s string
		want       bool
	}{
		"plain":          {"abc", "abc", true},
		"empty":          {"", "", true},
		"only star":      {"*", "", true},
		"no overlap":     {"ab*ba", "aba", false},
		"three parts":    {"a*b*c", "axxbyyc", true},
		"wrong order":    {"a*b*c", "acb", false},
		"escaped star":   {`a\*`, "a*", true},
		"escaped is one": {`a\*`, "ab", false},
		"backslash":      {`a\\*`, `a\b`, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := wildcard(tc.pattern, tc.s); got != tc.want {
				t.Errorf("wildcard(%q, %q) = %v", tc.pattern, tc.s, got)
			}
		})
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(`{"a":[1,2.50,"é\n\u0001\"\\<",null,true,{}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Decode([]byte(s))
		if err != nil {
			return
		}
		again, err := Decode(Encode(v))
		if err != nil || !cmp.Equal(v, again) {
			t.Errorf("%s became %s: %v", s, Encode(v), err)
		}
		if !json.Valid(Encode(v)) {
			t.Errorf("%s is not JSON", Encode(v))
		}
	})
}
