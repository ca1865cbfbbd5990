package compile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
)

const ownService = `serviceConfig:
  serviceRef: api
  serviceDefinition:
    type: Kubernetes
    spec:
      artifacts: {primary: {type: Gcr, spec: {connectorRef: c, registryHostname: gcr.io, imagePath: p, tag: "1"}}}
      manifests: [{manifest: {identifier: m, type: K8sManifest, spec: {store: {type: Inline, spec: {content: a}}}}}]
      variables: [{name: tone, type: String, value: info}, {name: own, type: String, value: x}]
`

const ownPlace = `infrastructure:
  environmentRef: prod
  infrastructureDefinition: {type: KubernetesDirect, spec: {connectorRef: k, namespace: ns, releaseName: r}}
  allowSimultaneousDeployments: true
`

// TestOwnServices holds what services and infrastructure that are written in their
// stages come to.
func TestOwnServices(t *testing.T) {
	tests := map[string]struct {
		stages string
		want   string // of the last stage
	}{
		"both": {deployStage("d", ownService+ownPlace),
			"Api Production gcr.io/p:1 m=a tone=info own=x KubernetesDirect/k/ns simultaneous"},
		"a service in a place of today": {deployStage("d", ownService+toDev),
			"Api PreProduction gcr.io/p:1 m=a tone=info own=x region=eu level=warn KubernetesDirect/c/dev-one"},
		"an environment of its own": {deployStage("d", ownService+"infrastructure:\n  environment: {name: Mine, identifier: mine, type: Production}\n  infrastructureDefinition: {type: ECS, spec: {connectorRef: e}}"),
			"Api Production gcr.io/p:1 m=a tone=info own=x ECS/e/<nil>"},
		"a service of its own": {deployStage("d", strings.Replace(ownService, "serviceRef: api", "service: {name: Mine, identifier: mine}", 1)+ownPlace),
			"Mine Production gcr.io/p:1 m=a tone=info own=x KubernetesDirect/k/ns simultaneous"},
		"no document": {deployStage("d", strings.Replace(ownService, "serviceRef: api", "serviceRef: nowhere", 1)+ownPlace),
			"nowhere Production gcr.io/p:1 m=a tone=info own=x KubernetesDirect/k/ns simultaneous"},
		"changed in the stage": {deployStage("d", ownService+"  stageOverrides:\n    variables: [{name: tone, type: String, value: debug}]\n    artifacts: {primary: {spec: {tag: \"2\"}}}\n    manifests: [{manifest: {identifier: m, type: Values, spec: {store: {type: Inline, spec: {content: b}}}}}]\n"+ownPlace),
			"Api Production gcr.io/p:2 m=b tone=debug own=x KubernetesDirect/k/ns simultaneous"},
		"of an earlier stage": {deployStage("a", ownService+ownPlace) + "\n" + deployStage("d", "serviceConfig:\n  useFromStage: {stage: a}\n  stageOverrides: {variables: [{name: own, type: String, value: z}]}\n"+
			"infrastructure:\n  useFromStage: {stage: a, overrides: {infrastructureDefinition: {type: KubernetesDirect, spec: {namespace: other}}}}"),
			"Api Production gcr.io/p:1 m=a tone=info own=z KubernetesDirect/k/other simultaneous"},
		"of an earlier stage elsewhere": {deployStage("a", ownService+ownPlace) + "\n" + deployStage("d", "serviceConfig: {useFromStage: {stage: a}}\n"+
			"infrastructure:\n  environmentRef: dev\n  useFromStage: {stage: a, overrides: {environment: {name: Own, identifier: own, type: PreProduction}}}"),
			"Api PreProduction gcr.io/p:1 m=a tone=info own=x KubernetesDirect/k/ns simultaneous"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			doc := regexp.MustCompile(" *deploymentType: Kubernetes\n").ReplaceAllString(inPipeline("stages:\n"+tc.stages), "") // it is the service's
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, world...)})
			if plan == nil || len(diags) > 0 {
				t.Fatal(diags)
			}
			n := plan.Root.Children[len(plan.Root.Children)-1]
			c, err := target.Choose(n.Target, n.Target.Pair)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, legacy(c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// legacy says what of a target its stage may write itself.
func legacy(c *target.Chosen) string {
	image, _ := target.Image(c.Service.Sources[0].Type, func(k string) string { s, _ := c.Service.Sources[0].Spec[k].(string); return s }, nil)
	store := c.Manifests[0].Spec["store"].(map[string]any)["spec"].(map[string]any)
	words := []string{c.Service.Name, c.Environment.Type, image, c.Manifests[0].Identifier + "=" + store["content"].(string)}
	for _, v := range c.Variables {
		words = append(words, v.Name+"="+v.Value.(string))
	}
	in := c.Infrastructure
	ns, ok := in.Spec["namespace"].(string)
	if !ok {
		ns = "<nil>"
	}
	words = append(words, in.Type+"/"+in.Spec["connectorRef"].(string)+"/"+ns)
	if in.AllowSimultaneous {
		words = append(words, "simultaneous")
	}
	return strings.Join(words, " ")
}

// TestProvisioner holds that steps that make the infrastructure come first, and what
// undoes them last.
func TestProvisioner(t *testing.T) {
	wait := func(id string) string {
		return "{step: {identifier: " + id + ", name: n, type: Wait, spec: {duration: 10s}}}"
	}
	steps := "provisioner: {steps: [" + wait("a") + "], rollbackSteps: [" + wait("undo") + "]}"
	for name, fields := range map[string]string{
		"today": "service: {serviceRef: api}\nenvironment: {environmentRef: dev, infrastructureDefinitions: [{identifier: one}], " + steps + "}",
		"older": ownService + strings.Replace(strings.Replace(ownPlace, "  allowSimultaneousDeployments: true\n", "", 1), "{type: Kub", "{"+steps+", type: Kub", 1),
	} {
		t.Run(name, func(t *testing.T) {
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(fields))}, Options{Library: shelfOf(t, world...)})
			if plan == nil || len(diags) > 0 {
				t.Fatal(diags)
			}
			stage := plan.Root.Children[0]
			var got []string
			for _, n := range append(stage.Children, stage.Rollback...) {
				got = append(got, string(n.Kind)+" "+n.FQN)
			}
			for _, n := range stage.Children[0].Children {
				got = append(got, n.FQN)
			}
			want := []string{string(core.KindGroup) + " pipeline.stages.d.spec.provisioner", "step pipeline.stages.d.spec.execution." + infraLockID, "step pipeline.stages.d.spec.execution.steps.a",
				"step pipeline.stages.d.spec.provisioner.rollbackSteps.undo", "pipeline.stages.d.spec.provisioner.steps.a"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
