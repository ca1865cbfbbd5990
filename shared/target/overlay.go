package target

import (
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// Overlay lays what a stage changes of a service over it: variables by name, manifests,
// config files and sidecars by identifier, and of an artifact the fields that are given.
func Overlay(s, by *core.Service) {
	s.Variables = over(slices.Clone(s.Variables), by.Variables)
	s.Manifests = files(slices.Clone(s.Manifests), by.Manifests)
	s.ConfigFiles = files(slices.Clone(s.ConfigFiles), by.ConfigFiles)
	s.Sidecars = parts(slices.Clone(s.Sidecars), by.Sidecars)
	s.Sources = parts(slices.Clone(s.Sources), by.Sources)
	if by.Primary != "" {
		s.Primary = by.Primary
	}
	if by.PrimaryManifest != "" {
		s.PrimaryManifest = by.PrimaryManifest
	}
}

// parts lays artifacts over those of the same identifier; one of another type replaces
// the one that is there.
func parts(list, by []core.Part) []core.Part {
	for _, p := range by {
		i := slices.IndexFunc(list, func(o core.Part) bool { return o.Identifier == p.Identifier })
		switch {
		case i < 0:
			list = append(list, p)
		case p.Type != "" && p.Type != list[i].Type:
			list[i] = p
		default:
			spec := maps.Clone(list[i].Spec)
			if spec == nil {
				spec = map[string]any{}
			}
			maps.Copy(spec, p.Spec)
			list[i].Spec = spec
		}
	}
	return list
}
