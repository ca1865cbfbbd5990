package entity_test

import (
	"errors"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

func TestClone(t *testing.T) {
	c, save := keeper(t)
	for _, text := range []string{waitTemplate, using(`, templateInputs: {type: Wait, spec: {duration: 10s}}`)} {
		if _, err := save(text); err != nil {
			t.Fatal(err)
		}
	}
	at := core.Scope{Account: "a", Org: "default", Project: "default"}
	p := core.EntityRef{Kind: core.EntityPipeline, Scope: at, Identifier: "p"}
	w := core.EntityRef{Kind: core.EntityTemplate, Scope: at, Identifier: "w", Label: "1"}
	may := func(core.EntityRef) error { return nil }
	mayNot := func(core.EntityRef) error { return fault.New(fault.Forbidden, "no") }
	account, other := core.Scope{Account: "a"}, core.Scope{Account: "a", Org: "default", Project: "other"}
	if _, err := c.Save(t.Context(), entity.Saving{Text: "project: {name: O, identifier: other}", By: by, Expected: document.Expected{Scope: core.Scope{Account: "a", Org: "default"}}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		entity.Cloning
		kind fault.Kind // Internal for none
		lost int
	}{
		{"itself", entity.Cloning{From: p, To: at, Allow: may}, fault.Invalid, 0},
		{"nothing", entity.Cloning{From: core.EntityRef{Kind: core.EntityPipeline, Scope: at, Identifier: "q"}, To: other, Allow: may}, fault.NotFound, 0},
		{"not told what is there", entity.Cloning{From: p, To: other, Allow: mayNot}, fault.Forbidden, 0},
		{"without its template", entity.Cloning{From: p, To: other, Allow: may}, fault.Internal, 1},
		{"nor for trying", entity.Cloning{From: p, To: other, DryRun: true, Allow: may}, fault.Internal, 1},
		{"its template", entity.Cloning{From: w, To: other, Allow: may}, fault.Internal, 0},
		{"with its template", entity.Cloning{From: p, To: other, Allow: may}, fault.Internal, 0},
		{"again", entity.Cloning{From: p, To: other, Allow: may}, fault.AlreadyExists, 0},
		{"trying again", entity.Cloning{From: p, To: other, DryRun: true, Allow: may}, fault.AlreadyExists, 0},
		{"not where none may be", entity.Cloning{From: p, To: account, Allow: may}, fault.Invalid, 0},
	} {
		tc.By = by
		saved, err := c.Clone(t.Context(), tc.Cloning)
		refused, _ := errors.AsType[*entity.Refused](err)
		switch {
		case tc.lost > 0:
			if refused == nil || len(refused.Diagnostics) != tc.lost || refused.Diagnostics[0].Line != 12 {
				t.Errorf("%s: %v", tc.name, err)
			}
		case tc.kind != fault.Internal:
			if !fault.Is(err, tc.kind) {
				t.Errorf("%s: %v", tc.name, err)
			}
		case err != nil || saved.Action != entity.Created || saved.Entity.Scope != tc.To || saved.Entity.Version != 1:
			t.Errorf("%s: %+v %v", tc.name, saved, err)
		}
	}
	forced, err := c.Clone(t.Context(), entity.Cloning{From: p, To: at, Identifier: "p2", By: by, Allow: may, Force: true})
	if err != nil || forced.Entity.Identifier != "p2" {
		t.Error(err)
	}
}
