package request

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Filter reads a filter body. Fields that are not understood and hold
// something are refused, for leaving one out would show too much.
func (c *Call) Filter(kind string, into any, ignored ...string) error {
	fields := map[string]json.RawMessage{}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &fields); err != nil {
		return err
	}
	var filterType string
	if raw, ok := fields["filterType"]; ok {
		_ = json.Unmarshal(raw, &filterType)
		if filterType != "" && filterType != kind {
			return fault.New(fault.Invalid, "filterType is %q: expected %s", filterType, kind)
		}
	}
	delete(fields, "filterType")
	delete(fields, "tags") // of the filter itself, were it saved
	for _, name := range ignored {
		if raw, ok := fields[name]; ok && !empty(raw) {
			return fault.New(fault.Unsupported, "not supported yet: filter %s", name)
		}
		delete(fields, name)
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fault.New(fault.Invalid, "the filter cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// empty reports whether a JSON value holds nothing at any depth.
func empty(raw json.RawMessage) bool {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	var hollow func(v any) bool
	hollow = func(v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case bool:
			return !v
		case string:
			return v == ""
		case []any:
			return !slices.ContainsFunc(v, func(e any) bool { return !hollow(e) })
		case map[string]any:
			for _, e := range v {
				if !hollow(e) {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
	return hollow(v)
}
