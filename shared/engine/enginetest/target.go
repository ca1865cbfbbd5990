package enginetest

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Variable is one of a service, environment or override.
func Variable(name, typ string, value any) core.TargetVariable {
	return core.TargetVariable{Variable: core.Variable{Name: name, Type: typ, Value: value}}
}

// Connectors are those that the website's documents name.
func Connectors() []core.Connector {
	return []core.Connector{
		{Found: core.Found{Ref: "account.nexus", Identifier: "nexus"}, Type: "Nexus", Spec: map[string]any{"nexusServerUrl": "https://nexus.example.com:8081/"}},
		{Found: core.Found{Ref: "hub", Identifier: "hub", Name: "Hub", Tags: map[string]string{"of": "<+stage.name>"}}, Type: "DockerRegistry", Spec: map[string]any{"dockerRegistryUrl": "https://index.docker.io/v2/"}},
		{Found: core.Found{Ref: "org.k8s", Identifier: "k8s", Anywhere: true, Name: "Cluster One"}, Type: "K8sCluster", Spec: map[string]any{"credential": map[string]any{"type": "InheritFromDelegate"}}},
	}
}

// Website is a service with all that a service may have, and where it goes.
func Website() *core.Target {
	found := func(id string) core.Found {
		return core.Found{Ref: id, Identifier: id, Name: strings.ToUpper(id), Description: "the " + id, Tags: map[string]string{"tier": "<+stage.name>"}}
	}
	return &core.Target{
		DeploymentType: "Kubernetes",
		Pair:           core.Pair{Service: "<+pipeline.variables.service>", Environment: "prod", Infrastructure: "cluster"},
		Services: []core.Service{
			{Found: found("other"), Type: "Kubernetes"},
			{Found: found("web"), Type: "Kubernetes", GitOps: true, Primary: "<+pipeline.variables.source>",
				Sources: []core.Part{
					{Identifier: "hub", Type: "DockerRegistry", Spec: map[string]any{"connectorRef": "hub", "imagePath": "acme/web", "tag": "<+serviceVariables.version>"}},
					{Identifier: "gcr", Type: "Gcr", Spec: map[string]any{"connectorRef": "gcr", "registryHostname": "gcr.io", "imagePath": "acme/web", "tag": "<+serviceVariables.version>"}}},
				Sidecars: []core.Part{
					{Identifier: "proxy", Type: "DockerRegistry", Spec: map[string]any{"imagePath": "envoy", "tagRegex": "v.*"}},
					{Identifier: "pinned", Type: "Gcr", Spec: map[string]any{"registryHostname": "eu.gcr.io", "imagePath": "p", "tag": "1", "digest": "sha256:1"}},
					{Identifier: "hub", Type: "DockerRegistry", Spec: map[string]any{"connectorRef": "hub", "imagePath": "envoy", "tag": "1"}},
					{Identifier: "lost", Type: "DockerRegistry", Spec: map[string]any{"connectorRef": "gone", "imagePath": "envoy", "tag": "1"}},
					{Identifier: "nexus", Type: "Nexus3Registry", Spec: map[string]any{"connectorRef": "account.nexus", "tag": "2", "spec": map[string]any{"artifactPath": "a", "repositoryPort": "8083"}}}},
				Manifests: []core.Part{
					{Identifier: "k8s", Type: "K8sManifest", Spec: map[string]any{"skipResourceVersioning": false, "valuesPaths": []any{"values-<+env.identifier>.yaml"},
						"store": map[string]any{"type": "Github", "spec": map[string]any{"connectorRef": "git", "branch": "<+pipeline.name>", "paths": []any{"k8s"}}}}}},
				Variables: []core.TargetVariable{Variable("version", "String", "1.10"), Variable("level", "String", "info"), Variable("n", "Number", 2.5),
					Variable("token", "Secret", "account.t"), Variable("host", "String", "<+env.name>.example.com"), Variable("list", "String", []any{"a", "<+env.name>"})}},
		},
		Environments: []core.Environment{{Found: found("prod"), Type: "Production", Group: "all", GroupName: "All",
			Variables: []core.TargetVariable{Variable("region", "String", "eu"), Variable("color", "String", "red")}}},
		Infrastructures: []core.Infrastructure{{Found: found("cluster"), Environment: "prod", Type: "KubernetesDirect",
			Spec: map[string]any{"connectorRef": "k8s", "namespace": "ns-<+env.identifier>", "releaseName": "release-<+INFRA_KEY_SHORT_ID>",
				"variables": []any{map[string]any{"name": "zone", "type": "String", "value": "<+env.variables.region>-1"}}}}},
		Overrides: []core.Override{
			{Type: core.OverrideEnvironment, Pair: core.Pair{Environment: "prod"}, Variables: []core.TargetVariable{Variable("color", "String", "green"), Variable("level", "String", "warn")}},
			{Type: core.OverrideService, Pair: core.Pair{Environment: "prod", Service: "web"}, Variables: []core.TargetVariable{Variable("level", "String", "error")},
				Manifests: []core.Part{{Identifier: "values", Type: "Values"}}},
			{Type: core.OverrideService, Pair: core.Pair{Environment: "prod", Service: "other"}, Variables: []core.TargetVariable{Variable("level", "String", "other")}},
		},
		Pos: core.Position{File: "p.yaml", Line: 9, Column: 3},
	}
}
