package file

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of keys, those of DynamoDB's partition and sort keys.
const (
	maxPK = 2048
	maxSK = 1024
)

// itemOverhead stands for what DynamoDB counts besides the strings: attribute
// names, and numbers of up to 21 bytes. It errs on the large side, so that an
// item kept here can be kept there.
const itemOverhead = 100

// itemSize is what an item counts towards the bounds, in bytes.
func itemSize(it core.Item) int {
	return itemOverhead + len(it.PK) + len(it.SK) + len(it.Index.PK) + len(it.Index.SK) + len(it.Body)
}

func checkKey(what string, k core.Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fault.New(fault.Invalid, "%s %q %q: PK and SK must not be empty", what, k.PK, k.SK)
	case len(k.PK) > maxPK:
		return fault.New(fault.TooLarge, "%s: PK has %d bytes, at most %d are allowed", what, len(k.PK), maxPK)
	case len(k.SK) > maxSK:
		return fault.New(fault.TooLarge, "%s: SK has %d bytes, at most %d are allowed", what, len(k.SK), maxSK)
	}
	return nil
}

// checkWrite holds a Write to the bounds of core.Store and returns its size.
func checkWrite(puts []core.Put) (int, error) {
	switch {
	case len(puts) == 0:
		return 0, fault.New(fault.Invalid, "a write needs at least one item")
	case len(puts) > core.MaxWriteItems:
		return 0, fault.New(fault.TooLarge, "a write of %d items: at most %d are allowed", len(puts), core.MaxWriteItems)
	}
	seen := make(map[core.Key]bool, len(puts))
	total := 0
	for _, p := range puts {
		it := p.Item
		if err := checkKey("key", it.Key); err != nil {
			return 0, err
		}
		if !it.Index.IsZero() {
			if err := checkKey("index key", it.Index); err != nil {
				return 0, err
			}
		}
		if seen[it.Key] {
			return 0, fault.New(fault.Invalid, "a write may hold item %q %q only once", it.PK, it.SK)
		}
		seen[it.Key] = true
		size := itemSize(it)
		if size > core.MaxItemBytes {
			return 0, fault.New(fault.TooLarge, "item %q %q has %d bytes: at most %d are allowed", it.PK, it.SK, size, core.MaxItemBytes)
		}
		total += size
	}
	if total > core.MaxWriteBytes {
		return 0, fault.New(fault.TooLarge, "a write of %d bytes: at most %d are allowed", total, core.MaxWriteBytes)
	}
	return total, nil
}
