package target

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
)

func found(ref string) core.Found { return core.Found{Ref: ref, Identifier: Identifier(ref)} }

func value(name, v string) core.TargetVariable {
	return core.TargetVariable{Variable: core.Variable{Name: name, Type: "String", Value: v}}
}

// shop is a stage that may deploy two services to two environments.
func shop() *core.Target {
	anywhere := found("cart")
	anywhere.Anywhere = true
	return &core.Target{
		DeploymentType: "Kubernetes",
		Services: []core.Service{
			{Found: found("account.web"), Type: "Kubernetes", Variables: []core.TargetVariable{value("a", "service"), value("b", "service")},
				Manifests:   []core.Part{{Identifier: "chart", Type: "HelmChart", Spec: map[string]any{"store": map[string]any{"type": "Http", "spec": map[string]any{"connectorRef": "old"}}}}},
				ConfigFiles: []core.Part{{Identifier: "f", Of: "service"}, {Identifier: "g", Of: "service"}},
				Spec:        map[string]any{"applicationSettings": "service", "hooks": "service"}},
			{Found: anywhere, Type: "Kubernetes"},
			{Found: found("lambda"), Type: "AwsLambda"},
		},
		Environments: []core.Environment{{Found: found("dev")}, {Found: found("prod"), Variables: []core.TargetVariable{value("b", "environment"), value("e", "environment")}}},
		Infrastructures: []core.Infrastructure{
			{Found: found("one"), Environment: "dev"}, {Found: found("one"), Environment: "prod"},
			{Found: found("ecs"), Environment: "dev", DeploymentType: "ECS"}, {Found: found("mine"), Environment: "dev", Scoped: []string{"cart", "x"}},
		},
	}
}

func TestChoose(t *testing.T) {
	tests := map[string]struct {
		pair core.Pair
		want string // service environment/environment of the infrastructure, or the error
	}{
		"by reference":                   {core.Pair{Service: "account.web", Environment: "prod", Infrastructure: "one"}, "account.web prod/prod"},
		"the same name in another place": {core.Pair{Service: "account.web", Environment: "dev", Infrastructure: "one"}, "account.web dev/dev"},
		"found from anywhere":            {core.Pair{Service: "org.cart", Environment: "dev", Infrastructure: "one"}, "cart dev/dev"},
		"another scope":                  {core.Pair{Service: "web"}, "! service web is not found: the plan knows account.web, cart, lambda"},
		"another deployment type":        {core.Pair{Service: "lambda"}, "! service lambda is for AwsLambda: the stage deploys Kubernetes"},
		"no such environment":            {core.Pair{Environment: "qa"}, "! environment qa is not found: the plan knows dev, prod"},
		"of another environment":         {core.Pair{Environment: "prod", Infrastructure: "mine"}, "! infrastructure mine of environment prod is not found: the plan knows one"},
		"an infrastructure of another":   {core.Pair{Environment: "dev", Infrastructure: "ecs"}, "! infrastructure ecs of environment dev is for ECS"},
		"scoped to others":               {core.Pair{Service: "account.web", Environment: "dev", Infrastructure: "mine"}, "! infrastructure mine of environment dev is scoped to the services cart, x: service account.web cannot"},
		"scoped to it":                   {core.Pair{Service: "cart", Environment: "dev", Infrastructure: "mine"}, "cart dev/dev"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Choose(shop(), tc.pair)
			if words, ok := strings.CutPrefix(tc.want, "! "); ok {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%v, want %s", err, words)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Service.Ref + " " + c.Environment.Ref + "/" + c.Infrastructure.Environment; got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// every is an override of each type, the weakest first, and one of each that is for
// something else.
func every() (list []core.Override) {
	for _, typ := range []core.OverrideType{core.OverrideEnvironment, core.OverrideService, core.OverrideInfrastructure, core.OverrideInfrastructureService} {
		p := core.Pair{Environment: "prod", Service: "account.web", Infrastructure: "one"}
		list = append(list, core.Override{Type: typ, Pair: p, Variables: []core.TargetVariable{value("a", string(typ)), value(string(typ), "own")}})
		for _, other := range []core.Pair{{Environment: "dev", Service: p.Service, Infrastructure: "one"}, {Environment: "prod", Service: "cart", Infrastructure: "two"}} {
			if typ == core.OverrideEnvironment && other.Environment == "prod" {
				continue
			}
			list = append(list, core.Override{Type: typ, Pair: other, Variables: []core.TargetVariable{value("a", "of another")}})
		}
	}
	return list
}

// TestPrecedence takes away the strongest override again and again: the next one counts
// (BEHAVIOUR §4.2).
func TestPrecedence(t *testing.T) {
	list := every()
	var got []string
	for n := len(list); n >= 0; n-- {
		s := shop()
		s.Overrides = list[:n]
		c, err := Choose(s, core.Pair{Service: "account.web", Environment: "prod", Infrastructure: "one"})
		if err != nil {
			t.Fatal(err)
		}
		if a := c.Variables[0].Value.(string); len(got) == 0 || got[len(got)-1] != a {
			got = append(got, a)
		}
	}
	want := []string{"INFRA_SERVICE_OVERRIDE", "INFRA_GLOBAL_OVERRIDE", "ENV_SERVICE_OVERRIDE", "ENV_GLOBAL_OVERRIDE", "service"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMerge(t *testing.T) {
	s := shop()
	s.Overrides = []core.Override{
		{Type: core.OverrideEnvironment, Pair: core.Pair{Environment: "prod"}, Variables: []core.TargetVariable{value("e", "global")},
			Manifests:   []core.Part{{Identifier: "v", Type: "Values", Of: "global"}, {Type: "HelmRepoOverride", Spec: map[string]any{"type": "Http", "connectorRef": "new"}}},
			ConfigFiles: []core.Part{{Identifier: "g", Of: "global"}, {Identifier: "h", Of: "global"}}, Spec: map[string]any{"applicationSettings": "global"}},
		{Type: core.OverrideService, Pair: core.Pair{Environment: "prod", Service: "account.web"}, Variables: []core.TargetVariable{value("e", "service's")},
			Manifests: []core.Part{{Identifier: "v", Type: "Values", Of: "service's"}}},
	}
	c, err := Choose(s, core.Pair{Service: "account.web", Environment: "prod", Infrastructure: "one"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, v := range c.Variables {
		got["var "+v.Name] = v.Value
	}
	for _, v := range c.EnvVariables {
		got["env "+v.Name] = v.Value
	}
	for _, f := range c.ConfigFiles {
		got["file "+f.Identifier] = f.Of
	}
	var manifests []string
	for _, m := range c.Manifests {
		manifests = append(manifests, m.Identifier+" "+m.Of)
	}
	got["manifests"] = strings.Join(manifests, ",")
	got["repository"] = c.Manifests[0].Spec["store"].(map[string]any)["spec"].(map[string]any)["connectorRef"]
	got["strongest"] = c.Manifest("v").Of
	got["settings"], got["hooks"] = c.Spec["applicationSettings"], c.Spec["hooks"]
	want := map[string]any{
		"var a": "service", "var b": "environment", "var e": "service's", "env b": "environment", "env e": "global",
		"file f": "service", "file g": "global", "file h": "global",
		"manifests": "chart ,v global,v service's", "strongest": "service's", "repository": "new", "settings": "global", "hooks": "service",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	fresh := shop()
	fresh.Overrides = s.Overrides
	if diff := cmp.Diff(fresh, s); diff != "" {
		t.Error("choosing changed the plan: ", diff)
	}
}

func TestAnotherTypeOfRepositoryIsRefused(t *testing.T) {
	s := shop()
	s.Overrides = []core.Override{{Type: core.OverrideEnvironment, Pair: core.Pair{Environment: "prod"},
		Manifests: []core.Part{{Type: "HelmRepoOverride", Spec: map[string]any{"type": "S3", "connectorRef": "new"}, Pos: core.Position{File: "o.yaml", Line: 4, Column: 2}}}}}
	_, err := Choose(s, core.Pair{Service: "account.web", Environment: "prod"})
	if err == nil || !strings.Contains(err.Error(), "o.yaml:4:2: the repository of chart chart is overridden by one of type S3: it is of type Http") {
		t.Error(err)
	}
}

func TestPairs(t *testing.T) {
	services, places := []string{"S1", "S2"}, []Place{{"E", "I1"}, {"E", "I2"}, {"F", "I3"}}
	tests := map[string]struct {
		at   Together
		want string
		most int
	}{
		"one after the other": {Together{}, "S1I1 S2I1 S1I2 S2I2 S1I3 S2I3", 1},
		"services together":   {Together{Services: true}, "S1I1 S2I1 S1I2 S2I2 S1I3 S2I3", 2},
		"places together":     {Together{Places: true}, "S1I1 S1I2 S1I3 S2I1 S2I2 S2I3", 3},
		"all together":        {Together{Services: true, Places: true}, "S1I1 S2I1 S1I2 S2I2 S1I3 S2I3", 6},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pairs, most := Pairs(services, places, tc.at)
			var got []string
			for _, p := range pairs {
				got = append(got, p.Service+p.Infrastructure)
			}
			if s := strings.Join(got, " "); s != tc.want || most != tc.most {
				t.Errorf("%s, %d at once; want %s, %d", s, most, tc.want, tc.most)
			}
		})
	}
	if pairs, most := Pairs(nil, nil, Together{}); len(pairs) != 1 || most != 1 {
		t.Errorf("nothing comes to %v, %d", pairs, most)
	}
}

func TestFilters(t *testing.T) {
	tags := map[string]string{"tier": "gold", "eu": ""}
	tests := map[string]struct {
		f    Filter
		want bool
	}{
		"all":                {Filter{All: true}, true},
		"a tag":              {Filter{Tags: map[string]string{"tier": "gold"}}, true},
		"another value":      {Filter{Tags: map[string]string{"tier": "tin"}}, false},
		"a tag of any value": {Filter{Tags: map[string]string{"tier": ""}}, true},
		"one of two lacks":   {Filter{Tags: map[string]string{"tier": "gold", "us": ""}}, false},
		"one of two will do": {Filter{Any: true, Tags: map[string]string{"tier": "gold", "us": ""}}, true},
		"no tags":            {Filter{}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.f.Entities = []string{Environments}
			if got := Match([]Filter{tc.f}, Environments, tags); got != tc.want {
				t.Errorf("got %v", got)
			}
			if Match([]Filter{tc.f}, Infrastructures, tags) {
				t.Error("it picks entities it is not for")
			}
		})
	}
}

func TestKey(t *testing.T) {
	in := &core.Infrastructure{Type: "KubernetesDirect", Spec: map[string]any{"namespace": "n", "connectorRef": "c", "releaseName": "r"}}
	if diff := cmp.Diff([]string{"connectorRef", "namespace"}, KeyFields(in)); diff != "" {
		t.Error(diff)
	}
	in.Type = "Pdc"
	in.Spec = map[string]any{"b": "x", "a": 1.0, "hosts": []any{"h"}, "releaseName": "r"}
	if diff := cmp.Diff([]string{"a", "b"}, KeyFields(in)); diff != "" {
		t.Error(diff)
	}
	// printf svc-env-c-n | sha1sum
	if got := Key("svc", "env", []any{"c", "n"}); got != "e3854c8bfdfb7e5ecabc55eab6b775a1b6bc3591" {
		t.Error(got)
	}
}

func TestImage(t *testing.T) {
	tests := map[string]struct {
		typ  string
		spec map[string]string
		want string
	}{
		"gcr":                         {"Gcr", map[string]string{"registryHostname": "gcr.io", "imagePath": "a/b", "tag": "1"}, "gcr.io/a/b:1"},
		"a digest":                    {"Gcr", map[string]string{"registryHostname": "gcr.io", "imagePath": "a", "tag": "1", "digest": "sha256:x"}, "gcr.io/a@sha256:x"},
		"artifact registry":           {"GoogleArtifactRegistry", map[string]string{"region": "eu", "project": "p", "repositoryName": "r", "package": "k", "version": "2"}, "eu-docker.pkg.dev/p/r/k:2"},
		"ecr of a known account":      {"Ecr", map[string]string{"registryId": "123", "region": "us-east-1", "imagePath": "a", "tag": "1"}, "123.dkr.ecr.us-east-1.amazonaws.com/a:1"},
		"ecr of the connector's":      {"Ecr", map[string]string{"region": "us-east-1", "imagePath": "a", "tag": "1"}, ""},
		"acr":                         {"Acr", map[string]string{"registry": "reg", "repository": "a", "tag": "1"}, "reg.azurecr.io/a:1"},
		"artifactory":                 {"ArtifactoryRegistry", map[string]string{"repositoryUrl": "x.jfrog.io", "artifactPath": "alpine", "tag": "3.1"}, "x.jfrog.io/alpine:3.1"},
		"a registry of the connector": {"DockerRegistry", map[string]string{"its dockerRegistryUrl": "https://index.docker.io/v2/", "imagePath": "a/b", "tag": "1"}, "index.docker.io/a/b:1"},
		"a registry with a port":      {"DockerRegistry", map[string]string{"its dockerRegistryUrl": "http://reg.local:5000", "imagePath": "a", "tag": "1", "digest": "sha256:x"}, "reg.local:5000/a@sha256:x"},
		"a registry nobody knows":     {"DockerRegistry", map[string]string{"imagePath": "a", "tag": "1"}, ""},
		"artifactory's own host":      {"ArtifactoryRegistry", map[string]string{"its artifactoryServerUrl": "https://x.jfrog.io/artifactory", "repository": "docker", "artifactPath": "alpine", "tag": "3"}, "x.jfrog.io/docker/alpine:3"},
		"artifactory below a path":    {"ArtifactoryRegistry", map[string]string{"repositoryUrl": "x.jfrog.io/docker/", "artifactPath": "alpine", "tag": "3"}, "x.jfrog.io/docker/alpine:3"},
		"nexus by port":               {"Nexus3Registry", map[string]string{"its nexusServerUrl": "https://nexus.io:8081/", "repositoryPort": "8083", "artifactPath": "a", "tag": "1"}, "nexus.io:8083/a:1"},
		"nexus nobody knows":          {"Nexus3Registry", map[string]string{"repositoryPort": "8083", "artifactPath": "a", "tag": "1"}, ""},
		"github":                      {"GithubPackageRegistry", map[string]string{"packageType": "container", "org": "acme", "packageName": "web", "version": "1"}, "ghcr.io/acme/web:1"},
		"a package of github":         {"GithubPackageRegistry", map[string]string{"packageType": "npm", "org": "acme", "packageName": "web", "version": "1"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := Image(tc.typ, func(k string) string { return tc.spec[k] }, func(k string) string { return tc.spec["its "+k] })
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func TestSource(t *testing.T) {
	s := &core.Service{Found: found("web"), Sources: []core.Part{{Identifier: "a"}, {Identifier: "b"}}}
	if p, err := Source(s, "b"); err != nil || p.Identifier != "b" {
		t.Error(p, err)
	}
	if _, err := Source(s, ""); err == nil || !strings.Contains(err.Error(), "several artifact sources and none is chosen: the plan knows a, b") {
		t.Error(err)
	}
	if _, err := Source(s, "c"); err == nil || !strings.Contains(err.Error(), "artifact source c of service web is not found") {
		t.Error(err)
	}
	s.Sources = s.Sources[:1]
	if p, err := Source(s, ""); err != nil || p.Identifier != "a" {
		t.Error(p, err)
	}
	if p, err := Source(&core.Service{}, ""); p != nil || err != nil {
		t.Error(p, err)
	}
}

// TestOpen holds that whoever only looks goes on with what is not there.
func TestOpen(t *testing.T) {
	p := core.Pair{Service: "org.cart", Environment: "qa", Infrastructure: "one"}
	for open, want := range map[bool]string{true: "", false: "service org.cart is not found"} {
		c, err := Choose(&core.Target{Open: open}, p)
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("%v: want %q", err, want)
			}
			continue
		}
		if err != nil || c.Service.Identifier != "cart" || c.Environment.Name != "qa" || c.Infrastructure.Environment != "qa" {
			t.Errorf("%+v, %v", c, err)
		}
	}
}
