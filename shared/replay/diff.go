package replay

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Change is a value that differs between two JSON documents.
type Change struct {
	Path     string          `json:"path"`               // JSON Pointer
	Recorded json.RawMessage `json:"recorded,omitempty"` // nothing where it was not there
	Decided  json.RawMessage `json:"decided,omitempty"`
}

// maxChanges is how many changes are told of one event.
const maxChanges = 20

// Diff lists how two JSON documents differ, in the order of their paths, at most the
// first twenty changes. It is empty for documents that mean the same.
func Diff(recorded, decided []byte) ([]Change, error) {
	a, err := decodeState(recorded)
	if err != nil {
		return nil, err
	}
	b, err := decodeState(decided)
	if err != nil {
		return nil, err
	}
	var all []Change
	walk("", a, b, &all)
	return all, nil
}

// absent stands for what a document does not have.
type absent struct{}

func walk(path string, a, b any, out *[]Change) {
	if len(*out) >= maxChanges || reflect.DeepEqual(a, b) {
		return
	}
	am, aok := a.(map[string]any)
	bm, bok := b.(map[string]any)
	if aok && bok {
		keys := maps.Clone(am)
		maps.Copy(keys, bm)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			walk(path+"/"+escape(k), member(am, k), member(bm, k), out)
		}
		return
	}
	al, aok := a.([]any)
	bl, bok := b.([]any)
	if aok && bok {
		for i := range max(len(al), len(bl)) {
			walk(path+"/"+strconv.Itoa(i), item(al, i), item(bl, i), out)
		}
		return
	}
	*out = append(*out, Change{path, encode(a), encode(b)})
}

func member(m map[string]any, k string) any {
	if v, ok := m[k]; ok {
		return v
	}
	return absent{}
}

func item(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return absent{}
}

func escape(k string) string {
	k = string(bytes.ReplaceAll([]byte(k), []byte("~"), []byte("~0")))
	return string(bytes.ReplaceAll([]byte(k), []byte("/"), []byte("~1")))
}

func encode(v any) json.RawMessage {
	if v == (absent{}) {
		return nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return body
}

// decode keeps numbers as they are written.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

// decodeState leaves out members that are null: they mean the same as none, and could
// not stand in a patch.
func decodeState(body []byte) (any, error) {
	v, err := decode(body)
	return bare(v), err
}

func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				bare(e)
			}
		}
	case []any:
		for _, e := range v {
			bare(e)
		}
	}
	return v
}

// patch is the merge patch (RFC 7386) that makes b of a.
func patch(a, b []byte) (json.RawMessage, error) {
	from, err := decodeState(a)
	if err != nil {
		return nil, err
	}
	to, err := decodeState(b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(changed(from, to))
}

func changed(from, to any) any {
	a, aok := from.(map[string]any)
	b, bok := to.(map[string]any)
	if !aok || !bok {
		return to
	}
	p := map[string]any{}
	for k := range a {
		if _, ok := b[k]; !ok {
			p[k] = nil
		}
	}
	for k, v := range b {
		if old, ok := a[k]; !ok || !reflect.DeepEqual(old, v) {
			p[k] = changed(member(a, k), v)
		}
	}
	return p
}

// patched applies a merge patch; nil for none.
func patched(before []byte, p json.RawMessage) json.RawMessage {
	if p == nil {
		return nil
	}
	a, err := decodeState(before)
	if err != nil {
		return p
	}
	change, err := decode(p)
	if err != nil {
		return p
	}
	return encode(merge(a, change))
}

func merge(a, p any) any {
	change, ok := p.(map[string]any)
	if !ok {
		return p
	}
	out, _ := a.(map[string]any)
	out = maps.Clone(out)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range change {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = merge(out[k], v)
		}
	}
	return out
}
