package meter

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// memory is a store of records.
type memory struct {
	core.Store
	mu    sync.Mutex
	items map[core.Key]core.Item
	puts  int
	fails bool
}

func (m *memory) Write(_ context.Context, puts ...core.Put) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails {
		return fault.New(fault.Unavailable, "not now")
	}
	for _, p := range puts {
		m.puts++
		m.items[p.Item.Key] = p.Item
	}
	return nil
}

func (m *memory) Query(_ context.Context, q core.Query) (core.Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var page core.Page
	for k, it := range m.items {
		if k.PK == q.PK && strings.HasPrefix(k.SK, q.SKPrefix) {
			page.Items = append(page.Items, it)
		}
	}
	return page, nil
}

type fixture struct {
	*Meter
	store *memory
	clock *clock.Manual
}

func newFixture() *fixture {
	f := &fixture{store: &memory{items: map[core.Key]core.Item{}}, clock: clock.NewManual(time.UnixMilli(0))}
	f.Meter = New(f.store, f.clock, "process")
	return f
}

// invoke runs an invocation that uses so much for each run.
func (f *fixture) invoke(cause string, uses map[string]core.Use, end ...string) {
	ctx, v := f.Begin(context.Background(), cause)
	for run, u := range uses {
		core.Count(named(ctx, run), u)
	}
	for _, run := range end {
		core.CounterOf(ctx).RunEnded(named(ctx, run))
	}
	v.End(context.Background())
}

func named(ctx context.Context, run string) context.Context {
	if run == "" {
		return ctx
	}
	return core.WithRun(ctx, "a", run)
}

// sum is what is known of a run in this process.
func (f *fixture) sum(run string) core.Use {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := f.books[name{"a", run}]; b != nil {
		return Sum(b.by, "meter")
	}
	return core.Use{}
}

func TestShares(t *testing.T) {
	tests := []struct {
		name string
		uses map[string]core.Use
		want map[string]int64 // write halves, by run; "" idle
	}{
		{"one run gets what is for none", map[string]core.Use{"r": {core.WriteHalves: 2}, "": {core.WriteHalves: 3}}, map[string]int64{"r": 5}},
		{"three runs get equal parts", map[string]core.Use{"r": {core.Reads: 1}, "s": {core.Reads: 1}, "t": {core.Reads: 1}, "": {core.WriteHalves: 7}},
			map[string]int64{"r": 3, "s": 2, "t": 2}},
		{"no run: idle", map[string]core.Use{"": {core.WriteHalves: 4}}, map[string]int64{"": 4}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture()
			f.invoke("sync", tc.uses)
			invocations := int64(0)
			for _, run := range []string{"r", "s", "t", ""} {
				got := f.sum(run)
				if run == "" {
					got = Sum(f.Idle())
				}
				if got[core.WriteHalves] != tc.want[run] {
					t.Errorf("run %q: %d, want %d", run, got[core.WriteHalves], tc.want[run])
				}
				invocations += got[core.Invocations]
			}
			if invocations != 1 {
				t.Errorf("%d invocations, want 1", invocations)
			}
		})
	}
}

func TestFlush(t *testing.T) {
	use := map[string]core.Use{"r": {core.Reads: 1}}
	tests := []struct {
		name string
		do   func(f *fixture)
		want int // writes
	}{
		{"a few invocations are kept", func(f *fixture) { f.invoke("x", use); f.invoke("x", use) }, 0},
		{"the run's end", func(f *fixture) { f.invoke("x", use); f.invoke("x", use, "r") }, 1},
		{"many invocations", func(f *fixture) {
			for range flushInvocations + 1 {
				f.invoke("x", use)
			}
		}, 1},
		{"later, at another run's", func(f *fixture) {
			f.invoke("x", use)
			f.clock.Advance(flushAge)
			f.invoke("x", map[string]core.Use{"s": {}})
		}, 1},
		{"later, at an idle one", func(f *fixture) {
			f.invoke("x", use)
			f.clock.Advance(flushAge)
			f.invoke("x", nil)
			f.clock.Advance(flushAge)
			f.invoke("x", nil)
		}, 1},
		{"idle is not written", func(f *fixture) {
			for range 3 * flushInvocations {
				f.invoke("x", nil)
			}
		}, 0},
		{"each", func(f *fixture) { f.Each = true; f.invoke("x", use); f.invoke("x", use); f.invoke("x", nil) }, 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture()
			tc.do(f)
			if f.store.puts != tc.want {
				t.Errorf("%d writes, want %d", f.store.puts, tc.want)
			}
		})
	}
}

// TestRecords adds up what two processes have written, their writes included.
func TestRecords(t *testing.T) {
	f := newFixture()
	other := New(f.store, f.clock, "other")
	f.invoke("sync", map[string]core.Use{"r": {core.WriteHalves: 2}})
	f.Flush(t.Context(), "a", "r")
	f.invoke("sync", map[string]core.Use{"r": {core.WriteHalves: 3}})
	f.Flush(t.Context(), "a", "r")
	f.Flush(t.Context(), "a", "r") // no news
	ctx, v := other.Begin(t.Context(), "enter")
	core.Count(named(ctx, "r"), core.Use{core.WriteHalves: 10})
	v.End(t.Context())
	other.Flush(t.Context(), "a", "r")
	by, _, err := Read(t.Context(), f.store, "a", "r")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for cause, u := range by {
		got[cause] = u[core.WriteHalves]
	}
	if diff := cmp.Diff(map[string]int64{"sync": 5, "enter": 10, "meter": 6}, got); diff != "" {
		t.Error(diff)
	}
	if f.store.puts != 3 || len(f.store.items) != 2 {
		t.Errorf("%d writes of %d records", f.store.puts, len(f.store.items))
	}
}

func TestFailedFlush(t *testing.T) {
	f := newFixture()
	f.store.fails = true
	f.invoke("sync", map[string]core.Use{"r": {core.Reads: 1}}, "r")
	f.store.fails = false
	f.invoke("sync", nil)
	by, _, err := Read(t.Context(), f.store, "a", "r")
	if err != nil || by["sync"][core.Reads] != 1 {
		t.Errorf("after a failure %v %v", by, err)
	}
}

// TestFlushed lets what is done about a flush be counted too.
func TestFlushed(t *testing.T) {
	f := newFixture()
	f.Meter.Flushed = func(ctx context.Context, _, _ string) { core.Count(ctx, core.Use{core.Reads: 7}) }
	f.invoke("sync", map[string]core.Use{"r": {}}, "r")
	if got := f.sum("r")[core.Reads]; got != 7 {
		t.Errorf("%d reads, want 7", got)
	}
}

// TestRecordSize: a record with all causes of one function, each with great numbers, is
// one write unit.
func TestRecordSize(t *testing.T) {
	by := map[string]core.Use{}
	for _, cause := range []string{"sync", "complete", "logs", "authorizer", "meter"} {
		var u core.Use
		for i := range u {
			u[i] = 99_999
		}
		by[cause] = u
	}
	it := core.Item{Key: core.UseKey("default", strings.Repeat("x", 26), strings.Repeat("x", 26)+".100000"), Body: encode(by)}
	if n := itemSize(it); n > 1024 {
		t.Errorf("a record of the delegate function has %d bytes", n)
	}
	back, err := decode(it.Body)
	if diff := cmp.Diff(by, back); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if slices.Contains(short[:], "") {
		t.Error("a unit has no name in records")
	}
}

func TestHTTP(t *testing.T) {
	tests := []struct {
		function, method, path string
		want                   map[string]int64 // invocations by cause
	}{
		{"api", "POST", "/slipway/v1/runs", map[string]int64{"api": 1, "authorizer": 1}},
		{"api", "GET", "/slipway/v1/runs/r", map[string]int64{"view": 2}},
		{"delegate", "POST", "/gateway/slipway/v1/delegate/sync", map[string]int64{"sync": 1, "authorizer": 1}},
		{"approve", "POST", "/slipway/v1/approve/x", map[string]int64{"approve": 1}},
	}
	for _, tc := range tests {
		t.Run(tc.function+" "+tc.method, func(t *testing.T) {
			f := newFixture()
			h := f.HTTP(tc.function, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				core.Count(named(r.Context(), "r"), core.Use{core.Reads: 1})
				_, _ = w.Write([]byte("hello"))
			}))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, http.NoBody))
			got := map[string]int64{}
			for cause, u := range f.ByCause() {
				got[cause] = u[core.Invocations]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if u := f.sum("r"); u[core.Requests] != 1 || u[core.OutBytes] != 5 || u[core.Reads] < 1 {
				t.Errorf("counted %v", u)
			}
		})
	}
}

// TestCauses: the first call that says what for names the invocation.
func TestCauses(t *testing.T) {
	f := newFixture()
	fn := Func(f.Meter, "advance", func(ctx context.Context, op string) (int, error) {
		core.Count(core.WithCause(named(ctx, "r"), op), core.Use{core.Reads: 1})
		core.Count(core.WithCause(named(ctx, "r"), "other"), core.Use{core.Reads: 1})
		return 0, nil
	})
	_, _ = fn(t.Context(), "enter")
	_, _ = fn(t.Context(), "recover")
	for cause, want := range map[string]int64{"enter": 1, "recover": 1, "other": 0} {
		if got := f.ByCause()[cause][core.Invocations]; got != want {
			t.Errorf("%s: %d invocations, want %d", cause, got, want)
		}
	}
}

func TestRoom(t *testing.T) {
	f := newFixture()
	for i := range maxBooks + 10 {
		f.invoke("x", map[string]core.Use{fmt.Sprint(i): {core.Reads: 1}}, fmt.Sprint(i))
	}
	if n := len(f.books); n > maxBooks+1 {
		t.Errorf("%d books", n)
	}
	if len(f.store.items) != maxBooks+10 {
		t.Errorf("%d records", len(f.store.items))
	}
}

func TestBill(t *testing.T) {
	b := NewBill(map[string]core.Use{
		"sync":     {core.WriteHalves: 3, core.Requests: 2, core.MemoryTime: 256 * 1000},
		"complete": {core.WriteHalves: 1, core.LogBytes: 1 << 30},
	}, map[string]int64{"stage": 1000})
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("write units", b.Quantity("DynamoDB", "write unit"), 2)
	near("write units of sync", b.Quantity("DynamoDB", "write unit", "sync"), 1.5)
	near("GB-seconds", b.Quantity("Lambda", "GB-second"), 0.25)
	near("the bill", b.Dollars, 0.025+2*0.625e-6+2*3.5e-6+0.25*0.0000133334+0.50)
	near("without syncs", b.Without("sync").Dollars, 0.025+0.5*0.625e-6+0.50)
	sum := 0.0
	for _, r := range b.ByService() {
		sum += r.Dollars
	}
	near("the services' sum", sum, b.Dollars)
	if text := b.Table(1); !strings.Contains(text, "complete") || !strings.Contains(text, "GB-second") {
		t.Errorf("the table:\n%s", text)
	}
}

func TestUnits(t *testing.T) {
	item := func(bytes int, index string) core.Put {
		it := core.Item{Key: core.Key{PK: "p", SK: "s"}, Body: make([]byte, bytes)}
		if index != "" {
			it.Index = core.Key{PK: index, SK: "1"}
		}
		return core.Put{Item: it}
	}
	for name, tc := range map[string]struct{ got, want int64 }{
		"small write":       {WriteHalves(item(10, "")), 2},
		"just over 1 KB":    {WriteHalves(item(1024, "")), 4},
		"with the index":    {WriteHalves(item(10, "i")), 4},
		"transaction":       {WriteHalves(item(10, ""), item(10, "")), 8},
		"eventual read":     {ReadHalves(100, false), 1},
		"strong read":       {ReadHalves(100, true), 2},
		"read of 4 KB":      {ReadHalves(4096, false), 1},
		"read of 4 KB + 1":  {ReadHalves(4097, false), 2},
		"read of nothing":   {ReadHalves(0, false), 1},
		"event of 64 KB":    {EventUnits(64 << 10), 1},
		"event of 64 KB +1": {EventUnits(64<<10 + 1), 2},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %d, want %d", name, tc.got, tc.want)
		}
	}
}
