package core

import (
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of keys in bytes, DynamoDB's.
const (
	MaxPK = 2048
	MaxSK = 1024
)

// itemOverhead stands for what DynamoDB counts besides keys and body: the names of
// the attributes, and numbers of up to 21 bytes. It errs on the large side.
const itemOverhead = 100

// Size is what an item counts towards MaxItemBytes and MaxWriteBytes.
func (it Item) Size() int {
	return itemOverhead + len(it.PK) + len(it.SK) + len(it.Index.PK) + len(it.Index.SK) + len(it.Body)
}

// Check says what keeps a key from being one: fault.Invalid when a part is empty or
// not UTF-8, fault.TooLarge over DynamoDB's bounds. what is how errors call it.
func (k Key) Check(what string) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fault.New(fault.Invalid, "%s %q %q: PK and SK must not be empty", what, k.PK, k.SK)
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return fault.New(fault.Invalid, "%s %q %q is not UTF-8", what, k.PK, k.SK)
	case len(k.PK) > MaxPK:
		return fault.New(fault.TooLarge, "%s: PK has %d bytes, at most %d are allowed", what, len(k.PK), MaxPK)
	case len(k.SK) > MaxSK:
		return fault.New(fault.TooLarge, "%s: SK has %d bytes, at most %d are allowed", what, len(k.SK), MaxSK)
	}
	return nil
}

// CheckWrite holds a Write to the bounds of Store and returns its size in bytes:
// fault.Invalid for none or the same item twice, fault.TooLarge over a bound.
func CheckWrite(puts []Put) (int, error) {
	switch {
	case len(puts) == 0:
		return 0, fault.New(fault.Invalid, "a write needs at least one item")
	case len(puts) > MaxWriteItems:
		return 0, fault.New(fault.TooLarge, "a write of %d items: at most %d are allowed", len(puts), MaxWriteItems)
	}
	seen := make(map[Key]bool, len(puts))
	total := 0
	for _, p := range puts {
		it := p.Item
		if err := it.Key.Check("key"); err != nil {
			return 0, err
		}
		if !it.Index.IsZero() {
			if err := it.Index.Check("index key"); err != nil {
				return 0, err
			}
		}
		if seen[it.Key] {
			return 0, fault.New(fault.Invalid, "a write may hold item %q %q only once", it.PK, it.SK)
		}
		seen[it.Key] = true
		size := it.Size()
		if size > MaxItemBytes {
			return 0, fault.New(fault.TooLarge, "item %q %q has %d bytes: at most %d are allowed", it.PK, it.SK, size, MaxItemBytes)
		}
		total += size
	}
	if total > MaxWriteBytes {
		return 0, fault.New(fault.TooLarge, "a write of %d bytes: at most %d are allowed", total, MaxWriteBytes)
	}
	return total, nil
}

// Check says what keeps a query from being one: fault.Invalid or fault.TooLarge.
func (q Query) Check() error {
	switch {
	case q.PK == "":
		return fault.New(fault.Invalid, "a query needs a PK")
	case q.Limit < 0:
		return fault.New(fault.Invalid, "a query's limit must not be negative: %d", q.Limit)
	case q.Index && q.Strong:
		return fault.New(fault.Invalid, "an index query cannot be strong")
	case len(q.PK) > MaxPK:
		return fault.New(fault.TooLarge, "PK has %d bytes, at most %d are allowed", len(q.PK), MaxPK)
	}
	return nil
}
