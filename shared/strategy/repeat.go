package strategy

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// repeat goes over items, or numbers from 0, a range of them, one by one or in
// partitions (BEHAVIOUR §10.4).
func (v Values) repeat(l *core.Loop) ([]Iteration, error) {
	items, err := v.items(l)
	if err != nil {
		return nil, err
	}
	start, end, err := v.interval(l, len(items))
	if err != nil {
		return nil, err
	}
	items = items[start:end]
	size, given, err := v.number(l.PartitionSize, "partitionSize")
	switch {
	case err != nil:
		return nil, err
	case !given || size == 0:
		if len(items) > MaxIterations {
			return nil, tooMany(l, len(items))
		}
		its := make([]Iteration, len(items))
		for i, x := range items {
			its[i].Item = x
		}
		return counted(its), nil
	case l.Percent:
		size = max(1, percent(size, len(items)))
	}
	if n := (len(items) + size - 1) / size; n > MaxIterations {
		return nil, tooMany(l, n)
	}
	var its []Iteration
	for len(items) > 0 {
		n := min(size, len(items))
		its = append(its, Iteration{Partition: items[:n:n]})
		items = items[n:]
	}
	return counted(its), nil
}

// maxItems bounds the list a repeat takes its range or its partitions from.
const maxItems = 100_000

func (v Values) items(l *core.Loop) ([]any, error) {
	if l.Items != nil {
		items, err := v.list(l.Items, "items of repeat")
		if err == nil && len(items) > maxItems {
			err = fault.New(fault.TooLarge, "items of repeat has %d items: at most %d are allowed", len(items), maxItems)
		}
		return items, err
	}
	n, _, err := v.number(l.Times, "times of repeat")
	if err == nil && n > maxItems {
		err = fault.New(fault.TooLarge, "times of repeat is %d: at most %d are allowed", n, maxItems)
	}
	if err != nil {
		return nil, err
	}
	items := make([]any, n)
	for i := range items {
		items[i] = float64(i)
	}
	return items, nil
}

// interval returns the range of the items to take. Percents are rounded up, both
// ends alike, so that ranges that meet in percent meet in items.
func (v Values) interval(l *core.Loop, n int) (start, end int, err error) {
	start, _, err = v.number(l.Start, "start")
	if err != nil {
		return 0, 0, err
	}
	end, given, err := v.number(l.End, "end")
	if err != nil {
		return 0, 0, err
	}
	if l.Percent {
		start, end = percent(start, n), percent(end, n)
	}
	if !given {
		end = n
	}
	start, end = min(start, n), min(end, n)
	if start > end {
		return 0, 0, fault.New(fault.Invalid, "start of repeat is behind its end")
	}
	return start, end, nil
}

// percent is p percent of n, rounded up.
func percent(p, n int) int { return (min(p, 100)*n + 99) / 100 }
