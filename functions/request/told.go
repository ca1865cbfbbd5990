package request

import (
	"errors"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// Told turns the error of a refused document into one that shows its diagnostics.
func Told(err error) error {
	if u, ok := errors.AsType[*entity.Unmet](err); ok && u.Diagnostic.Line > 0 {
		return httpio.Placed(err, u.Diagnostic)
	}
	if r, ok := errors.AsType[*entity.Refused](err); ok {
		return httpio.Diagnosed(r.Diagnostics)
	}
	return err
}

// IfMatch is the version that the header If-Match demands, 0 for any.
func (c *Call) IfMatch() (int64, error) {
	text := strings.Trim(strings.TrimPrefix(c.Header.Get("If-Match"), "W/"), `"`)
	if text == "" || text == "*" || text == "null" {
		return 0, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 1 {
		return 0, fault.New(fault.Invalid, "If-Match is %q: expected the version of what is there, a number from 1", text)
	}
	return v, nil
}

// ETag is an entity's version, for If-Match.
func ETag(e core.Entity) string { return strconv.Quote(strconv.FormatInt(e.Version, 10)) }

// Allow refuses what the caller may not do.
func (c *Call) Allow(a govern.Action, r core.EntityRef) error { return govern.Allow(c.Who, a, r) }
