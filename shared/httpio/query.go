package httpio

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Unsupported refuses query parameters that would change the meaning of the
// request and are not understood yet. Each is "name" or "name=harmless|values";
// "", "false" and "0" are always harmless.
func Unsupported(q url.Values, params ...string) error {
	for _, p := range params {
		name, harmless, _ := strings.Cut(p, "=")
		fine := append(strings.Split(harmless, "|"), "", "false", "0")
		for _, v := range q[name] {
			if !slices.ContainsFunc(fine, func(f string) bool { return strings.EqualFold(f, v) }) {
				return fault.New(fault.Unsupported, "not supported yet: query parameter %s=%s", name, v)
			}
		}
	}
	return nil
}

// Values returns all values of a list parameter, given repeatedly, with commas,
// or with [] behind its name.
func Values(q url.Values, name string) []string {
	var all []string
	for _, v := range slices.Concat(q[name], q[name+"[]"]) {
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				all = append(all, w)
			}
		}
	}
	return all
}

// Int reads a whole number from 0 to limit, fallback when it is not given.
func Int(q url.Values, name string, fallback, limit int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > limit {
		return 0, fault.New(fault.Invalid, "query parameter %s is %q: expected a whole number from 0 to %d", name, text, limit)
	}
	return n, nil
}
