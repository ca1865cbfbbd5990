package httpio

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/fault"
)

// MaxBody bounds a request's body, in bytes, where a route says nothing else.
const MaxBody = 5 << 20

// Bytes reads the whole body; fault.TooLarge over limit bytes.
func Bytes(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge(limit)
	}
	if err != nil {
		return nil, fault.New(fault.Canceled, "reading the body: %w", err)
	}
	return body, nil
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "a body may have %d bytes", limit)
}

// Text reads a document: UTF-8 that is not blank. A JSON string, which some
// clients send for a YAML body, is unwrapped.
func Text(r *http.Request, limit int64) (string, error) {
	body, err := Bytes(r, limit)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(body) {
		return "", fault.New(fault.Invalid, "the body is not UTF-8")
	}
	text := string(body)
	if strings.Contains(r.Header.Get("Content-Type"), "json") && strings.HasPrefix(strings.TrimSpace(text), `"`) {
		if err := json.Unmarshal(body, &text); err != nil {
			return "", notJSON(err)
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.New(fault.Invalid, "the body is empty: it is a YAML document")
	}
	return text, nil
}

// JSON reads one JSON value into v. Fields that v does not have are passed over:
// clients of Harness's routes send more than is used.
func JSON(r *http.Request, limit int64, v any) error { return readJSON(r, limit, v, false) }

// StrictJSON is JSON that refuses fields v does not have, for routes of our own.
func StrictJSON(r *http.Request, limit int64, v any) error { return readJSON(r, limit, v, true) }

// OptionalJSON is JSON that leaves v as it is when there is no body.
func OptionalJSON(r *http.Request, limit int64, v any) error {
	body, err := Bytes(r, limit)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	return decode(body, v, false)
}

func readJSON(r *http.Request, limit int64, v any, strict bool) error {
	body, err := Bytes(r, limit)
	if err != nil {
		return err
	}
	return decode(body, v, strict)
}

func decode(body []byte, v any, strict bool) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return fault.New(fault.Invalid, "the body is empty: it is a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "the body is one JSON value: something follows it")
	}
	return nil
}

// field names a field of a body, without what its Go types are called.
func field(path string) string {
	if path == "" {
		return ""
	}
	return "the body's field " + strconv.Quote(path[strings.LastIndex(path, ".")+1:])
}

// article is what JSON calls a value, with its article.
func article(value string) string {
	if value == "array" || value == "object" {
		return "an " + value
	}
	return "a " + value
}

// words are what JSON calls the values of a type.
func words(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Pointer:
		return words(t.Elem())
	default:
		return "a number"
	}
}

func notJSON(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault.New(fault.Invalid, "%s is %s: expected %s", cmp.Or(field(t.Field), "the body"), article(t.Value), words(t.Type))
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.New(fault.Invalid, "the body is not JSON at byte %d: %w", s.Offset, err)
	}
	return fault.New(fault.Invalid, "the body cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
}
