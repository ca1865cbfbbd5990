package contract

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Secrets tests an adapter of core.Secrets, which may be shared.
func Secrets(t *testing.T, open func(t *testing.T) core.Secrets) {
	tests := map[string]func(*testing.T, secrets){
		"put, get, replace, delete":       secretsCycle,
		"names":                           secretsNames,
		"size of a value, ± 1 byte":       secretsBound,
		"a value does not share memory":   secretsCopies,
		"a name's parts do not run along": secretsApart,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, secrets{open(t), t}) })
	}
}

type secrets struct {
	core.Secrets
	t *testing.T
}

func (s secrets) put(name string, value []byte) error {
	return try(func() error { return s.Put(s.t.Context(), name, value) })
}

func (s secrets) get(name string) (value []byte, err error) {
	err = try(func() error { value, err = s.Get(s.t.Context(), name); return err })
	return value, err
}

func (s secrets) remove(name string) error {
	return try(func() error { return s.Delete(s.t.Context(), name) })
}

func (s secrets) want(name string, value []byte) {
	s.t.Helper()
	eventually(s.t, "secret "+name, func() bool {
		got, err := s.get(name)
		return err == nil && bytes.Equal(got, value)
	})
}

func (s secrets) wantNone(name string) {
	s.t.Helper()
	eventually(s.t, "no secret "+name, func() bool { _, err := s.get(name); return fault.Is(err, fault.NotFound) })
}

func secretsCycle(t *testing.T, s secrets) {
	name := unique("acct/default/token")
	s.wantNone(name)
	for _, value := range [][]byte{[]byte("one"), []byte("two"), {0, 255, 10}} {
		if err := s.put(name, value); err != nil {
			t.Fatal(err)
		}
		s.want(name, value)
	}
	for range 2 {
		if err := s.remove(name); err != nil {
			t.Fatal(err)
		}
		s.wantNone(name)
	}
	if err := s.put(name, []byte("again")); err != nil {
		t.Fatal(err)
	}
	s.want(name, []byte("again"))
	if err := s.remove(name); err != nil {
		t.Error(err)
	}
}

func secretsNames(t *testing.T, s secrets) {
	good := unique("a/_+=.@-Z9")
	good += strings.Repeat("x", 512-len(good))
	if err := s.put(good, []byte("v")); err != nil {
		t.Errorf("512 characters: %v", err)
	}
	s.want(good, []byte("v"))
	if err := s.remove(good); err != nil {
		t.Error(err)
	}
	for what, name := range map[string]string{"empty": "", "space": "a b", "colon": "a:b", "umlaut": "ä", "NUL": "a\x00"} {
		wantKind(t, what, s.put(name, []byte("v")), fault.Invalid)
		_, err := s.get(name)
		wantKind(t, what, err, fault.Invalid)
	}
	wantKind(t, "513 characters", s.put(good+"x", []byte("v")), fault.TooLarge)
}

func secretsBound(t *testing.T, s secrets) {
	const most = 64 << 10
	name := unique("bound")
	value := bytes.Repeat([]byte("x"), most)
	if err := s.put(name, value); err != nil {
		t.Errorf("%d bytes: %v", most, err)
	}
	wantKind(t, "a byte more", s.put(name, append(value, 'x')), fault.TooLarge)
	wantKind(t, "nothing", s.put(name, nil), fault.Invalid)
	s.want(name, value)
	if err := s.remove(name); err != nil {
		t.Error(err)
	}
}

func secretsCopies(t *testing.T, s secrets) {
	name, value := unique("copy"), []byte("value")
	if err := s.put(name, value); err != nil {
		t.Fatal(err)
	}
	value[0] = 'X'
	s.want(name, []byte("value"))
	if got, err := s.get(name); err == nil {
		got[0] = 'X'
	}
	s.want(name, []byte("value"))
}

func secretsApart(t *testing.T, s secrets) {
	name := unique("a")
	for _, n := range []string{name, name + "/b", name + "/B", name + "/b/c"} {
		if err := s.put(n, []byte(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.remove(name + "/b"); err != nil {
		t.Fatal(err)
	}
	s.wantNone(name + "/b")
	for _, n := range []string{name, name + "/B", name + "/b/c"} {
		s.want(n, []byte(n))
	}
}
