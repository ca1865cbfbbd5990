package compile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
)

// deploying is a pipeline of one Deployment stage with such fields of its spec.
func deploying(fields string) string {
	return inPipeline("variables:\n- {name: svc, type: String, value: web}\n- {name: open, type: String, value: <+pipeline.executionId>}\nstages:\n" + deployStage("d", fields))
}

func deployStage(id, fields string) string {
	return "- stage:\n    identifier: " + id + "\n    name: d\n    type: Deployment\n    spec:\n      deploymentType: Kubernetes\n" + indent(6, fields) +
		"\n      execution:\n        steps:\n        - step: {identifier: a, name: a, type: Wait, spec: {duration: 10s}}\n    failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]"
}

// whole is a service in a place.
const whole = "service: {serviceRef: web}\n" + toDev
const toDev = "environment: {environmentRef: dev, infrastructureDefinitions: [{identifier: one}]}"

// world are the documents of the tests.
var world = []string{
	"service:\n  name: Web\n  identifier: web\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n      - {name: n, type: Number, value: <+input>.default(1)}\n      - {name: level, type: String, value: info}\n",
	"service: {name: Api, identifier: api, serviceDefinition: {type: Kubernetes, spec: {}}}",
	"service: {name: Fn, identifier: fn, serviceDefinition: {type: AwsLambda, spec: {}}}",
	"service:\n  name: Asks\n  identifier: asks\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n      - {name: must, type: String, required: true, value: <+input>}\n      artifacts:\n        primary:\n          primaryArtifactRef: <+input>\n          sources:\n          - {identifier: a, type: Gcr, spec: {connectorRef: c, registryHostname: h, imagePath: p, tag: <+input>}}\n          - {identifier: b, type: Gcr, spec: {connectorRef: c, registryHostname: h, imagePath: p, tag: 1.10}}\n",
	"service: {name: Shared, identifier: shared, orgIdentifier: default, serviceDefinition: {type: Kubernetes, spec: {}}}",
	"environment: {name: Dev, identifier: dev, type: PreProduction, tags: {tier: low}, variables: [{name: region, type: String, value: <+input>.default(eu)}]}",
	"environment: {name: Prod, identifier: prod, type: Production, tags: {tier: high}, overrides: {configFiles: [{configFile: {identifier: f, spec: {store: {type: Harness, spec: {files: [/own]}}}}}]}}",
	infra("one", "dev", ""), infra("two", "dev", "tags: {zone: b}, "), infra("one", "prod", ""),
	"environmentGroup: {name: All, identifier: all, envIdentifiers: [dev, prod]}",
	"type: ENV_GLOBAL_OVERRIDE\nenvironmentRef: dev\nvariables: [{name: level, type: String, value: <+input>.default(warn)}]",
	"type: INFRA_SERVICE_OVERRIDE\nenvironmentRef: dev\nserviceRef: web\ninfraIdentifier: two\nvariables: [{name: level, type: String, value: two}]",
	"serviceOverrides:\n  environmentRef: prod\n  serviceRef: web\n  variables: [{name: level, type: String, value: <+input>}]",
}

func infra(id, env, more string) string {
	return "infrastructureDefinition: {name: I, identifier: " + id + ", environmentRef: " + env + ", deploymentType: Kubernetes, type: KubernetesDirect, " + more +
		"spec: {connectorRef: c, namespace: " + env + "-" + id + ", releaseName: r}}"
}

// come is what a stage comes to: each pair with the variables of its service.
func come(t *testing.T, n *core.Node) (out []string) {
	t.Helper()
	pairs := []core.Pair{n.Target.Pair}
	if n.Loop != nil {
		pairs = nil
		for _, v := range n.Loop.Items.Values {
			m := v.(map[string]any)
			pairs = append(pairs, core.Pair{Service: m["serviceRef"].(string), Environment: m["environmentRef"].(string), Infrastructure: m["identifier"].(string)})
		}
	}
	for _, p := range pairs {
		line := strings.Trim(p.Service+" "+p.Environment+"/"+p.Infrastructure, "/")
		if c, err := target.Choose(n.Target, p); err == nil {
			for _, v := range c.Variables {
				line += fmt.Sprintf(" %s=%v", v.Name, v.Value)
			}
			for _, f := range c.ConfigFiles {
				line += fmt.Sprint(" ", f.Identifier, f.Spec)
			}
		}
		out = append(out, line)
	}
	return out
}

func TestDeployments(t *testing.T) {
	tests := map[string]struct {
		fields string
		want   []string
		most   int // at once
	}{
		"one service, one place": {fields: whole, want: []string{"web dev/one n=1 level=warn region=eu"}},
		"inputs": {
			fields: "service: {serviceRef: web, serviceInputs: {serviceDefinition: {type: Kubernetes, spec: {variables: [{name: n, type: Number, value: 7}]}}}}\n" +
				"environment: {environmentRef: dev, infrastructureDefinitions: [{identifier: one}], environmentInputs: {variables: [{name: region, type: String, value: us}, {name: level, type: String, value: debug}]}}",
			want: []string{"web dev/one n=7 level=debug region=us"}},
		"inputs that the pipeline leaves open take the document's default": {
			fields: "service: {serviceRef: web, serviceInputs: {serviceDefinition: {type: Kubernetes, spec: {variables: [{name: n, type: Number, value: <+input>}]}}}}\n" + toDev,
			want:   []string{"web dev/one n=1 level=warn region=eu"}},
		"inputs of an older override": {
			fields: "service: {serviceRef: web}\nenvironment: {environmentRef: prod, serviceOverrideInputs: {variables: [{name: level, type: String, value: error}]}, infrastructureDefinitions: [{identifier: one}]}",
			want:   []string{"web prod/one n=1 level=error fmap[store:map[spec:map[files:[/own]] type:Harness]]"}},
		"an override of an infrastructure": {fields: "service: {serviceRef: web}\nenvironment: {environmentRef: dev, infrastructureDefinitions: [{identifier: two}]}", want: []string{"web dev/two n=1 level=two region=eu"}},
		"a known expression":               {fields: "service: {serviceRef: <+pipeline.variables.svc>}\n" + toDev, want: []string{"web dev/one n=1 level=warn region=eu"}},
		"a text with one of the run":       {fields: "service: {serviceRef: web-<+pipeline.sequenceId>}\n" + toDev, want: []string{"web-<+pipeline.sequenceId> dev/one"}},
		"described":                        {fields: "service: {serviceRef: web, description: d}\n" + toDev, want: []string{"web dev/one n=1 level=warn region=eu"}},
		"an expression of the run":         {fields: "service: {serviceRef: <+pipeline.variables.open>}\n" + toDev, want: []string{"<+pipeline.variables.open> dev/one"}},
		"of the organization":              {fields: "service: {serviceRef: org.shared}\n" + toDev, want: []string{"org.shared dev/one region=eu level=warn"}},
		"an infrastructure without a list": {fields: "service: {serviceRef: api}\nenvironment: {environmentRef: dev, infrastructureDefinition: {identifier: one}}", want: []string{"api dev/one region=eu level=warn"}},
		"all infrastructures":              {fields: "service: {serviceRef: api}\nenvironment: {environmentRef: dev, deployToAll: true}", want: []string{"api dev/one region=eu level=warn", "api dev/two region=eu level=warn"}, most: 1},
		"infrastructures by tag":           {fields: "service: {serviceRef: api}\nenvironment: {environmentRef: dev, filters: [{identifier: f, type: tags, entities: [infrastructures], spec: {matchType: all, tags: {zone: b}}}]}", want: []string{"api dev/two region=eu level=warn"}},
		"services in order":                {fields: "services: {values: [{serviceRef: api}, {serviceRef: web}]}\n" + toDev, want: []string{"api dev/one region=eu level=warn", "web dev/one n=1 level=warn region=eu"}, most: 1},
		"environments at the same time":    {fields: "service: {serviceRef: api}\nenvironments: {metadata: {parallel: true}, values: [{environmentRef: prod, infrastructureDefinitions: [{identifier: one}]}, {environmentRef: dev, deployToAll: true}]}", want: []string{"api prod/one fmap[store:map[spec:map[files:[/own]] type:Harness]]", "api dev/one region=eu level=warn", "api dev/two region=eu level=warn"}, most: 3},
		"fewer at once":                    {fields: "service: {serviceRef: api}\nenvironments: {metadata: {parallel: true}, values: [{environmentRef: dev, deployToAll: true}]}\nmultiDeploymentConfig: {maxConcurrency: 1}", want: []string{"api dev/one region=eu level=warn", "api dev/two region=eu level=warn"}, most: 1},
		"environments by tag":              {fields: "service: {serviceRef: api}\nenvironments: {filters: [{identifier: f, type: tags, entities: [environments], spec: {matchType: any, tags: {tier: low}}}, {identifier: g, type: all, entities: [infrastructures]}]}", want: []string{"api dev/one region=eu level=warn", "api dev/two region=eu level=warn"}, most: 1},
		"a group":                          {fields: "service: {serviceRef: api}\nenvironmentGroup: {envGroupRef: all, deployToAll: true}", want: []string{"api dev/one region=eu level=warn", "api dev/two region=eu level=warn", "api prod/one fmap[store:map[spec:map[files:[/own]] type:Harness]]"}, most: 1},
		"some of a group":                  {fields: "service: {serviceRef: api}\nenvironmentGroup: {envGroupRef: all, environments: [{environmentRef: dev, infrastructureDefinitions: [{identifier: two}]}]}", want: []string{"api dev/two region=eu level=warn"}, most: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			plan, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(tc.fields))}, Options{Library: shelfOf(t, world...)})
			if plan == nil || len(diags) > 0 {
				t.Fatal(diags)
			}
			n := plan.Root.Children[0]
			if diff := cmp.Diff(tc.want, come(t, n)); diff != "" {
				t.Error(diff)
			}
			most := 0
			if n.Loop != nil {
				most = n.Loop.MaxConcurrency.Value
			}
			if most != tc.most {
				t.Errorf("%d at once, want %d", most, tc.most)
			}
		})
	}
}

func TestBadDeployments(t *testing.T) {
	asks := "service: {serviceRef: asks, serviceInputs: {serviceDefinition: {type: Kubernetes, spec: {artifacts: {primary: {primaryArtifactRef: %s}}, variables: [{name: must, type: String, value: x}]}}}}\n" + toDev
	tests := map[string]struct {
		doc string
		say []string // parts of the diagnostics, in order
	}{
		"no such service":                 {deploying("service: {serviceRef: gone}\n" + toDev), []string{`p.yaml:14:31: error: service gone is not found`}},
		"no such environment":             {deploying("service: {serviceRef: api}\nenvironment: {environmentRef: gone}"), []string{"error: stage d names no environment", "p.yaml:15:39: error: environment gone is not found"}},
		"no such infrastructure":          {deploying("service: {serviceRef: api}\nenvironment: {environmentRef: prod, infrastructureDefinitions: [{identifier: two}]}"), []string{"infrastructure two of environment prod is not found"}},
		"no infrastructure":               {deploying("service: {serviceRef: api}\nenvironment: {environmentRef: dev}"), []string{"names no environment", "environment dev of stage d names no infrastructure"}},
		"no service":                      {deploying(toDev), []string{"p.yaml:13:9: error: stage d names no service"}},
		"of another deployment type":      {deploying("service: {serviceRef: fn}\n" + toDev), []string{"service fn is for AwsLambda: stage d deploys Kubernetes"}},
		"a required variable":             {deploying("service: {serviceRef: asks}\n" + toDev), []string{"the runtime input stages.d.spec.service.serviceInputs.serviceDefinition.spec.variables.must has no value", "primaryArtifactRef has no value"}},
		"an artifact's tag":               {deploying(fmt.Sprintf(asks, "a")), []string{"sources.a.spec.tag has no value"}},
		"another artifact's tag":          {deploying(fmt.Sprintf(asks, "b")), nil},
		"no such artifact":                {deploying(fmt.Sprintf(asks, "c")), []string{"artifact source c of service asks is not found"}},
		"inputs nobody asks for":          {deploying("service: {serviceRef: web, serviceInputs: {serviceDefinition: {spec: {variables: [{name: level, type: String, value: x}]}}}}\n" + toDev), []string{"the inputs of service web do not fit:"}},
		"environment inputs nobody asks":  {deploying("service: {serviceRef: web}\nenvironment: {environmentRef: dev, environmentInputs: {variables: [{name: nope, type: String, value: x}]}, infrastructureDefinitions: [{identifier: one}]}"), []string{"the inputs of environment dev and override of dev do not fit: "}},
		"an unknown field":                {deploying("service: {serviceReff: api}\n" + toDev), []string{"stage d names no service", "error: stage d has no serviceRef", `unknown field "serviceReff" of service of stage d (did you mean "serviceRef"?)`}},
		"services are a list":             {deploying("services: [a]\n" + toDev), []string{"names no service", "services of stage d is a list: expected a map"}},
		"not of the group":                {deploying("service: {serviceRef: api}\nenvironmentGroup: {envGroupRef: all, environments: [{environmentRef: qa}]}"), []string{"names no environment", "environment qa of stage d is not in the group all"}},
		"too few at once":                 {deploying("services: {values: [{serviceRef: api}]}\n" + toDev + "\nmultiDeploymentConfig: {maxConcurrency: 0}"), []string{"maxConcurrency of stage d is \"0\""}},
		"nothing of that stage":           {deploying("service: {useFromStage: {stage: x}}\n" + toDev), []string{"names no service", "no Deployment stage before it is called so"}},
		"a stage that borrows itself":     {inPipeline("stages:\n" + deployStage("a", whole) + "\n" + deployStage("b", "service: {useFromStage: {stage: a}}\n"+toDev) + "\n" + deployStage("c", "service: {useFromStage: {stage: b}}\n"+toDev)), []string{"names no service", "which is another stage's itself"}},
		"a wrong provisioner":             {deploying("service: {serviceRef: api}\nenvironment: {environmentRef: dev, provisioner: {stepps: []}, infrastructureDefinitions: [{identifier: one}]}"), nil},
		"a service without a definition":  {deploying("serviceConfig: {serviceRef: x}\n" + toDev), []string{"stage d names no service", "serviceConfig of stage d has no serviceDefinition"}},
		"an own service of another type":  {deploying("serviceConfig: {serviceRef: x, serviceDefinition: {type: ECS, spec: {}}}\n" + toDev), []string{"the serviceDefinition is for ECS: stage d deploys Kubernetes"}},
		"an own place in no environment":  {deploying("service: {serviceRef: api}\ninfrastructure: {infrastructureDefinition: {type: KubernetesDirect, spec: {}}}"), []string{"stage d names no environment", "stage d has no environmentRef"}},
		"no own place":                    {deploying("service: {serviceRef: api}\ninfrastructure: {environmentRef: dev}"), []string{"stage d names no environment", "infrastructure of stage d has no infrastructureDefinition"}},
		"no failure strategies":           {strings.Replace(deploying(whole), "failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]", "tags: {}", 1), []string{"warning: stage d has no failureStrategies"}},
		"an expression that is not right": {deploying("service: {serviceRef: <+a b c>}\n" + toDev), []string{"the expression cannot be read"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := Compile(Source{File: "p.yaml", Data: []byte(tc.doc)}, Options{Library: shelfOf(t, world...)})
			if len(diags) != len(tc.say) {
				t.Fatalf("%d diagnostics, want %d:\n%s", len(diags), len(tc.say), diags)
			}
			for i, d := range diags {
				if !strings.Contains(d.String(), tc.say[i]) {
					t.Errorf("got  %s\nwant %s", d, tc.say[i])
				}
			}
		})
	}
}

// TestArtifactSourceTemplates holds that a source that links to a template is what the
// template says, with the inputs that the service and the stage give.
func TestArtifactSourceTemplates(t *testing.T) {
	library := append(slices.Clone(world), templateOf("ArtifactSource", "hub", "1", "type: Gcr\nspec: {connectorRef: c, registryHostname: <+input>, imagePath: p, tag: <+input>}"),
		"service:\n  name: T\n  identifier: t\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      artifacts:\n        primary:\n          primaryArtifactRef: a\n          sources:\n"+
			"          - {identifier: a, name: a, template: {templateRef: hub, versionLabel: \"1\", templateInputs: {type: Gcr, spec: {registryHostname: gcr.io, tag: <+input>}}}}\n"+
			"        sidecars:\n        - sidecar: {identifier: b, template: {templateRef: hub, versionLabel: \"1\", templateInputs: {type: Gcr, spec: {registryHostname: eu.gcr.io, tag: \"9\"}}}}")
	use := "service: {serviceRef: t, serviceInputs: {serviceDefinition: {type: Kubernetes, spec: {artifacts: {primary: {primaryArtifactRef: a, sources: [{identifier: a, template: {templateInputs: {type: Gcr, spec: {tag: \"7\"}}}}]}}}}}}\n" + toDev
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(use))}, Options{Library: shelfOf(t, library...)})
	if plan == nil || len(diags) > 0 {
		t.Fatal(diags)
	}
	s := plan.Root.Children[0].Target.Services[0]
	got := []any{s.Sources[0].Type, s.Sources[0].Spec["registryHostname"], s.Sources[0].Spec["tag"], s.Sidecars[0].Identifier, s.Sidecars[0].Spec["registryHostname"], s.Sidecars[0].Spec["tag"]}
	if diff := cmp.Diff([]any{"Gcr", "gcr.io", "7", "b", "eu.gcr.io", "9"}, got); diff != "" {
		t.Error(diff)
	}
	opt := Options{Library: shelfOf(t, library...), Inputs: map[string]string{"stages.d.spec.service.serviceInputs.serviceDefinition.spec.artifacts.primary.sources.a.spec.tag": "8"}}
	plan, diags = Compile(Source{File: "p.yaml", Data: []byte(deploying("service: {serviceRef: t}\n" + toDev))}, opt)
	if plan == nil || plan.Root.Children[0].Target.Services[0].Sources[0].Spec["tag"] != 8.0 {
		t.Error(diags)
	}
	_, diags = Compile(Source{File: "p.yaml", Data: []byte(deploying(use))}, Options{Library: shelfOf(t, append(slices.Clone(world), library[len(library)-1])...)})
	if len(diags) != 2 || diags[0].Code != CodeNotFound {
		t.Error(diags)
	}
}

// TestKnownOnlyInTheRun holds what of a stage has to be known before the run: a run is
// refused, and whoever looks is warned.
func TestKnownOnlyInTheRun(t *testing.T) {
	const open = "<+pipeline.variables.open>"
	for name, fields := range map[string]string{
		"all infrastructures of it": "service: {serviceRef: api}\nenvironment: {environmentRef: " + open + ", deployToAll: true}",
		"a group":                   "service: {serviceRef: api}\nenvironmentGroup: {envGroupRef: " + open + ", deployToAll: true}",
		"tags":                      "service: {serviceRef: api}\nenvironments: {filters: [{identifier: f, type: tags, entities: [environments], spec: {matchType: any, tags: " + open + "}}]}",
		"a tag":                     "service: {serviceRef: api}\nenvironments: {filters: [{identifier: f, type: tags, entities: [environments], spec: {matchType: any, tags: {tier: " + open + "}}}]}",
		"inputs":                    "service: {serviceRef: web, serviceInputs: " + open + "}\n" + toDev,
	} {
		t.Run(name, func(t *testing.T) {
			for _, lenient := range []bool{true, false} {
				_, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(fields))}, Options{Library: shelfOf(t, world...), Lenient: lenient})
				i := slices.IndexFunc(diags, func(d core.Diagnostic) bool {
					return strings.Contains(d.Message, "known only during the run") && (d.Severity == core.SeverityWarning) == lenient
				})
				if i < 0 {
					t.Errorf("lenient %v: %s", lenient, diags)
				}
			}
		})
	}
}

// TestKnownTags holds that tags of filters may be what is known before the run.
func TestKnownTags(t *testing.T) {
	for _, tags := range []string{"{tier: <+pipeline.variables.tier>}", "<+pipeline.variables.tags>"} {
		doc := strings.Replace(deploying("service: {serviceRef: api}\nenvironments: {filters: [{identifier: f, type: tags, entities: [environments], spec: {matchType: any, tags: "+tags+"}}, {identifier: g, type: all, entities: [infrastructures]}]}"),
			"variables:\n", "variables:\n  - {name: tier, type: String, value: low}\n  - {name: tags, type: String, value: '{\"tier\": \"low\"}'}\n", 1)
		plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, world...)})
		if plan == nil || len(diags) > 0 {
			t.Fatal(diags)
		}
		if diff := cmp.Diff([]string{"api dev/one region=eu level=warn", "api dev/two region=eu level=warn"}, come(t, plan.Root.Children[0])); diff != "" {
			t.Error(tags, diff)
		}
	}
}

// TestLoopsTwice holds that a stage that deploys several cannot loop beside: Harness
// keeps such a pipeline and fails its runs.
func TestLoopsTwice(t *testing.T) {
	doc := strings.Replace(deploying("services: {values: [{serviceRef: api}, {serviceRef: web}]}\n"+toDev), "type: Deployment\n", "type: Deployment\n      strategy: {parallelism: 2}\n", 1)
	for lenient, want := range map[bool]core.Severity{true: core.SeverityWarning, false: core.SeverityError} {
		_, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, world...), Lenient: lenient})
		if len(diags) != 1 || diags[0].Severity != want || !strings.Contains(diags[0].Message, "would loop twice") {
			t.Error(diags)
		}
	}
}

// TestLookingAtDeployments holds that what is not found is a warning for whoever only
// looks.
func TestLookingAtDeployments(t *testing.T) {
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(whole))}, Options{Lenient: true})
	if plan == nil || len(diags) == 0 {
		t.Fatal(diags)
	}
	for _, d := range diags {
		if d.Severity != core.SeverityWarning {
			t.Error(d)
		}
	}
}

// TestWrongServicesAreTold holds that what is wrong in a document that is used is told
// at its place, once.
func TestWrongServicesAreTold(t *testing.T) {
	bad := "service:\n  name: Bad\n  identifier: bad\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variabels: []\n"
	doc := deploying("services: {values: [{serviceRef: bad}]}\nenvironment: {environmentRef: dev, deployToAll: true}")
	_, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, slices.Concat([]string{bad}, world)...)})
	if len(diags) != 1 || !strings.Contains(diags[0].String(), `t0.yaml:7:7: `) || !strings.Contains(diags[0].String(), `variabels`) {
		t.Error(diags)
	}
}

// TestLookingAtWhatIsUsed holds that what a pipeline's services lack is said at the
// reference, and what is wrong in them at their own place only.
func TestLookingAtWhatIsUsed(t *testing.T) {
	bad := "service:\n  name: Bad\n  identifier: bad\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variabels: []\n      artifacts:\n        sidecars:\n        - sidecar: {identifier: b, template: {templateRef: gone}}\n"
	doc := deploying("service: {serviceRef: bad}\n" + toDev)
	diags := Look(Source{File: "p.yaml", Data: []byte(doc)}, shelfOf(t, slices.Concat([]string{bad}, world)...))
	want := "p.yaml:14:31: warning: template gone is not found (in service bad, at t0.yaml:10:60) (check the reference, or give the files it is in)"
	if len(diags) != 1 || diags[0].String() != want {
		t.Errorf("%s\nwant %s", diags, want)
	}
}

// TestInputsOfDocuments gives an input of a service by its path.
func TestInputsOfDocuments(t *testing.T) {
	opt := Options{Library: shelfOf(t, world...), Inputs: map[string]string{"stages.d.spec.service.serviceInputs.serviceDefinition.spec.variables.n": "5"}}
	e, diags := Explain(Source{File: "p.yaml", Data: []byte(deploying(whole))}, opt)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	got := map[string]string{}
	for _, f := range e.Fields["pipeline.stages.d"] {
		if strings.HasPrefix(f.Path, "serviceVariables.") {
			got[f.Path] = fmt.Sprintf("%v %s %s %s:%d", f.Value, f.Origin.By, f.Origin.Of, f.Origin.File, f.Origin.Line)
		}
	}
	want := map[string]string{"serviceVariables.n": "5 input  t0.yaml:8", "serviceVariables.level": "warn default  t11.yaml:3", "serviceVariables.region": "eu default  t5.yaml:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	opt.Inputs = map[string]string{"stages.d.spec.service.serviceInputs.nope": "5"}
	if _, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying(whole))}, opt); len(diags) != 1 || diags[0].Code != CodeUnknownInput {
		t.Error(diags)
	}
}

// TestUseFromStage holds that a service and its inputs are those of the other stage.
func TestUseFromStage(t *testing.T) {
	doc := inPipeline("stages:\n" +
		deployStage("a", "service: {serviceRef: web, serviceInputs: {serviceDefinition: {spec: {variables: [{name: n, type: Number, value: 7}]}}}}\n"+toDev) + "\n" +
		deployStage("b", "service: {useFromStage: {stage: a}}\nenvironment: {environmentRef: prod, serviceOverrideInputs: {variables: [{name: level, type: String, value: x}]}, infrastructureDefinitions: [{identifier: one}]}") + "\n" +
		deployStage("c", "service: {serviceRef: api}\nenvironment: {useFromStage: {stage: a}}"))
	plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, world...)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	got := []string{come(t, plan.Root.Children[1])[0], come(t, plan.Root.Children[2])[0]}
	want := []string{"web prod/one n=7 level=x fmap[store:map[spec:map[files:[/own]] type:Harness]]", "api dev/one region=eu level=warn"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCandidates holds what a reference that is known only in the run may mean.
func TestCandidates(t *testing.T) {
	refs := func(fields, more string) (out []string) {
		doc := strings.Replace(deploying(fields), "type: Deployment\n", "type: Deployment\n"+more, 1)
		plan, diags := Compile(Source{File: "p.yaml", Data: []byte(doc)}, Options{Library: shelfOf(t, world...)})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		for _, s := range plan.Root.Children[0].Target.Services {
			out = append(out, s.Ref)
		}
		return out
	}
	if diff := cmp.Diff([]string{"api", "asks", "org.shared", "web"}, refs("service: {serviceRef: <+pipeline.variables.open>}\n"+toDev, "")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"web", "api"}, refs("service: {serviceRef: <+matrix.s>}\n"+toDev, "      strategy: {matrix: {s: [web, api]}}\n")); diff != "" {
		t.Error(diff)
	}
	var many []string
	for i := range MaxCandidates + 1 {
		many = append(many, fmt.Sprintf("service: {name: s, identifier: s%d, serviceDefinition: {type: Kubernetes, spec: {}}}", i))
	}
	_, diags := Compile(Source{File: "p.yaml", Data: []byte(deploying("service: {serviceRef: <+pipeline.variables.open>}\n" + toDev))}, Options{Library: shelfOf(t, append(many, world[5], world[7])...)})
	if len(diags) != 1 || !strings.Contains(diags[0].Message, "may mean any of 101 documents: at most 100") {
		t.Error(diags)
	}
}
