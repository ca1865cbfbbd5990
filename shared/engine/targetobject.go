package engine

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/target"
)

func (d *deployed) service() any {
	s := d.Service
	if s == nil {
		return nil
	}
	t := texts(s.Found)
	t["type"] = s.Type
	return &object{d: d, texts: t, more: map[string]any{"gitOpsEnabled": s.GitOps, "variables": d.variables("service.variables", d.Variables)}}
}

// serviceConfig is the older name of what a service has.
func (d *deployed) serviceConfig() any {
	return props{"service": d.service(), "artifacts": d.artifacts(), "manifests": d.manifests(), "variables": d.variables("serviceConfig.variables", d.Variables)}
}

func (d *deployed) env() any {
	e := d.Environment
	if e == nil {
		return nil
	}
	t := texts(e.Found)
	t["type"], t["envGroupRef"], t["envGroupName"] = e.Type, e.Group, e.GroupName
	return &object{d: d, texts: t, more: map[string]any{"variables": d.variables("env.variables", d.EnvVariables), "provisioner": d.provisioner()}}
}

// infra is an infrastructure: its fields by themselves, its variables by name, and the
// key of the place.
func (d *deployed) infra() any {
	in := d.Infrastructure
	if in == nil {
		return nil
	}
	t := maps.Clone(in.Spec)
	if t == nil {
		t = map[string]any{}
	}
	maps.Copy(t, texts(in.Found))
	t["infraIdentifier"], t["infrastructureType"], t["type"], t["deploymentType"] = in.Identifier, in.Type, in.Type, in.DeploymentType
	more := map[string]any{
		"environment":                  d.env(),
		"infrastructureKey":            lazy(keyOf{d, 0}.value),
		"infrastructureKeyShortId":     lazy(keyOf{d, target.ShortKey}.value),
		"connector":                    lazy(func() (any, error) { return d.link(in.Spec, in.Environment), nil }),
		"instances":                    missing("infra.instances (hosts of a Deployment stage)"),
		"infrastructureDefinitionId":   in.Identifier,
		"allowSimultaneousDeployments": in.AllowSimultaneous,
		"infrastructureDefinition": props{"type": in.Type, "provisioner": d.provisioner(), // as the older form has it
			"spec": &object{d: d, texts: in.Spec}},
	}
	if list, ok := in.Spec["variables"].([]any); ok {
		delete(t, "variables")
		more["variables"] = d.variables("infra.variables", listed(list))
	}
	return &object{d: d, texts: t, more: more}
}

// listed are variables that are written as a list.
func listed(list []any) (out []core.TargetVariable) {
	for _, it := range list {
		m, _ := it.(map[string]any)
		name, _ := m["name"].(string)
		typ, _ := m["type"].(string)
		out = append(out, core.TargetVariable{Variable: core.Variable{Name: name, Type: typ, Value: m["value"]}})
	}
	return out
}

// keyOf is INFRA_KEY, or its first characters.
type keyOf struct {
	d     *deployed
	first int // 0 for all
}

// value is null where nothing is deployed anywhere.
func (k keyOf) value() (any, error) {
	in := k.d.Infrastructure
	if in == nil || k.d.Service == nil {
		return nil, nil
	}
	var values []any
	for _, f := range target.KeyFields(in) {
		v, err := k.d.at.render(in.Spec[f], nil)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	key := target.Key(k.d.Service.Identifier, k.d.Environment.Identifier, values)
	if k.first > 0 {
		key = key[:k.first]
	}
	return key, nil
}

func (d *deployed) artifacts() any {
	if d.Service == nil {
		return nil
	}
	return &object{d: d, more: map[string]any{"primary": lazy(func() (any, error) { return d.source() }), "sidecars": d.sidecars()}}
}

func (d *deployed) sidecars() any {
	out := map[string]any{}
	for i := range d.Service.Sidecars {
		out[d.Service.Sidecars[i].Identifier] = d.artifact(&d.Service.Sidecars[i], false)
	}
	return props(out)
}

// primary is the artifact that is deployed, null for none.
func (d *deployed) primary() any {
	v, err := d.source()
	if err != nil {
		return wrong{err}
	}
	return v
}

func (d *deployed) source() (any, error) {
	if d.Service == nil {
		return nil, nil
	}
	ref, err := d.value(d.Service.Primary)
	if err != nil {
		return nil, err
	}
	p, err := target.Source(d.Service, ref)
	if p == nil || err != nil {
		return nil, err
	}
	return d.artifact(p, true), nil
}

// ofFetching are what only a registry can tell of an artifact.
var ofFetching = []string{"digest", "metadata", "label", "imagePullSecret", "dockerConfigJsonSecret", "displayName", "jobName", "url"}

// artifact is an artifact as its source says it (BEHAVIOUR §2.6).
func (d *deployed) artifact(p *core.Part, primary bool) any {
	o := &object{d: d, texts: p.Spec, more: map[string]any{
		"identifier": p.Identifier, "type": p.Type, "primaryArtifact": primary,
		"image": lazy(func() (any, error) { return d.image(p) }),
	}}
	if p.Type == "template" {
		o.except = func(string) (any, bool, error) {
			return nil, false, missing("an artifact source that is a template").err()
		}
		return o
	}
	for regex, plain := range map[string]string{"tagRegex": "tag", "versionRegex": "version", "filePathRegex": "filePath"} {
		if v := p.Spec[regex]; v != nil && v != "" {
			o.more[plain] = missing("the " + plain + " of an artifact by " + regex + " (fetching artifacts)")
		}
	}
	for _, key := range ofFetching {
		if v := p.Spec[key]; v == nil || v == "" {
			o.more[key] = missing("the " + key + " of an artifact (fetching artifacts)")
		}
	}
	return o
}

// image is the full name of a container image, where its source's own fields tell it.
func (d *deployed) image(p *core.Part) (any, error) {
	for _, key := range []string{"tagRegex", "versionRegex"} {
		if v := p.Spec[key]; v != nil && v != "" {
			return nil, missing("the image of an artifact by " + key + " (fetching artifacts)").err()
		}
	}
	var failed, unknown error
	from := func(spec map[string]any) func(string) string {
		return func(key string) string {
			v, err := d.value(spec[key])
			if inner, ok := spec["spec"].(map[string]any); ok && spec[key] == nil {
				v, err = d.value(inner[key])
			}
			failed = cmp.Or(failed, err)
			return v
		}
	}
	name, ok := target.Image(p.Type, from(p.Spec), func(key string) string {
		ref, err := d.value(p.Spec["connectorRef"])
		failed = cmp.Or(failed, err)
		c, err := d.at.connector(ref, d.Service.Ref)
		if unknown = err; err != nil {
			return ""
		}
		return from(c.Spec)(key)
	})
	switch {
	case failed != nil:
		return nil, failed
	case unknown != nil:
		return nil, fmt.Errorf("the image of an artifact of type %s needs its registry: %w", p.Type, unknown)
	case !ok:
		return nil, missing("the image of an artifact of type " + p.Type + " (only its registry knows it)").err()
	}
	return name, nil
}

func (d *deployed) manifests() any {
	out := props{}
	for i := range d.Manifests {
		out[d.Manifests[i].Identifier] = d.described(&d.Manifests[i]) // of several the strongest
	}
	return out
}

// described is a manifest as it is written. Its store's own fields are read with and
// without spec between.
func (d *deployed) described(p *core.Part) any {
	t := maps.Clone(p.Spec)
	if t == nil {
		t = map[string]any{}
	}
	if store, ok := t["store"].(map[string]any); ok {
		flat := maps.Clone(store)
		if inner, ok := store["spec"].(map[string]any); ok {
			for k, v := range inner {
				if _, taken := flat[k]; !taken {
					flat[k] = v
				}
			}
		}
		t["store"] = flat
	}
	return &object{d: d, texts: t, more: map[string]any{"identifier": p.Identifier, "type": p.Type,
		"commitId": missing("the commit of a manifest (fetching manifests)"), "helm": missing("what a chart says of itself (fetching manifests)")}}
}

// mainManifest is the identifier of the manifest that is deployed: the one chosen, or
// the service's first.
func (d *deployed) mainManifest() (string, error) {
	if d.Service == nil || len(d.Service.Manifests) == 0 {
		return "", nil
	}
	id, err := d.value(d.Service.PrimaryManifest)
	if id == "" {
		id = d.Service.Manifests[0].Identifier
	}
	return id, err
}

func (d *deployed) manifest() any {
	id, err := d.mainManifest()
	if err != nil {
		return wrong{err}
	}
	if p := d.Manifest(id); p != nil {
		return d.described(p)
	}
	return nil
}

func (d *deployed) manifestConfig() any {
	return &object{d: d, more: map[string]any{"primaryManifestId": lazy(func() (any, error) { return d.mainManifest() })}}
}
