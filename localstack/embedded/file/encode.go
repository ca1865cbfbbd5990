package file

import (
	"bytes"
	"encoding/binary"

	"github.com/slipway-cd/slipway/shared/core"
)

// Keys. A partition is one stretch of keys: the length of PK (2 bytes), PK, then
// SK, so that SK orders by bytes. Index keys do the same with SK escaped and
// ended, and the item's own key behind it, as several items may share one.

func itemKey(k core.Key) []byte {
	b := make([]byte, 0, 2+len(k.PK)+len(k.SK))
	b = binary.BigEndian.AppendUint16(b, uint16(len(k.PK)))
	return append(append(b, k.PK...), k.SK...)
}

func keyOf(b []byte) core.Key {
	n := 2 + int(binary.BigEndian.Uint16(b))
	return core.Key{PK: string(b[2:n]), SK: string(b[n:])}
}

// The escape keeps the order: 0 becomes 0 255, the end is 0 1, and 0 2 lies
// behind every key that ends here and before every longer one.
const (
	escapedZero = "\x00\xff"
	escapedEnd  = "\x00\x01"
	escapedPast = "\x00\x02"
)

// indexPrefix is where index keys whose SK starts with sk lie.
func indexPrefix(pk, sk string) []byte {
	b := make([]byte, 0, 4+len(pk)+len(sk))
	b = binary.BigEndian.AppendUint16(b, uint16(len(pk)))
	b = append(b, pk...)
	for i := range len(sk) {
		if sk[i] == 0 {
			b = append(b, escapedZero...)
		} else {
			b = append(b, sk[i])
		}
	}
	return b
}

func indexKey(index core.Key, item []byte) []byte {
	return append(append(indexPrefix(index.PK, index.SK), escapedEnd...), item...)
}

// itemKeyIn returns the item's key inside an index key.
func itemKeyIn(index []byte) []byte {
	rest := index[2+int(binary.BigEndian.Uint16(index)):]
	for {
		i := bytes.IndexByte(rest, 0)
		end := rest[i+1] == escapedEnd[1]
		if rest = rest[i+2:]; end {
			return rest
		}
	}
}

func expiryKey(expires int64, item []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(expires)), item...)
}

// An item's value: format, flags, [sequence number in the stream, 8 bytes],
// version, [expiry], [index PK and SK with their lengths], body.
const (
	itemFormat = 1

	flagPending = 1
	flagIndex   = 2
	flagExpires = 4

	seqAt = 2 // where the sequence number is, when pending
)

// header is what an item's value holds before its body.
type header struct {
	flags   byte
	seq     uint64
	version int64
	expires int64
	index   [2][]byte // PK and SK, inside the value
	body    int       // where the body starts
}

func encodeItem(it core.Item) []byte {
	b := make([]byte, 2, 48+len(it.Index.PK)+len(it.Index.SK)+len(it.Body))
	b[0] = itemFormat
	if it.Pending {
		b[1] |= flagPending
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0) // known when it is committed
	}
	b = binary.AppendVarint(b, it.Version)
	if it.Expires > 0 {
		b[1] |= flagExpires
		b = binary.AppendVarint(b, it.Expires)
	}
	if !it.Index.IsZero() {
		b[1] |= flagIndex
		b = binary.AppendUvarint(b, uint64(len(it.Index.PK)))
		b = append(b, it.Index.PK...)
		b = binary.AppendUvarint(b, uint64(len(it.Index.SK)))
		b = append(b, it.Index.SK...)
	}
	return append(b, it.Body...)
}

// headerOf reads a value that encodeItem has made.
func headerOf(v []byte) header {
	h := header{flags: v[1]}
	at := seqAt
	if h.flags&flagPending != 0 {
		h.seq = binary.BigEndian.Uint64(v[at:])
		at += 8
	}
	var n int
	h.version, n = binary.Varint(v[at:])
	at += n
	if h.flags&flagExpires != 0 {
		h.expires, n = binary.Varint(v[at:])
		at += n
	}
	if h.flags&flagIndex != 0 {
		for i := range h.index {
			size, n := binary.Uvarint(v[at:])
			at += n
			h.index[i] = v[at : at+int(size)]
			at += int(size)
		}
	}
	h.body = at
	return h
}

func (h header) indexKey() core.Key {
	return core.Key{PK: string(h.index[0]), SK: string(h.index[1])}
}

// decodeItem makes an item that shares no memory with v.
func decodeItem(key core.Key, v []byte) core.Item {
	h := headerOf(v)
	return core.Item{
		Key: key, Body: bytes.Clone(v[h.body:]), Version: h.version, Index: h.indexKey(),
		Pending: h.flags&flagPending != 0, Expires: h.expires,
	}
}
