package entity_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

// keeper saves documents in the default project.
func keeper(t *testing.T) (*entity.Catalogue, func(text string) (entity.Saved, error)) {
	c, _ := open(t)
	at := core.Scope{Account: "a", Org: "default", Project: "default"}
	return c, func(text string) (entity.Saved, error) {
		return c.Save(t.Context(), entity.Saving{Text: text, By: by, Expected: document.Expected{Scope: at, Anywhere: true, File: "x.yaml"}})
	}
}

const waitTemplate = `template:
  name: W
  identifier: w
  versionLabel: "1"
  type: Step
  spec: {type: Wait, spec: {duration: <+input>}}
`

func using(inputs string) string {
	return `pipeline:
  name: P
  identifier: p
  variables: [{name: who, type: String, value: <+input>}]
  stages:
    - stage:
        name: S
        identifier: s
        type: Custom
        spec:
          execution:
            steps: [{step: {name: A, identifier: a, template: {templateRef: w, versionLabel: "1"` + inputs + `}}}]
`
}

func TestSavingTellsWhomItBreaks(t *testing.T) {
	_, save := keeper(t)
	for _, text := range []string{waitTemplate, using(`, templateInputs: {type: Wait, spec: {duration: 10s}}`),
		"inputSet: {name: I, identifier: i, pipeline: {identifier: p, variables: [{name: who, type: String, value: x}]}}"} {
		if s, err := save(text); err != nil || len(s.Diagnostics) > 0 {
			t.Fatal(s.Diagnostics, err)
		}
	}
	s, err := save(strings.Replace(waitTemplate, "{duration: <+input>}", "{duration: 20s}", 1))
	if err != nil || len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Message, "pipeline p does not go with this any more") {
		t.Errorf("a template without its input: %v %v", s.Diagnostics, err)
	} else if d := s.Diagnostics[0]; d.File != "pipeline/p.yaml" || d.Line != 12 || !strings.Contains(d.Message, `"10s" is given`) {
		t.Errorf("where and why: %v", d)
	}
	must[entity.Saved](t)(save(waitTemplate))
	s, err = save(strings.Replace(using(`, templateInputs: {type: Wait, spec: {duration: 10s}}`), "name: who", "name: whom", 1))
	if err != nil || len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Message, "inputSet i of p does not go with this any more") {
		t.Errorf("a pipeline without its input: %v %v", s.Diagnostics, err)
	} else if d := s.Diagnostics[0]; d.File != "inputSet/i.yaml" || d.Line != 1 || d.Column < 60 {
		t.Errorf("where: %v", d)
	}
}

func TestWhatIsRefused(t *testing.T) {
	c, save := keeper(t)
	for name, tc := range map[string]struct{ text, says string }{
		"no document":       {"a: b: c", "yaml-syntax"},
		"somebody else's":   {"foo: bar", "the document is no"},
		"no identifier":     {"service: {name: x}", "has no identifier"},
		"bad identifier":    {"service: {name: x, identifier: a-b}", "cannot be an identifier"},
		"two documents":     {"service: {name: x, identifier: x}\n---\nservice: {name: y, identifier: y}", "one is kept at a time"},
		"no organization":   {"service: {name: x, identifier: x, orgIdentifier: nowhere}", `there is no organization "nowhere"`},
		"no project":        {"service: {name: x, identifier: x, orgIdentifier: default, projectIdentifier: nowhere}", `there is no project "nowhere"`},
		"pipeline of org":   {"pipeline: {name: x, identifier: x, orgIdentifier: default}", "cannot live in organization default"},
		"no environment":    {"infrastructureDefinition: {name: x, identifier: x, environmentRef: nowhere, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: n, releaseName: r}}", "environment nowhere, which is not there"},
		"no pipeline":       {"inputSet: {name: x, identifier: x, pipeline: {identifier: nowhere}}", "pipeline nowhere, which is not there"},
		"no secret":         {"connector: {name: x, identifier: x, type: DockerRegistry, spec: {dockerRegistryUrl: u, providerType: Other, auth: {type: UsernamePassword, spec: {username: u, passwordRef: nowhere}}}}", "secret nowhere, which is not there"},
		"no nested":         {"template: {name: x, identifier: x, versionLabel: v, type: StepGroup, spec: {steps: [{step: {name: a, identifier: a, template: {templateRef: nowhere, versionLabel: v}}}]}}", "template nowhere v, which is not there"},
		"bad label":         {"template: {name: x, identifier: x, versionLabel: a/b, type: Step, spec: {type: Wait, spec: {duration: 10s}}}", "cannot be a version's label"},
		"wrong type":        {"service: {name: x, identifier: x, serviceDefinition: {type: Kubernets, spec: {}}}", "Kubernets"},
		"variable's value":  {"variable: {name: x, identifier: x, type: String, spec: {valueType: REGEX, regex: a}}", "FIXED"},
		"too many tags":     {"service: {name: x, identifier: x, tags: {" + tags(65) + "}}", "65 tags"},
		"value of a secret": {"secret: {name: x, identifier: x, type: SecretText, spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: " + strings.Repeat("x", 64<<10+1) + "}}", "65537 bytes"},
		"3 MB":              {"service: {name: x, identifier: x}\n#" + strings.Repeat("x", 3<<20), "3145728"},
	} {
		_, err := save(tc.text)
		if err == nil || !strings.Contains(err.Error()+codes(err), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
	for _, kind := range document.Kinds() {
		for _, s := range []core.Scope{{Account: "a"}, {Account: "a", Org: "default"}, {Account: "a", Org: "default", Project: "default"}} {
			rows := listed(t, c, entity.Query{Kind: kind, Scope: s})
			for _, r := range rows {
				if r.Identifier != "default" {
					t.Errorf("%s %s is half stored", kind, r.Identifier)
				}
			}
		}
	}
}

func tags(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("t", i+1) + ": x, ")
	}
	return b.String()
}

func codes(err error) string {
	var b strings.Builder
	if r, ok := errors.AsType[*entity.Refused](err); ok {
		for _, d := range r.Diagnostics {
			b.WriteString(" " + d.Code)
		}
	}
	return b.String()
}

func TestValueOfASecretIsNowhereButInTheSecrets(t *testing.T) {
	c, ports := open(t)
	const value = "hunter2-and-more"
	s := must[entity.Saved](t)(c.Save(t.Context(), entity.Saving{By: by, Expected: document.Expected{Scope: core.Scope{Account: "a"}, File: "x.yaml"},
		Text: "# kept\nsecret:\n  name: S\n  identifier: s\n  type: SecretText\n  spec:\n    value: |\n      " + value + "\n      two lines\n    # kept too\n    secretManagerIdentifier: harnessSecretManager\n    valueType: Inline\n"}))
	if strings.Contains(s.Entity.YAML, value) || !strings.Contains(s.Entity.YAML, "# kept too") || !strings.HasPrefix(s.Entity.YAML, "# kept\n") {
		t.Errorf("%q", s.Entity.YAML)
	}
	stored, err := ports.Secrets.Get(t.Context(), core.SecretName(core.Scope{Account: "a"}, "s"))
	if err != nil || string(stored) != value+"\ntwo lines\n" {
		t.Errorf("%q %v", stored, err)
	}
	for _, pk := range []string{core.EntityKey(s.Entity.EntityRef).PK, core.RevisionKey(s.Entity.EntityRef, 1).PK, core.DirectoryKey(s.Entity.Scope, core.EntitySecret).PK} {
		page, err := ports.Store.Query(t.Context(), core.Query{PK: pk, Strong: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if strings.Contains(string(it.Body), value) {
				t.Errorf("%s %s holds the value", it.PK, it.SK)
			}
		}
	}
	if err := c.Remove(t.Context(), s.Entity.EntityRef, by, false); err != nil {
		t.Fatal(err)
	}
	if _, err := ports.Secrets.Get(t.Context(), core.SecretName(core.Scope{Account: "a"}, "s")); !fault.Is(err, fault.NotFound) {
		t.Error("the value outlives its secret:", err)
	}
}
