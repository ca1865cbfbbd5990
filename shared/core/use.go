package core

import "context"

// Unit is something that is counted, most of them because AWS bills it.
type Unit int

// Units. What DynamoDB bills is in halves, for an eventual read is one.
const (
	ReadHalves  Unit = iota // read request units × 2
	WriteHalves             // write request units × 2, indexes and transactions included
	Reads                   // calls of the store that read; not billed
	Writes                  // calls of the store that write; not billed
	Workflows               // calls of the workflow's interface; not billed
	Invocations             // of functions
	MemoryTime              // of functions: MB × ms
	Requests                // of the API
	Events                  // put on the bus, one for each 64 KB begun
	BlobReads               // objects read
	BlobWrites              // objects written
	SecretCalls             // calls for secrets
	Timers                  // timers set, each fires at most once
	LogBytes                // written to logs
	OutBytes                // answered to callers outside
	Units                   // how many there are
)

// Use is how much of each unit was used.
type Use [Units]int64

// Add adds v to u.
func (u *Use) Add(v Use) {
	for i, n := range v {
		u[i] += n
	}
}

// IsZero reports whether nothing was used.
func (u Use) IsZero() bool { return u == Use{} }

// Share is part i of n equal ones; what cannot be divided goes to the first, so
// that the parts add up to u.
func (u Use) Share(i, n int) Use {
	for k, v := range u {
		u[k] = v / int64(n)
		if int64(i) < v%int64(n) {
			u[k]++
		}
	}
	return u
}

// Counter takes note of what calls use. It is safe for concurrent use.
type Counter interface {
	// Count notes a use; ctx says what for (CauseOf) and for which run (RunOf).
	Count(ctx context.Context, u Use)
	// RunEnded notes that the run of ctx has ended.
	RunEnded(ctx context.Context)
}

type (
	counterKey struct{}
	runKey     struct{}
	runName    struct{ account, run string }
)

// WithCounter returns a context whose calls are counted by c.
func WithCounter(ctx context.Context, c Counter) context.Context {
	return context.WithValue(ctx, counterKey{}, c)
}

// CounterOf returns the context's counter, one that forgets when there is none.
func CounterOf(ctx context.Context) Counter {
	if c, ok := ctx.Value(counterKey{}).(Counter); ok {
		return c
	}
	return uncounted{}
}

// Count notes a use with the context's counter.
func Count(ctx context.Context, u Use) { CounterOf(ctx).Count(ctx, u) }

type uncounted struct{}

func (uncounted) Count(context.Context, Use) {}
func (uncounted) RunEnded(context.Context)   {}

// WithRun returns a context that says for which run the calls made with it are.
func WithRun(ctx context.Context, account, run string) context.Context {
	if a, r := RunOf(ctx); a == account && r == run {
		return ctx
	}
	return context.WithValue(ctx, runKey{}, runName{account, run})
}

// RunOf returns the run that calls made with ctx are for, "" when nobody said.
func RunOf(ctx context.Context) (account, run string) {
	n, _ := ctx.Value(runKey{}).(runName)
	return n.account, n.run
}

// UsePrefix is what the sort keys of a run's counts start with.
const UsePrefix = "M#"

// UseKey is where a process keeps its counts of a run, under a name of its own.
func UseKey(account, run, record string) Key { return Key{runPK(account, run), UsePrefix + record} }
