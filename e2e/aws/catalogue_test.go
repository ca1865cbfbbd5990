package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
)

// catalogued are documents that refer to each other, in the order in which they are kept.
var catalogued = []struct{ kind, id, text string }{
	{"template", "say", `# kept as it is
template:
  name: Say
  identifier: say
  versionLabel: "1"
  type: Step
  spec: {type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'echo "<+serviceVariables.greeting> <+pipeline.variables.whom> in <+infra.namespace>"'}}}}
`},
	{"service", "web", "service: {name: Web, identifier: web, serviceDefinition: {type: Kubernetes, spec: {variables: [{name: greeting, type: String, value: hello}]}}}\n"},
	{"environment", "staging", "environment: {name: Staging, identifier: staging, type: PreProduction}\n"},
	{"infrastructureDefinition", "cluster", "infrastructureDefinition: {name: Cluster, identifier: cluster, environmentRef: staging, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: there, releaseName: r}}\n"},
	{"pipeline", "deploy", `pipeline:
  name: Deploy
  identifier: deploy
  variables: [{name: whom, type: String, value: <+input>}]
  stages:
    - stage:
        name: Deploy
        identifier: deploy
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: web}
          environment: {environmentRef: staging, infrastructureDefinitions: [{identifier: cluster}]}
          execution: {steps: [{step: {name: Say, identifier: say, template: {templateRef: say}}}]}
        failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]
`},
	{"inputSet", "friday", "inputSet: {name: Friday, identifier: friday, pipeline: {identifier: deploy, variables: [{name: whom, type: String, value: everybody}]}}\n"},
}

// TestCatalogue keeps documents, runs a pipeline with nothing but what is kept, and holds
// writers, readers and deleters to what others need.
func TestCatalogue(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, admin, project := t.Context(), w.user["admin"], "kept_"+newID()
		at := client.Place{Org: "default", Project: project}
		if _, err := admin.Apply(ctx, client.Applied{Place: client.Place{Org: "default"}, File: "project.yaml", YAML: "project: {name: Kept, identifier: " + project + "}"}); err != nil {
			t.Fatal(w.name, err)
		}
		for _, action := range []string{"created", "unchanged"} {
			for _, k := range catalogued {
				if e, err := admin.Apply(ctx, client.Applied{Place: at, File: k.id + ".yaml", YAML: k.text}); err != nil || e.Action != action || e.Draft != "" {
					t.Fatal(w.name, k.kind, e.Action, e.Draft, err)
				}
			}
		}
		for _, k := range catalogued {
			if e, err := admin.Entity(ctx, client.EntityRef{Place: at, Kind: k.kind, ID: k.id}); err != nil || e.YAML != k.text {
				t.Errorf("%s: %s %s: %q %v", w.name, k.kind, k.id, e.YAML, err)
			}
		}
		started, err := admin.Launch(ctx, client.Launch{Pipeline: "deploy", SetRefs: []string{"friday"}, Org: "default", Project: project})
		if err != nil {
			t.Fatal(w.name, err)
		}
		r := w.await(t, started.Run, "ends", ended)
		if log := w.logs(t, r, "say"); r.Status != "Success" || log != "hello everybody in there\n" {
			t.Errorf("%s: %q\n%s", w.name, log, show(r))
		}

		web := client.EntityRef{Place: at, Kind: "service", ID: "web"}
		if err := admin.DeleteEntity(ctx, web, false); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "pipeline deploy") {
			t.Errorf("%s: a service in use: %v", w.name, err)
		}
		path := "/ng/api/servicesV2?accountIdentifier=default"
		body := `{"identifier":"web","orgIdentifier":"default","projectIdentifier":"` + project + `","name":"Web shop"}`
		w.must(t, http.StatusConflict, "PUT", path, "admin", body, "If-Match", "7")
		w.must(t, http.StatusOK, "PUT", path, "admin", body, "If-Match", "1")
		if changes, err := admin.History(ctx, web); err != nil || len(changes) != 2 || changes[1].YAML != catalogued[1].text {
			t.Errorf("%s: the history: %+v %v", w.name, changes, err)
		}
		long := "service:\n  name: Long\n  identifier: long\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n"
		for i := range 11 {
			long += fmt.Sprintf("        - {name: v%d, type: String, value: %s}\n", i, strings.Repeat("ü", 120_000))
		}
		if _, err := admin.Apply(ctx, client.Applied{Place: at, File: "long.yaml", YAML: long}); err != nil {
			t.Fatal(w.name, err)
		}
		if e, err := admin.Entity(ctx, client.EntityRef{Place: at, Kind: "service", ID: "long"}); err != nil || e.YAML != long {
			t.Errorf("%s: %d bytes of %d came back: %v", w.name, len(e.YAML), len(long), err)
		}
		if all, err := admin.Entities(ctx, "service", at, "lon"); err != nil || len(all) != 1 || all[0].Identifier != "long" {
			t.Errorf("%s: a search found %+v %v", w.name, all, err)
		}
		if err := admin.DeleteEntity(ctx, client.EntityRef{Place: client.Place{Org: "default"}, Kind: "project", ID: project}, true); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		if all, err := admin.Entities(ctx, "pipeline", at, ""); err != nil || len(all) != 0 {
			t.Errorf("%s: in a project that is gone: %+v %v", w.name, all, err)
		}
	})
}
