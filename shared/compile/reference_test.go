package compile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/yamldoc"
)

const (
	hub     = "connector: {name: Hub, identifier: hub, type: DockerRegistry, spec: {dockerRegistryUrl: \"https://index.docker.io/v2/\", auth: {type: Anonymous}}}"
	cluster = "connector: {name: C, identifier: c, orgIdentifier: default, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}}}"
)

// TestConnectors holds which connectors a plan knows, and that one that is not among
// those given is a warning where it is named.
func TestConnectors(t *testing.T) {
	doc := strings.Replace(deploying(whole), "variables:\n", "variables:\n  - {name: x, type: String, value: <+connector.get(\"account.hub\").name>}\n", 1)
	refs := func(library ...string) (out []string) {
		plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, append(slices.Clone(world), library...)...)})
		for _, d := range diags {
			out = append(out, d.String())
		}
		for _, c := range plan.Connectors {
			out = append(out, c.Ref+" "+c.Type)
		}
		return out
	}
	tests := map[string]struct {
		library []string
		want    []string
	}{
		"none given": {nil, nil},
		"both":       {[]string{hub, strings.Replace(cluster, "orgIdentifier: default, ", "", 1)}, []string{"account.hub DockerRegistry", "c K8sCluster"}},
		"one":        {[]string{hub}, []string{"t7.yaml:1:148: warning: connector c is not found (check the reference, or give the files it is in)", "account.hub DockerRegistry"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, refs(tc.library...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConnectorsOfTheOrganization holds that what a document of the organization names
// is looked for there.
func TestConnectorsOfTheOrganization(t *testing.T) {
	service := "service: {name: S, identifier: s, orgIdentifier: default, serviceDefinition: {type: Kubernetes, spec: {artifacts: {primary: {primaryArtifactRef: a, sources: [{identifier: a, type: DockerRegistry, spec: {connectorRef: hub, imagePath: p, tag: \"1\"}}]}}}}}"
	library := append(slices.Clone(world), service, strings.Replace(hub, "name: Hub", "name: Hub, orgIdentifier: default", 1), strings.Replace(hub, "name: Hub", "name: Mine, orgIdentifier: default, projectIdentifier: default", 1))
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying("service: {serviceRef: org.s}\n" + toDev))}, Options{Library: shelfOf(t, library...)})
	if plan == nil || len(plan.Connectors) != 1 || plan.Connectors[0].Ref != "org.hub" || plan.Connectors[0].Name != "Hub" {
		t.Errorf("%s %+v", diags, plan)
	}
}

// TestLookReferences holds what of a document's references is told.
func TestLookReferences(t *testing.T) {
	pipeline := "pipeline:\n  name: P\n  identifier: p\n  variables: [{name: v, type: String, value: <+input>}]\n  stages: []\n"
	set := "inputSet: {name: S, identifier: one, pipeline: {identifier: p, variables: [{name: v, type: String, value: a}]}}"
	other := "inputSet: {name: S, identifier: two, pipeline: {identifier: q}}"
	trigger := "trigger:\n  name: T\n  identifier: t\n  pipelineIdentifier: p\n"
	tests := map[string]struct {
		doc     string
		library []string
		want    []string
	}{
		"its input sets":      {trigger + "  inputSetRefs: [one, two, three]\n", []string{pipeline, set, other}, []string{"d.yaml:5:23: warning: input set two of pipeline p is not found", "d.yaml:5:28: warning: input set three of pipeline p is not found"}},
		"no pipeline":         {trigger, nil, []string{"d.yaml:4:23: warning: pipeline p is not found"}},
		"an input":            {trigger + "  inputYaml: |\n    pipeline:\n      identifier: p\n      variables:\n      - {name: v, type: String, value: x}\n", []string{pipeline}, nil},
		"no such input":       {trigger + "  inputYaml: |\n    pipeline:\n      identifier: p\n      variables:\n      - {name: w, type: String, value: x}\n", []string{pipeline}, []string{"d.yaml:9:"}},
		"inputs not YAML":     {trigger + "  inputYaml: |\n    pipeline: {identifier: p\n", []string{pipeline}, []string{"d.yaml:"}},
		"inputs on one line":  {trigger + "  inputYaml: 'pipeline: {identifier: p, tags: {a: b}}'\n", []string{pipeline}, []string{"d.yaml:5:"}},
		"an environment":      {"infrastructureDefinition: {identifier: i, environmentRef: gone}", world, []string{"d.yaml:1:59: warning: environment gone is not found"}},
		"one that is there":   {"infrastructureDefinition: {identifier: i, environmentRef: dev}", world, nil},
		"kinds not given":     {"infrastructureDefinition: {identifier: i, environmentRef: gone, spec: {connectorRef: k}}", []string{pipeline}, nil},
		"a connector":         {"infrastructureDefinition: {identifier: i, spec: {connectorRef: k}}", []string{hub}, []string{"d.yaml:1:64: warning: connector k is not found"}},
		"of an override":      {"type: ENV_SERVICE_OVERRIDE\nenvironmentRef: dev\nserviceRef: nope\n", world, []string{"d.yaml:3:13: warning: service nope is not found"}},
		"members of a group":  {"environmentGroup: {identifier: g, envIdentifiers: [dev, account.dev, nope]}", world, []string{"d.yaml:1:70: warning: environment nope is not found"}},
		"an expression":       {"infrastructureDefinition: {identifier: i, environmentRef: <+input>, spec: {connectorRef: <+x>}}", append([]string{hub}, world...), nil},
		"of the organization": {"infrastructureDefinition: {identifier: i, orgIdentifier: default, spec: {connectorRef: c}}", []string{cluster}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			src := Parsed("d.yaml", []byte(tc.doc), yamldoc.Each("d.yaml", []byte(tc.doc))[0])
			diags := LookReferences(src, shelfOf(t, tc.library...))
			if len(diags) != len(tc.want) {
				t.Fatalf("%d, want %d:\n%s", len(diags), len(tc.want), diags)
			}
			for i, d := range diags {
				if !strings.HasPrefix(d.String(), tc.want[i]) {
					t.Errorf("got  %s\nwant %s", d, tc.want[i])
				}
			}
		})
	}
}
