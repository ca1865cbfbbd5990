package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Decode reads one JSON value into map[string]any, []any, string, bool, nil and
// json.Number. Numbers keep the author's digits.
func Decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

// Encode writes a value made by Decode (or of Go ints) as compact JSON with
// sorted keys, so that equal values have equal bytes.
func Encode(v any) []byte { return appendValue(make([]byte, 0, 512), v) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case json.Number:
		return append(b, v...)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case map[string]any:
		return appendObject(b, v)
	default:
		data, err := json.Marshal(v)
		if err != nil {
			panic("asl: a value that is not JSON: " + err.Error())
		}
		return append(b, data...)
	}
}

func appendObject(b []byte, v map[string]any) []byte {
	var space [16]string
	keys := space[:0]
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, k)
		b = append(b, ':')
		b = appendValue(b, v[k])
	}
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

// appendString escapes only what JSON demands, as Step Functions does.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	clean := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			b = append(append(b, s[clean:i]...), "\ufffd"...)
		} else {
			b = append(b, s[clean:i]...)
			b = appendEscape(b, c)
		}
		i++
		clean = i
	}
	b = append(b, s[clean:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	default:
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
