package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/view"
)

const deployDocuments = `
service: {name: Web, identifier: web, serviceDefinition: {type: Kubernetes, spec: {variables: [{name: level, type: String, value: info}]}}}
---
service: {name: Api, identifier: api, serviceDefinition: {type: Kubernetes, spec: {variables: [{name: level, type: String, value: <+env.type>}]}}}
---
environment: {name: Dev, identifier: dev, type: PreProduction}
---
environment: {name: Prod, identifier: prod, type: Production}
---
infrastructureDefinition: {name: One, identifier: one, environmentRef: dev, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: a, releaseName: r}}
---
infrastructureDefinition: {name: One, identifier: one, environmentRef: prod, deploymentType: Kubernetes, type: KubernetesDirect, scopedServices: [web], spec: {connectorRef: c, namespace: b, releaseName: r}}
---
{type: ENV_SERVICE_OVERRIDE, environmentRef: prod, serviceRef: web, variables: [{name: level, type: String, value: error}]}
`

// TestDeploymentLoop deploys two services to two places, one of which is not for both,
// and one that an earlier step names.
func TestDeploymentLoop(t *testing.T) {
	in := startInside(t, platform.Config{Delegate: true})
	tell := "echo <+service.identifier> to <+env.identifier>/<+infra.namespace>, level <+serviceVariables.level>"
	stage := func(id, spec string) string {
		return "  - stage:\n      identifier: " + id + "\n      name: " + id + "\n      type: Deployment\n      when: {pipelineStatus: All}\n      spec:\n        deploymentType: Kubernetes\n        " + spec +
			"\n        execution:\n          steps:\n          - " + shellStep(id+"_tell", tell, "") + "\n      failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]\n"
	}
	all := "services: {values: [{serviceRef: web}, {serviceRef: api}], metadata: {parallel: true}}\n        environments: {values: [{environmentRef: dev, deployToAll: true}, {environmentRef: prod, deployToAll: true}]}"
	yaml := "pipeline:\n  identifier: p\n  name: p\n  variables: [{name: which, type: String, value: <+pipeline.stages.many_1.spec.service.identifier>}]\n  stages:\n" + stage("many", all) +
		stage("late", "service: {serviceRef: <+pipeline.variables.which>}\n        environment: {environmentRef: dev, infrastructureDefinitions: [{identifier: one}]}")
	out, err := in.admin.Launch(t.Context(), client.Launch{YAML: yaml, File: "p.yaml", Library: []client.File{{File: "d.yaml", YAML: deployDocuments}}})
	if err != nil {
		t.Fatal(err)
	}
	r := in.finish(out.Run)
	var got []string
	for _, n := range r.Nodes {
		if n.Task != "" {
			r := r
			r.Nodes = []view.Node{n}
			got = append(got, strings.TrimSpace(in.logs(r)[n.Identifier]))
		}
	}
	slices.Sort(got)
	want := []string{"api to dev/a, level PreProduction", "api to dev/a, level PreProduction", "web to dev/a, level info", "web to prod/b, level error"}
	if diff := cmp.Diff(want, got); diff != "" || r.Status != "Failed" {
		t.Error(diff, show(r))
	}
	if failed := show(r); !strings.Contains(failed, "scoped to the services web: service api cannot be deployed there") {
		t.Error(failed)
	}
}
