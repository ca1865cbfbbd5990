package expr

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// decoder reads JSON that is known to be valid, which makes it short, keeping the
// order of keys, which encoding/json does not.
type decoder struct {
	src  string
	pos  int
	made int // bytes of what was decoded, about
}

// next skips spaces, commas and colons and returns the byte a value begins with.
func (d *decoder) next() byte {
	for isSpace(d.src[d.pos]) || d.src[d.pos] == ',' || d.src[d.pos] == ':' {
		d.pos++
	}
	return d.src[d.pos]
}

func (d *decoder) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	switch d.next() {
	case '{':
		return d.object(depth)
	case '[':
		return d.list(depth)
	case '"':
		return d.text()
	case 't':
		d.pos += len("true")
		return true, nil
	case 'f':
		d.pos += len("false")
		return false, nil
	case 'n':
		d.pos += len("null")
		return nil, nil
	}
	start := d.pos
	for d.pos < len(d.src) && strings.IndexByte("+-.0123456789eE", d.src[d.pos]) >= 0 {
		d.pos++
	}
	return numberOf(json.Number(d.src[start:d.pos])), nil
}

func (d *decoder) object(depth int) (any, error) {
	m := &Map{}
	d.made += 256
	d.pos++
	for d.next() != '}' {
		key, err := d.text()
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m.Set(key, v)
		d.made += 64
	}
	d.pos++
	return m, nil
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	d.pos++
	for d.next() != ']' {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		d.made += 48
	}
	d.pos++
	return list, nil
}

func (d *decoder) text() (string, error) {
	start, plain := d.pos, true
	for d.pos++; d.src[d.pos] != '"'; d.pos++ {
		if d.src[d.pos] == '\\' {
			plain = false
			d.pos++
		}
	}
	d.pos++
	d.made += 16 + d.pos - start
	if s := d.src[start+1 : d.pos-1]; plain && utf8.ValidString(s) {
		return s, nil
	}
	var s string
	err := json.Unmarshal([]byte(d.src[start:d.pos]), &s)
	return s, err
}
