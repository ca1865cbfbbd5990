package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

func number(n int) *core.LoopNumber { return &core.LoopNumber{Value: n} }

func values(v ...any) core.LoopList { return core.LoopList{Values: v} }

func matrix(axes ...core.Axis) *core.Loop { return &core.Loop{Kind: core.LoopMatrix, Axes: axes} }

func items(n int) *core.LoopList {
	l := &core.LoopList{}
	for i := range n {
		l.Values = append(l.Values, fmt.Sprintf("h%d", i))
	}
	return l
}

var (
	osAxis   = core.Axis{Name: "os", List: values("linux", "mac")}
	jdkAxis  = core.Axis{Name: "jdk", List: values(17.0, "21")}
	fromExpr = core.Axis{Name: "x", List: core.LoopList{Expr: "<+x>"}}
)

// shown is an iteration on one line.
func shown(it Iteration) string {
	var parts []string
	for _, k := range sortedKeys(it.Matrix) {
		parts = append(parts, k+"="+text(it.Matrix[k]))
	}
	if it.Partition != nil {
		parts = append(parts, text(it.Partition))
	}
	if it.Item != nil {
		parts = append(parts, text(it.Item))
	}
	if it.Name != it.PostFix {
		parts = append(parts, "named "+it.Name)
	}
	return strings.Join(append([]string{it.PostFix}, parts...), " ")
}

var expansions = []struct {
	name string
	loop *core.Loop
	with Values
	want []string
}{
	{"parallelism", &core.Loop{Kind: core.LoopParallelism, Times: number(2)}, Values{}, []string{"_0", "_1"}},
	{"parallelism of an expression", &core.Loop{Kind: core.LoopParallelism, Times: &core.LoopNumber{Expr: "<+n>"}},
		Values{Results: map[string]any{"<+n>": "2"}}, []string{"_0", "_1"}},
	{"first axis outermost", matrix(osAxis, jdkAxis), Values{},
		[]string{"_0_0 jdk=17 os=linux", "_0_1 jdk=21 os=linux", "_1_0 jdk=17 os=mac", "_1_1 jdk=21 os=mac"}},
	{"exclude compares text", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis, jdkAxis}, Exclude: []map[string]any{{"os": "mac", "jdk": "17"}}}, Values{},
		[]string{"_0_0 jdk=17 os=linux", "_0_1 jdk=21 os=linux", "_1_1 jdk=21 os=mac"}},
	{"exclude part of the keys", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis, jdkAxis}, Exclude: []map[string]any{{"jdk": 21.0}, {"os": "mac"}}}, Values{},
		[]string{"_0_0 jdk=17 os=linux"}},
	{"exclude another axis", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, Exclude: []map[string]any{{"os": "mac", "arch": "x"}, {}}}, Values{},
		[]string{"_0 os=linux", "_1 os=mac"}},
	{"labels", matrix(core.Axis{Name: "v", List: values("1.10", "a b", map[string]any{"k": "x"})}), Values{Labels: true},
		[]string{"_1_10 v=1.10", "_a_b v=a b", `_2 v={"k":"x"}`}},
	{"labels that fall together", matrix(core.Axis{Name: "v", List: values("a.b", "a_b", "a_b_0")}), Values{Labels: true},
		[]string{"_a_b_1 v=a.b", "_a_b_2 v=a_b", "_a_b_0 v=a_b_0"}},
	{"objects and texts of objects", matrix(core.Axis{Name: "s", List: values(map[string]any{"name": "a"}, `{"name": "b"}`, "{no json")}), Values{},
		[]string{`_0 s={"name":"a"}`, `_1 s={"name":"b"}`, "_2 s={no json"}},
	{"an axis of an expression", matrix(osAxis, fromExpr), Values{Results: map[string]any{"<+x>": []any{"p", "q"}}},
		[]string{"_0_0 os=linux x=p", "_0_1 os=linux x=q", "_1_0 os=mac x=p", "_1_1 os=mac x=q"}},
	{"an axis of JSON text", matrix(fromExpr), Values{Results: map[string]any{"<+x>": `["p", {"a": 1}]`}}, []string{"_0 x=p", `_1 x={"a":1}`}},
	{"an expression in an axis", matrix(core.Axis{Name: "x", List: values("p", "<+x>")}), Values{Results: map[string]any{"<+x>": "q"}}, []string{"_0 x=p", "_1 x=q"}},
	{"a whole matrix keeps the order of its text", &core.Loop{Kind: core.LoopMatrix, Matrix: "<+m>"},
		Values{Results: map[string]any{"<+m>": `{"z": ["1", "2"], "a": ["x", "y"], "exclude": [{"z": "2", "a": "x"}], "maxConcurrency": 2}`}},
		[]string{"_0_0 a=x z=1", "_0_1 a=y z=1", "_1_1 a=y z=2"}},
	{"a whole matrix from a map", &core.Loop{Kind: core.LoopMatrix, Matrix: "<+m>"},
		Values{Results: map[string]any{"<+m>": map[string]any{"z": []any{"1"}, "a": []any{"x", "y"}}}}, []string{"_0_0 a=x z=1", "_1_0 a=y z=1"}},
	{"exclude of an expression", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, ExcludeExpr: "<+e>"},
		Values{Results: map[string]any{"<+e>": []any{map[string]any{"os": "mac"}}}}, []string{"_0 os=linux"}},

	{"times", &core.Loop{Kind: core.LoopRepeat, Times: number(2)}, Values{}, []string{"_0 0", "_1 1"}},
	{"items", &core.Loop{Kind: core.LoopRepeat, Items: items(2)}, Values{}, []string{"_0 h0", "_1 h1"}},
	{"a range", &core.Loop{Kind: core.LoopRepeat, Items: items(5), Start: number(1), End: number(3)}, Values{}, []string{"_0 h1", "_1 h2"}},
	{"a range past the end", &core.Loop{Kind: core.LoopRepeat, Items: items(2), Start: number(1), End: number(9)}, Values{}, []string{"_0 h1"}},
	{"the first half", &core.Loop{Kind: core.LoopRepeat, Items: items(5), Start: number(0), End: number(50), Percent: true}, Values{},
		[]string{"_0 h0", "_1 h1", "_2 h2"}},
	{"the second half", &core.Loop{Kind: core.LoopRepeat, Items: items(5), Start: number(50), Percent: true}, Values{}, []string{"_0 h3", "_1 h4"}},
	{"partitions", &core.Loop{Kind: core.LoopRepeat, Items: items(10), PartitionSize: number(3)}, Values{},
		[]string{`_0 ["h0","h1","h2"]`, `_1 ["h3","h4","h5"]`, `_2 ["h6","h7","h8"]`, `_3 ["h9"]`}},
	{"partitions in percent", &core.Loop{Kind: core.LoopRepeat, Items: items(5), PartitionSize: number(30), Percent: true}, Values{},
		[]string{`_0 ["h0","h1"]`, `_1 ["h2","h3"]`, `_2 ["h4"]`}},
	{"partitions of less than one", &core.Loop{Kind: core.LoopRepeat, Items: items(2), PartitionSize: number(1), Percent: true}, Values{}, []string{`_0 ["h0"]`, `_1 ["h1"]`}},

	{"names", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, NodeName: "<+matrix.os>"},
		Values{Name: func(it Iteration) (string, error) { return text(it.Matrix["os"]), nil }}, []string{"_0 os=linux named _linux", "_1 os=mac named _mac"}},
	{"names that are the same", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, NodeName: "x"},
		Values{Name: func(Iteration) (string, error) { return "x", nil }}, []string{"_0 os=linux named _x_0", "_1 os=mac named _x_1"}},
}

func TestExpand(t *testing.T) {
	for _, tc := range expansions {
		t.Run(tc.name, func(t *testing.T) {
			its, err := Expand(tc.loop, tc.with)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, it := range its {
				if it.Index != i {
					t.Errorf("index %d at %d", it.Index, i)
				}
				got = append(got, shown(it))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		loop *core.Loop
		with Values
		kind fault.Kind
		want string
	}{
		{"more than the limit", &core.Loop{Kind: core.LoopParallelism, Times: number(257)}, Values{}, fault.TooLarge, "parallelism comes to 257 iterations: at most 256"},
		{"the limit counts whatever runs at once", &core.Loop{Kind: core.LoopRepeat, Items: items(257), MaxConcurrency: number(1)}, Values{}, fault.TooLarge, "257 iterations"},
		{"a matrix over the limit", matrix(core.Axis{Name: "a", List: *items(17)}, core.Axis{Name: "b", List: *items(16)}), Values{}, fault.TooLarge, "matrix comes to 272 iterations"},
		{"a matrix far over the limit", matrix(core.Axis{Name: "a", List: *items(2000)}, core.Axis{Name: "b", List: *items(2000)}), Values{}, fault.TooLarge, "combinations before exclude"},
		{"partitions over the limit", &core.Loop{Kind: core.LoopRepeat, Items: items(513), PartitionSize: number(2)}, Values{}, fault.TooLarge, "257 iterations"},
		{"nothing left", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, Exclude: []map[string]any{{"os": "mac"}, {"os": "linux"}}}, Values{}, fault.Invalid, "no iteration"},
		{"an empty axis", matrix(osAxis, core.Axis{Name: "x"}), Values{}, fault.Invalid, "no iteration"},
		{"no items", &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{}}, Values{}, fault.Invalid, "no iteration"},
		{"none at all", &core.Loop{Kind: core.LoopParallelism, Times: number(0)}, Values{}, fault.Invalid, "no iteration"},
		{"start behind the end", &core.Loop{Kind: core.LoopRepeat, Items: items(5), Start: number(3), End: number(2)}, Values{}, fault.Invalid, "start of repeat is behind"},
		{"text for an axis", matrix(fromExpr), Values{Results: map[string]any{"<+x>": "a,b"}}, fault.Invalid, `the axis x is "a,b": expected a list`},
		{"nothing for items", &core.Loop{Kind: core.LoopRepeat, Items: &core.LoopList{Expr: "<+x>"}}, Values{Results: map[string]any{"<+x>": nil}}, fault.Invalid, "items of repeat has no value"},
		{"a result that is not given", matrix(fromExpr), Values{}, fault.Invalid, "the value of <+x> is not known"},
		{"half a copy", &core.Loop{Kind: core.LoopParallelism, Times: &core.LoopNumber{Expr: "<+x>"}}, Values{Results: map[string]any{"<+x>": 1.5}}, fault.Invalid, `parallelism is "1.5": expected a whole number`},
		{"no number", &core.Loop{Kind: core.LoopRepeat, Items: items(2), End: &core.LoopNumber{Expr: "<+x>"}}, Values{Results: map[string]any{"<+x>": "many"}}, fault.Invalid, `end is "many"`},
		{"an exclusion that is text", &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{osAxis}, ExcludeExpr: "<+x>"}, Values{Results: map[string]any{"<+x>": []any{"mac"}}}, fault.Invalid, `an item of exclude is "mac"`},
		{"a matrix that is a list", &core.Loop{Kind: core.LoopMatrix, Matrix: "<+x>"}, Values{Results: map[string]any{"<+x>": []any{"a"}}}, fault.Invalid, "matrix is"},
		{"a matrix without an axis", &core.Loop{Kind: core.LoopMatrix, Matrix: "<+x>"}, Values{Results: map[string]any{"<+x>": `{"exclude": []}`}}, fault.Invalid, "matrix has no axis"},
		{"a name that cannot be rendered", &core.Loop{Kind: core.LoopParallelism, Times: number(1), NodeName: "<+x>"},
			Values{Name: func(Iteration) (string, error) { return "", fault.New(fault.Invalid, "bad name") }}, fault.Invalid, "bad name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			its, err := Expand(tc.loop, tc.with)
			if err == nil || its != nil {
				t.Fatalf("it expands to %d", len(its))
			}
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestTheLimitIsAllowed holds that what is just allowed is there to the last one.
func TestTheLimitIsAllowed(t *testing.T) {
	for name, l := range map[string]*core.Loop{
		"matrix":      matrix(core.Axis{Name: "a", List: *items(16)}, core.Axis{Name: "b", List: *items(16)}),
		"repeat":      {Kind: core.LoopRepeat, Items: items(256)},
		"partitions":  {Kind: core.LoopRepeat, Items: items(511), PartitionSize: number(2)},
		"parallelism": {Kind: core.LoopParallelism, Times: number(256)},
	} {
		if its, err := Expand(l, Values{}); err != nil || len(its) != MaxIterations {
			t.Errorf("%s: %d iterations, %v", name, len(its), err)
		}
	}
}

func TestNeeds(t *testing.T) {
	l := &core.Loop{Kind: core.LoopMatrix, Axes: []core.Axis{fromExpr, {Name: "y", List: values("a", "<+b>", map[string]any{"k": "<+c>"}, "<+x>")}},
		Exclude: []map[string]any{{"y": "<+d>"}}, MaxConcurrency: &core.LoopNumber{Expr: "<+n>"}, NodeName: "<+matrix.x>", When: "<+w>"}
	if diff := cmp.Diff([]string{"<+x>", "<+b>", "<+c>", "<+d>", "<+n>"}, Needs(l)); diff != "" {
		t.Error(diff)
	}
	if got := Needs(matrix(osAxis)); got != nil {
		t.Errorf("a loop of literals needs %v", got)
	}
}

func TestConcurrency(t *testing.T) {
	for name, tc := range map[string]struct {
		loop *core.Loop
		with Values
		want int
	}{
		"none":            {matrix(osAxis), Values{}, 0},
		"given":           {&core.Loop{MaxConcurrency: number(3)}, Values{}, 3},
		"of an expresson": {&core.Loop{MaxConcurrency: &core.LoopNumber{Expr: "<+n>"}}, Values{Results: map[string]any{"<+n>": 4.0}}, 4},
		"of whole matrix": {&core.Loop{Matrix: "<+m>"}, Values{Results: map[string]any{"<+m>": map[string]any{"maxConcurrency": "5"}}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Concurrency(tc.loop, tc.with); err != nil || got != tc.want {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}

// TestMatrixIsTheProduct holds, for matrices of any shape: no combination twice,
// none that is excluded, in the order of counting with the first axis highest.
func TestMatrixIsTheProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &core.Loop{Kind: core.LoopMatrix}
		for i := range rapid.IntRange(1, 4).Draw(t, "axes") {
			a := core.Axis{Name: fmt.Sprintf("a%d", i)}
			for j := range rapid.IntRange(1, 4).Draw(t, "values") {
				a.List.Values = append(a.List.Values, float64(j))
			}
			l.Axes = append(l.Axes, a)
		}
		for range rapid.IntRange(0, 3).Draw(t, "exclusions") {
			l.Exclude = append(l.Exclude, map[string]any{
				l.Axes[rapid.IntRange(0, len(l.Axes)-1).Draw(t, "axis")].Name: itoa(rapid.IntRange(0, 3).Draw(t, "value"))})
		}
		want := 0
		total := 1
		for _, a := range l.Axes {
			total *= len(a.List.Values)
		}
		var ids []string
		for n := range total {
			var id string
			combination := map[string]any{}
			for i, rest := len(l.Axes)-1, n; i >= 0; i-- {
				size := len(l.Axes[i].List.Values)
				id = "_" + itoa(rest%size) + id
				combination[l.Axes[i].Name] = itoa(rest % size)
				rest /= size
			}
			if !slices.ContainsFunc(l.Exclude, func(e map[string]any) bool {
				for k, v := range e {
					if combination[k] != v {
						return false
					}
				}
				return true
			}) {
				want++
				ids = append(ids, id)
			}
		}
		its, err := Expand(l, Values{})
		if want == 0 {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("nothing is left, got %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, it := range its {
			got = append(got, it.PostFix)
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestPartitionsLoseNothing holds that partitions joined are the items, and ranges
// that meet take each item once.
func TestPartitionsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, size := rapid.IntRange(1, 200).Draw(t, "items"), rapid.IntRange(1, 100).Draw(t, "size")
		cut := rapid.IntRange(0, 100).Draw(t, "cut")
		percent := rapid.Bool().Draw(t, "percent")
		var got []any
		for _, r := range [][2]*core.LoopNumber{{number(0), number(cut)}, {number(cut), nil}} {
			its, err := Expand(&core.Loop{Kind: core.LoopRepeat, Items: items(n), Start: r[0], End: r[1], PartitionSize: number(size), Percent: percent}, Values{})
			if err != nil && !strings.Contains(err.Error(), "no iteration") {
				t.Fatal(err)
			}
			for i, it := range its {
				if i > 0 && len(it.Partition) > len(its[i-1].Partition) {
					t.Fatalf("partition %d has %d items, the one before %d", i, len(it.Partition), len(its[i-1].Partition))
				}
				got = append(got, it.Partition...)
			}
		}
		if diff := cmp.Diff(items(n).Values, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestLabelsAreUnique holds that no two iterations share an identifier or a name.
func TestLabelsAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []any
		for range rapid.IntRange(1, 8).Draw(t, "values") {
			list = append(list, rapid.StringMatching(`[a._]{0,3}(_0|_1)?`).Draw(t, "value"))
		}
		its, err := Expand(matrix(core.Axis{Name: "x", List: core.LoopList{Values: list}}), Values{Labels: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, it := range its {
			if seen[it.PostFix] {
				t.Fatalf("%s twice of %v", it.PostFix, list)
			}
			seen[it.PostFix] = true
		}
	})
}

func FuzzExpand(f *testing.F) {
	f.Add("", `["a","b"]`, `{"x":"a"}`, 3)
	f.Add("<+m>", `{"a":[1],"exclude":[{"a":"1"}],"maxConcurrency":"x"}`, `[1]`, 300)
	f.Add("<+m>", `{"a":{"b":[`, `{`, -1)
	f.Fuzz(func(t *testing.T, whole, list, entry string, n int) {
		v := Values{Labels: n%2 == 0, Results: map[string]any{"<+m>": list, "<+e>": entry, "<+n>": n}}
		for _, l := range []*core.Loop{
			{Kind: core.LoopMatrix, Matrix: whole, Axes: []core.Axis{fromExpr, {Name: "m", List: core.LoopList{Expr: "<+m>"}}}, ExcludeExpr: "<+e>"},
			{Kind: core.LoopMatrix, Axes: []core.Axis{{Name: "m", List: core.LoopList{Expr: "<+m>"}}, osAxis}, ExcludeExpr: "<+e>"},
			{Kind: core.LoopRepeat, Items: &core.LoopList{Expr: "<+m>"}, PartitionSize: &core.LoopNumber{Expr: "<+n>"}, Percent: n%3 == 0},
			{Kind: core.LoopRepeat, Times: &core.LoopNumber{Expr: "<+n>"}, End: &core.LoopNumber{Expr: "<+e>"}},
		} {
			its, err := Expand(l, v)
			if (err == nil) != (len(its) > 0) || len(its) > MaxIterations {
				t.Errorf("%d iterations, error %v", len(its), err)
			}
		}
	})
}

// BenchmarkMatrix256 expands 16 by 16 objects with an exclusion for each axis.
func BenchmarkMatrix256(b *testing.B) {
	l := &core.Loop{Kind: core.LoopMatrix, Exclude: []map[string]any{{"a": map[string]any{"name": "none"}}, {"b": "none"}}}
	for _, name := range []string{"a", "b"} {
		a := core.Axis{Name: name}
		for i := range 16 {
			a.List.Values = append(a.List.Values, map[string]any{"name": fmt.Sprintf("%s%d", name, i), "size": float64(i)})
		}
		l.Axes = append(l.Axes, a)
	}
	for b.Loop() {
		if its, err := Expand(l, Values{Labels: true}); err != nil || len(its) != 256 {
			b.Fatal(len(its), err)
		}
	}
}
