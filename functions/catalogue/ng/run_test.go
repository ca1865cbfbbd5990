package ng_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// deploys reads a service variable in a deployment.
const deploys = `pipeline:
  name: P
  identifier: P
  projectIdentifier: default
  orgIdentifier: default
  stages:
    - stage:
        name: S
        identifier: S
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: web}
          environment:
            environmentRef: dev
            infrastructureDefinitions: [{identifier: k8s}]
          execution:
            steps:
              - step:
                  name: a
                  identifier: a
                  type: ShellScript
                  timeout: 1m
                  spec:
                    shell: Bash
                    source: {type: Inline, spec: {script: 'test "<+serviceVariables.v1>" = VALUE'}}
        failureStrategies:
          - onFailure: {errors: [AllErrors], action: {type: StageRollback}}
`

// A run reads what came over the routes, whatever form overrides were sent in.
func TestRunReadsWhatIsKept(t *testing.T) {
	f := apitest.Start(t)
	const home = `"orgIdentifier":"default","projectIdentifier":"default"`
	send := func(method, path, body string) {
		t.Helper()
		f.Do(apitest.Request{Method: method, Path: "/ng/api/" + path, Body: "{" + home + "," + body + "}", User: "admin"}).Into(t, 200, nil)
	}
	send("POST", "servicesV2", `"identifier":"web","name":"Web","yaml":"service:\n  name: Web\n  identifier: web\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n        - {name: v1, type: String, value: plain}\n"`)
	send("POST", "environmentsV2", `"identifier":"dev","name":"Dev","type":"PreProduction"`)
	send("POST", "infrastructures", `"identifier":"k8s","name":"K8s","environmentRef":"dev","type":"KubernetesDirect","yaml":"infrastructureDefinition:\n  name: K8s\n  identifier: k8s\n  environmentRef: dev\n  deploymentType: Kubernetes\n  type: KubernetesDirect\n  spec:\n    connectorRef: c\n    namespace: web\n    releaseName: r\n"`)
	const of = `"environmentRef":"dev","serviceRef":"web","type":"ENV_SERVICE_OVERRIDE",`
	for _, tc := range []struct{ value, path, body string }{
		{"inner", "serviceOverrides/upsert", of + `"yamlInternal":"  variables:\n    - {name: v1, type: String, value: inner}\n"`},
		{"document", "serviceOverrides/upsert", of + `"yaml":"overrides:\n  variables:\n    - {name: v1, type: String, value: document}\n"`},
		{"flow", "serviceOverrides/upsert", of + `"yaml":"overrides: {variables: [{name: v1, type: String, value: flow}]}"`},
		{"spec", "serviceOverrides/upsert", of + `"spec":{"variables":[{"name":"v1","type":"String","value":"spec"}]}`},
		{"legacy", "environmentsV2/serviceOverrides", `"environmentIdentifier":"dev","serviceIdentifier":"web","yaml":"serviceOverrides:\n  variables:\n    - {name: v1, type: String, value: legacy}\n"`},
	} {
		send("POST", tc.path, tc.body)
		f.Await(f.Run(strings.Replace(deploys, "VALUE", tc.value, 1)), "Success")
	}
}
