package e2e

import (
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/view"
	"github.com/slipway-cd/slipway/shared/wire"
)

// A delegate with a token of an organization or project is given the tasks of that and no
// others, and cannot pass for another delegate.
func TestADelegateServesTheScopeOfItsToken(t *testing.T) {
	in := startInside(t, platform.Config{})
	run := in.launch(oneStage(shellStep("a", "true", "")), nil)
	in.until(run, func(r view.Run) bool { return queued(r) == 1 })
	ask := func(h *hands, at core.Scope) (wire.SyncResponse, error) {
		who := core.Principal{Kind: core.PrincipalDelegate, Account: acct, Scope: at}
		return h.Sync(core.WithPrincipal(t.Context(), who), acct, wire.SyncRequest{Delegate: h.id, Free: 1})
	}
	for _, tc := range []struct {
		name  string
		at    core.Scope
		tasks int
	}{
		{"another organization", core.Scope{Account: acct, Org: "other"}, 0},
		{"another project", core.Scope{Account: acct, Org: core.DefaultOrg, Project: "other"}, 0},
		{"its organization", core.Scope{Account: acct, Org: core.DefaultOrg}, 1},
	} {
		got, err := ask(in.hands(tc.name), tc.at)
		if err != nil || len(got.Tasks) != tc.tasks {
			t.Errorf("%s: %d tasks, want %d, %v", tc.name, len(got.Tasks), tc.tasks, err)
		}
	}
	if _, err := ask(in.hands("its organization"), core.Scope{Account: acct, Org: "other"}); !fault.Is(err, fault.Forbidden) {
		t.Error("under another's name: ", err)
	}
}
