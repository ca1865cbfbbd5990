package expr

import (
	"iter"
	"slices"
)

// Map is a map that keeps the order of insertion: map literals, decoded JSON. The
// zero value is an empty map ready for use. It is not safe for concurrent writes.
type Map struct {
	keys []string
	vals map[string]any
}

// Set adds or replaces a value; a replaced one keeps its place.
func (m *Map) Set(key string, value any) {
	if _, ok := m.vals[key]; !ok {
		if m.vals == nil {
			m.vals = map[string]any{}
		}
		m.keys = append(m.keys, key)
	}
	m.vals[key] = value
}

// remove takes a key out.
func (m *Map) remove(key string) {
	if _, ok := m.vals[key]; ok {
		delete(m.vals, key)
		m.keys = slices.DeleteFunc(m.keys, func(k string) bool { return k == key })
	}
}

// Get returns the value of a key and whether there is one.
func (m *Map) Get(key string) (any, bool) {
	if m == nil {
		return nil, false
	}
	v, ok := m.vals[key]
	return v, ok
}

// Len returns how many keys there are.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.keys)
}

// All yields keys and values in the order of insertion.
func (m *Map) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if m == nil {
			return
		}
		for _, k := range m.keys {
			if !yield(k, m.vals[k]) {
				return
			}
		}
	}
}

// MarshalJSON keeps the order.
func (m *Map) MarshalJSON() ([]byte, error) { return encodeJSON(m) }
