package dynamo

import (
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of keys, DynamoDB's.
const (
	maxPK = 2048
	maxSK = 1024
)

// itemOverhead stands for what DynamoDB counts besides keys and body: the names of
// the attributes, and numbers of up to 21 bytes. It errs on the large side.
const itemOverhead = 100

func itemSize(it core.Item) int {
	return itemOverhead + len(it.PK) + len(it.SK) + len(it.Index.PK) + len(it.Index.SK) + len(it.Body)
}

func checkKey(what string, k core.Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fault.New(fault.Invalid, "%s %q %q: PK and SK must not be empty", what, k.PK, k.SK)
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return fault.New(fault.Invalid, "%s %q %q is not UTF-8", what, k.PK, k.SK)
	case len(k.PK) > maxPK:
		return fault.New(fault.TooLarge, "%s: PK has %d bytes, at most %d are allowed", what, len(k.PK), maxPK)
	case len(k.SK) > maxSK:
		return fault.New(fault.TooLarge, "%s: SK has %d bytes, at most %d are allowed", what, len(k.SK), maxSK)
	}
	return nil
}

// checkWrite holds a Write to the bounds of core.Store.
func checkWrite(puts []core.Put) error {
	switch {
	case len(puts) == 0:
		return fault.New(fault.Invalid, "a write needs at least one item")
	case len(puts) > core.MaxWriteItems:
		return fault.New(fault.TooLarge, "a write of %d items: at most %d are allowed", len(puts), core.MaxWriteItems)
	}
	seen := make(map[core.Key]bool, len(puts))
	total := 0
	for _, p := range puts {
		it := p.Item
		if err := checkKey("key", it.Key); err != nil {
			return err
		}
		if !it.Index.IsZero() {
			if err := checkKey("index key", it.Index); err != nil {
				return err
			}
		}
		if seen[it.Key] {
			return fault.New(fault.Invalid, "a write may hold item %q %q only once", it.PK, it.SK)
		}
		seen[it.Key] = true
		size := itemSize(it)
		if size > core.MaxItemBytes {
			return fault.New(fault.TooLarge, "item %q %q has %d bytes: at most %d are allowed", it.PK, it.SK, size, core.MaxItemBytes)
		}
		total += size
	}
	if total > core.MaxWriteBytes {
		return fault.New(fault.TooLarge, "a write of %d bytes: at most %d are allowed", total, core.MaxWriteBytes)
	}
	return nil
}
