package entity

import (
	"context"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Stale says that a writer has read an older version than the one that is there, and
// what is there. Its kind is fault.Conflict.
type Stale struct {
	error
	Read  int64 // the version that the writer has read
	There core.Entity
}

// Unwrap gives the error its kind.
func (s *Stale) Unwrap() error { return s.error }

// Details is what a client needs to see the difference to its own version.
func (s *Stale) Details() any {
	d := struct {
		Read      int64  `json:"readVersion"`
		Version   int64  `json:"version"`
		UpdatedBy string `json:"updatedBy"`
		Updated   int64  `json:"updated"` // ms
		YAML      string `json:"yaml,omitempty"`
	}{s.Read, s.There.Version, s.There.UpdatedBy, s.There.Updated, ""}
	if slices.Contains(document.Kinds(), s.There.Kind) {
		d.YAML = s.There.YAML
	}
	return d
}

// check holds a change to the version that its writer has read.
func (c *Catalogue) check(ctx context.Context, r core.EntityRef, by Change, old *core.Entity) error {
	have := int64(0)
	if old != nil && !old.Deleted {
		have = old.Version
	}
	if by.Version == 0 || by.Version == have {
		return nil
	}
	if have == 0 {
		return missing(r)
	}
	there, err := c.whole(ctx, *old)
	if err != nil {
		return err
	}
	return &Stale{Read: by.Version, There: there,
		error: fault.New(fault.Conflict, "%s is at version %d, not %d: somebody else changed it; read it again", r, have, by.Version)}
}
