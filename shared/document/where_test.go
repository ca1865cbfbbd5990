package document_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

func TestWhereADocumentRefers(t *testing.T) {
	at := core.Scope{Account: "a", Org: "o", Project: "p"}
	for name, tc := range map[string]struct {
		text         string
		used         core.EntityRef
		line, column int
	}{
		"a template": {"template:\n  name: T\n  identifier: t\n  versionLabel: \"1\"\n  type: Step\n  spec:\n    template:\n      templateRef: other\n      versionLabel: \"2\"\n",
			core.EntityRef{Kind: core.EntityTemplate, Scope: at, Identifier: "other", Label: "2"}, 8, 20},
		"a secret": {"connector:\n  name: C\n  identifier: c\n  type: Github\n  spec:\n    tokenRef: account.key\n",
			core.EntityRef{Kind: core.EntitySecret, Scope: core.Scope{Account: "a"}, Identifier: "key"}, 6, 15},
		"an infrastructure": {"overrides:\n  environmentRef: dev\n  infraIdentifier: here\n  type: INFRA_GLOBAL_OVERRIDE\n",
			core.EntityRef{Kind: core.EntityInfrastructure, Scope: at, Parent: "dev", Identifier: "here"}, 3, 20},
		"what it belongs to": {"inputSet:\n  name: I\n  identifier: i\n  pipeline: {identifier: deploy}\n",
			core.EntityRef{Kind: core.EntityPipeline, Scope: at, Identifier: "deploy"}, 4, 26},
		"nowhere": {"service:\n  name: S\n  identifier: s\n", core.EntityRef{Kind: core.EntitySecret, Scope: at, Identifier: "x"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := document.Read(tc.text, document.Expected{Scope: at, File: "f"})
			if e == nil {
				t.Fatal("it cannot be read")
			}
			if got := document.Where(*e, "f", tc.used); got.Line != tc.line || got.Column != tc.column || got.File != "f" {
				t.Errorf("it is at %s, not %d:%d", got, tc.line, tc.column)
			}
		})
	}
}
