package target

import (
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// settings are what an override of a whole environment may set, by the name of each
// (BEHAVIOUR §4.4).
var settings = []string{"applicationSettings", "connectionStrings"}

// merge lays what overrides the service over it, the weakest first (BEHAVIOUR §4.2,
// §4.3): variables and config files are replaced by name, manifests are added.
func (c *Chosen) merge(t *core.Target) error {
	if c.Environment != nil {
		c.EnvVariables = slices.Clone(c.Environment.Variables)
	}
	if s := c.Service; s != nil {
		c.Variables, c.Manifests, c.ConfigFiles = slices.Clone(s.Variables), slices.Clone(s.Manifests), slices.Clone(s.ConfigFiles)
		c.Spec = maps.Clone(s.Spec)
		c.Variables = over(c.Variables, c.EnvVariables)
	}
	for i := range t.Overrides {
		o := &t.Overrides[i]
		if !c.Applies(o) {
			continue
		}
		if o.Type == core.OverrideEnvironment {
			c.EnvVariables = over(c.EnvVariables, o.Variables)
		}
		c.Variables = over(c.Variables, o.Variables)
		c.ConfigFiles = files(c.ConfigFiles, o.ConfigFiles)
		for _, m := range o.Manifests {
			if err := c.manifest(m); err != nil {
				return err
			}
		}
		for _, key := range settings {
			if v, ok := o.Spec[key]; ok {
				if c.Spec == nil {
					c.Spec = map[string]any{}
				}
				c.Spec[key] = v
			}
		}
	}
	return nil
}

// over replaces variables by name, and adds those that are new.
func over(list, by []core.TargetVariable) []core.TargetVariable {
	for _, v := range by {
		i := slices.IndexFunc(list, func(o core.TargetVariable) bool { return o.Name == v.Name })
		if i < 0 {
			list = append(list, v)
		} else {
			list[i] = v
		}
	}
	return list
}

// files replaces config files as a whole, by identifier.
func files(list, by []core.Part) []core.Part {
	for _, f := range by {
		i := slices.IndexFunc(list, func(o core.Part) bool { return o.Identifier == f.Identifier })
		if i < 0 {
			list = append(list, f)
		} else {
			list[i] = f
		}
	}
	return list
}

// helmRepoOverride changes nothing but the connector of Helm charts.
const helmRepoOverride = "HelmRepoOverride"

// overridable are the kinds of manifests that an override may hold (BEHAVIOUR §4.4).
var overridable = []string{"Values", "OpenshiftParam", "KustomizePatches", helmRepoOverride,
	"TasManifest", "TasVars", "TasAutoScaler",
	"EcsTaskDefinition", "EcsServiceDefinition", "EcsScalableTargetDefinition", "EcsScalingPolicyDefinition"}

// Overridable reports whether an override may hold a manifest of the type.
func Overridable(manifest string) bool { return slices.Contains(overridable, manifest) }

// manifest adds an override's manifest behind those it is stronger than.
func (c *Chosen) manifest(m core.Part) error {
	if m.Type != helmRepoOverride {
		c.Manifests = append(c.Manifests, m)
		return nil
	}
	for i, chart := range c.Manifests {
		if chart.Type != "HelmChart" {
			continue
		}
		spec, err := otherRepo(chart, m)
		if err != nil {
			return err
		}
		c.Manifests[i].Spec = spec
	}
	return nil
}

// otherRepo is a Helm chart's spec with the connector of an override, which has to be
// for the same type of store (BEHAVIOUR §4.3).
func otherRepo(chart, by core.Part) (map[string]any, error) {
	store, _ := chart.Spec["store"].(map[string]any)
	typ, connector := by.Spec["type"], by.Spec["connectorRef"]
	if s, ok := by.Spec["store"].(map[string]any); ok { // as its editor writes it
		inner, _ := s["spec"].(map[string]any)
		typ, connector = s["type"], inner["connectorRef"]
	}
	if store["type"] != typ {
		return nil, fault.New(fault.Invalid, "%s: the repository of chart %s is overridden by one of type %v: it is of type %v",
			by.Pos, chart.Identifier, typ, store["type"])
	}
	inner, _ := store["spec"].(map[string]any)
	inner = maps.Clone(inner)
	if inner == nil {
		inner = map[string]any{}
	}
	inner["connectorRef"] = connector
	spec, to := maps.Clone(chart.Spec), maps.Clone(store)
	to["spec"], spec["store"] = inner, to
	return spec, nil
}

// Manifest returns the strongest manifest of that identifier, nil for none.
func (c *Chosen) Manifest(id string) *core.Part { return last(c.Manifests, id) }

// ConfigFile returns the config file of that identifier, nil for none.
func (c *Chosen) ConfigFile(id string) *core.Part { return last(c.ConfigFiles, id) }

func last(list []core.Part, id string) *core.Part {
	for i := range slices.Backward(list) {
		if list[i].Identifier == id {
			return &list[i]
		}
	}
	return nil
}
