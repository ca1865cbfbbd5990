package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
)

func TestCloned(t *testing.T) {
	project, org, account := core.Scope{Account: "a", Org: "o2", Project: "p2"}, core.Scope{Account: "a", Org: "o2"}, core.Scope{Account: "a"}
	for name, tc := range map[string]struct {
		kind     core.EntityKind
		text     string
		to       core.Scope
		id, name string
		want     string
	}{
		"to a project": {core.EntityService, "# ours\nservice:\n  name: \"Web\" # w\n  identifier: web\n  projectIdentifier: p\n  orgIdentifier: 'o' # o\n  tags: {identifier: web}\n",
			project, "shop", "Shop 2", "# ours\nservice:\n  name: Shop 2 # w\n  identifier: shop\n  projectIdentifier: p2\n  orgIdentifier: o2 # o\n  tags: {identifier: web}\n"},
		"to an organization": {core.EntityService, "service:\r\n  orgIdentifier: o\r\n  projectIdentifier: p # gone\r\n  name: Web\r\n  identifier: web\r\n",
			org, "", "", "service:\r\n  orgIdentifier: o2\r\n  name: Web\r\n  identifier: web\r\n"},
		"to the account":         {core.EntityService, "service: {name: Web, identifier: web}", account, "", "", "service: {name: Web, identifier: web}"},
		"a word that is none":    {core.EntityService, "service:\n  name: Web\n  identifier: web\n", project, "true", "1.0", "service:\n  name: \"1.0\"\n  identifier: \"true\"\n"},
		"another first key":      {core.EntityInputSet, "overlayInputSet:\n  name: O\n  identifier: o\n", project, "p", "", "overlayInputSet:\n  name: O\n  identifier: p\n"},
		"no first key":           {core.EntityOverrides, "type: ENV_GLOBAL_OVERRIDE\norgIdentifier: o\nenvironmentRef: dev\n", project, "", "", "type: ENV_GLOBAL_OVERRIDE\norgIdentifier: o2\nenvironmentRef: dev\n"},
		"not where it cannot":    {core.EntityPipeline, "pipeline: {name: P, identifier: p}", org, "", "", ""},
		"not what others are in": {core.EntityProject, "project: {name: P, identifier: p}", org, "q", "", ""},
		"not by a bad name":      {core.EntityService, "service: {name: P, identifier: p}", org, "a-b", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := document.Cloned(core.Entity{EntityRef: core.EntityRef{Kind: tc.kind}, YAML: tc.text}, tc.to, tc.id, tc.name)
			if (err == nil) != (tc.want != "") {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
