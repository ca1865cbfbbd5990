package ng

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// filterOf reads what a list is filtered by: the body of the request, or the saved filter
// that its query names. A field that into has not is refused where it holds something.
// The call that it returns is asked no more for a filter.
func (d *door) filterOf(c *request.Call, kind string, into any) (*request.Call, error) {
	fields := map[string]json.RawMessage{}
	if err := httpio.OptionalJSON(c.Request, httpio.MaxBody, &fields); err != nil {
		return nil, err
	}
	if err := plain(fields, kind); err != nil {
		return nil, err
	}
	next := *c
	if id := c.Q.Get("filterIdentifier"); id != "" {
		if len(fields) > 0 {
			return nil, fault.New(fault.Invalid, "filterIdentifier names a saved filter, and the body is another: send one of them")
		}
		saved, err := d.savedFilter(c, kind, id)
		if err != nil {
			return nil, err
		}
		if err := plain(saved, kind); err != nil {
			return nil, err
		}
		fields, next.Q = saved, maps.Clone(c.Q)
		next.Q.Del("filterIdentifier")
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, fault.New(fault.Invalid, "%s of the filter for %s is a %s, which it cannot be", wrong.Field, kind, wrong.Value)
	}
	if err != nil {
		return nil, fault.New(fault.Unsupported, "not supported yet: a filter for %s with %s", kind, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "unknown field "))
	}
	return &next, nil
}

// plain leaves of a filter the fields that hold something, and not what it is for, which
// has to be what it is used for.
func plain(fields map[string]json.RawMessage, kind string) error {
	var typ string
	_ = json.Unmarshal(fields["filterType"], &typ)
	if typ != "" && typ != kind {
		return fault.New(fault.Invalid, "filterType is %q: expected %s", typ, kind)
	}
	maps.DeleteFunc(fields, func(name string, v json.RawMessage) bool {
		return name == "filterType" || slices.Contains([]string{"null", `""`, "[]", "{}", "false"}, string(v))
	})
	return nil
}

// savedFilter are the properties of a saved filter.
func (d *door) savedFilter(c *request.Call, kind, id string) (map[string]json.RawMessage, error) {
	ref := core.EntityRef{Kind: core.EntityFilter, Scope: c.At, Parent: kind, Identifier: id}
	if err := c.Allow(govern.View, ref); err != nil {
		return nil, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	if err == nil && !visible(c, e.Facts) || fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Invalid, "there is no filter %q for %s here", id, kind)
	}
	if err != nil {
		return nil, err
	}
	in, err := body(e)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(in["filterProperties"])
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	return fields, json.Unmarshal(text, &fields)
}
