package meter

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
)

// What a function cannot see itself, as estimates.
const (
	logInvocation = 700 // bytes of Lambda's own two lines, JSON, with CloudWatch's 26 each
	logRequest    = 500 // bytes of API Gateway's access log
)

// authorizer is the other function that a request invokes: 128 MB for 12 ms, and so
// many items looked up, a token and for people the user.
func authorizer(items int64) core.Use {
	if items == 0 {
		return core.Use{}
	}
	return core.Use{core.Invocations: 1, core.MemoryTime: 128 * 12, core.LogBytes: logInvocation,
		core.Reads: items, core.ReadHalves: items}
}

// causeView is for those who look at runs.
const causeView = "view"

// looked is how many items the authorizer looks up for a function's requests;
// approval links are their own credential.
var looked = map[string]int64{"api": 2, "catalogue": 2, "delegate": 1}

// Invocation is one invocation of a function under way: what its calls use goes to
// the runs they are for; itself, and calls for none in particular, to all of these
// in equal parts, or to none when it served none.
type Invocation struct {
	meter *Meter
	begun time.Time

	mu    sync.Mutex
	by    map[line]core.Use
	cause string
	named bool // by a call
	ended []context.Context
}

type line struct {
	name
	cause string
}

// Begin counts an invocation, until End. cause is what for, as long as no call says
// it better.
func (m *Meter) Begin(ctx context.Context, cause string) (context.Context, *Invocation) {
	v := &Invocation{meter: m, begun: m.clock.Now(), by: map[line]core.Use{}, cause: cause}
	return core.WithCause(core.WithCounter(ctx, v), cause), v
}

// Count implements core.Counter.
func (v *Invocation) Count(ctx context.Context, u core.Use) {
	v.mu.Lock()
	defer v.mu.Unlock()
	account, run := core.RunOf(ctx)
	cause := core.CauseOf(ctx)
	if !v.named && cause != v.cause {
		v.named, v.cause = true, cause
	}
	v.put(line{name{account, run}, cause}, u)
}

// put adds to a line. The caller holds mu.
func (v *Invocation) put(k line, u core.Use) {
	sum := v.by[k]
	sum.Add(u)
	v.by[k] = sum
}

// request counts the request through which the function's invocation came, with so
// many bytes of answer.
func (v *Invocation) request(function, cause string, answer int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	asked := "authorizer"
	if cause == causeView {
		asked = causeView
	}
	if u := authorizer(looked[function]); !u.IsZero() {
		v.put(line{cause: asked}, u)
	}
	v.put(line{cause: cause}, core.Use{core.Requests: 1, core.LogBytes: logRequest, core.OutBytes: answer})
}

// RunEnded implements core.Counter.
func (v *Invocation) RunEnded(ctx context.Context) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = append(v.ended, ctx)
}

// End ends the invocation and writes what is due.
func (v *Invocation) End(ctx context.Context) {
	v.mu.Lock()
	ms := int64((v.meter.clock.Now().Sub(v.begun) + time.Millisecond - 1) / time.Millisecond)
	v.put(line{cause: v.cause}, core.Use{core.Invocations: 1, core.MemoryTime: max(ms, 1) * v.meter.Memory, core.LogBytes: logInvocation})
	v.settle()
	v.mu.Unlock()
	v.meter.flush(ctx)
}

// settle hands the counts to the meter.
func (v *Invocation) settle() {
	m := v.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	var runs []name
	for k := range v.by {
		if k.run != "" && !slices.Contains(runs, k.name) {
			runs = append(runs, k.name)
		}
	}
	slices.SortFunc(runs, func(a, b name) int { return strings.Compare(a.account+" "+a.run, b.account+" "+b.run) })
	for _, r := range runs {
		m.book(r).unflushed++
	}
	for k, u := range v.by {
		if k.run != "" || len(runs) == 0 {
			m.add(k.name, k.cause, u)
			continue
		}
		for i, r := range runs {
			m.add(r, k.cause, u.Share(i, len(runs)))
		}
	}
	for _, ctx := range v.ended {
		account, run := core.RunOf(ctx)
		m.book(name{account, run}).ended = true
	}
}

// Called counts a delegate's call in the same process as if it had come through the API.
func Called[In, Out any](ctx context.Context, m *Meter, cause string, in In, fn func(context.Context, In) (Out, error)) (Out, error) {
	counted, v := m.Begin(ctx, cause)
	defer v.End(ctx)
	defer v.request("delegate", cause, directAnswer)
	return fn(counted, in)
}

// directAnswer stands for the bytes of an answer that is never written out.
const directAnswer = 512

// Func counts the invocations of a function.
func Func[In, Out any](m *Meter, function string, fn func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		counted, v := m.Begin(ctx, function)
		defer v.End(ctx)
		return fn(counted, in)
	}
}

// HTTP counts the requests that a function serves behind the API.
func (m *Meter) HTTP(function string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cause := requestCause(function, r)
		ctx, v := m.Begin(r.Context(), cause)
		defer v.End(r.Context())
		answer := &counted{ResponseWriter: w}
		h.ServeHTTP(answer, r.WithContext(ctx))
		v.request(function, cause, answer.bytes)
	})
}

// requestCause tells those who look from those who do, and delegates' calls apart.
func requestCause(function string, r *http.Request) string {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return causeView
	case function == "delegate":
		return path.Base(r.URL.Path)
	}
	return function
}

// counted counts an answer's bytes.
type counted struct {
	http.ResponseWriter
	bytes int64
}

// Write implements http.ResponseWriter.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }
