package file

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// indexCursor marks an After that is a page's cursor of an index query and not an
// SK: several items may share an SK there, so the cursor holds the whole key.
const indexCursor = "\x00cursor:"

func (s store) Query(ctx context.Context, q core.Query) (core.Page, error) {
	r, err := rangeOf(q)
	if err != nil {
		return core.Page{}, err
	}
	var page core.Page
	err = s.f.view(ctx, func(tx *bolt.Tx) error {
		items := tx.Bucket(itemBucket)
		bucket := items
		if q.Index {
			bucket = tx.Bucket(indexBucket)
		}
		size := 0
		var last []byte
		r.walk(bucket.Cursor(), func(k, v []byte) bool {
			if q.Limit > 0 && len(page.Items) == q.Limit {
				page.Cursor = cursorOf(q, last)
				return false
			}
			key := k
			if q.Index {
				key = itemKeyIn(k)
				v = items.Get(key)
			}
			it := decodeItem(keyOf(key), v)
			if size += it.Size(); size > core.MaxPageBytes && len(page.Items) > 0 {
				page.Cursor = cursorOf(q, last)
				return false
			}
			page.Items = append(page.Items, it)
			last = k
			return true
		})
		return nil
	})
	return page, err
}

func cursorOf(q core.Query, last []byte) string {
	if q.Index {
		return indexCursor + base64.RawURLEncoding.EncodeToString(last)
	}
	return keyOf(last).SK
}

// keyRange is a stretch of a bucket: the keys with a prefix that lie behind after
// in the direction of the walk.
type keyRange struct {
	prefix  []byte
	after   []byte // exclusive; nil for none
	reverse bool
}

func rangeOf(q core.Query) (keyRange, error) {
	if err := q.Check(); err != nil {
		return keyRange{}, err
	}
	if !q.Index {
		r := keyRange{prefix: itemKey(core.Key{PK: q.PK, SK: q.SKPrefix}), reverse: q.Reverse}
		if q.After != "" {
			r.after = itemKey(core.Key{PK: q.PK, SK: q.After})
		}
		return r, nil
	}
	r := keyRange{prefix: indexPrefix(q.PK, q.SKPrefix), reverse: q.Reverse}
	cursor, is := strings.CutPrefix(q.After, indexCursor)
	switch {
	case is:
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || !bytes.HasPrefix(after, indexPrefix(q.PK, "")) {
			return keyRange{}, fault.New(fault.Invalid, "the cursor is not one of this query")
		}
		r.after = after
	case q.After != "" && q.Reverse:
		r.after = append(indexPrefix(q.PK, q.After), escapedEnd...)
	case q.After != "":
		r.after = append(indexPrefix(q.PK, q.After), escapedPast...)
	}
	return r, nil
}

// walk calls fn for each key of the range until it returns false.
func (r keyRange) walk(c *bolt.Cursor, fn func(k, v []byte) bool) {
	k, v := r.first(c)
	for k != nil && bytes.HasPrefix(k, r.prefix) && fn(k, v) {
		if r.reverse {
			k, v = c.Prev()
		} else {
			k, v = c.Next()
		}
	}
}

func (r keyRange) first(c *bolt.Cursor) (k, v []byte) {
	if !r.reverse {
		if bytes.Compare(r.after, r.prefix) < 0 {
			return c.Seek(r.prefix)
		}
		if k, v = c.Seek(r.after); bytes.Equal(k, r.after) {
			return c.Next()
		}
		return k, v
	}
	bound := past(r.prefix)
	if r.after != nil && bytes.Compare(r.after, bound) < 0 {
		bound = r.after
	}
	if k, _ = c.Seek(bound); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// past is the first key behind all those with the prefix. A prefix starts with a
// length below 65,535, so there is always one.
func past(prefix []byte) []byte {
	b := bytes.Clone(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			return b[:i+1]
		}
	}
	return nil
}
