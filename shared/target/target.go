// Package target decides what a Deployment stage deploys and where: it chooses
// among the documents of a plan, lays overrides over them in their order, and pairs
// services with places (BEHAVIOUR §2 to §5).
package target

import (
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Chosen is one service in one place with its overrides laid over it. What the stage
// has none of is nil.
type Chosen struct {
	DeploymentType string
	Service        *core.Service
	Environment    *core.Environment
	Infrastructure *core.Infrastructure
	// Variables are the service's; EnvVariables the environment's with what is
	// overridden for all of it (BEHAVIOUR §4.6).
	Variables    []core.TargetVariable
	EnvVariables []core.TargetVariable
	Manifests    []core.Part
	ConfigFiles  []core.Part
	// Spec is the rest of the service's definition, with applicationSettings and
	// connectionStrings as they are overridden.
	Spec map[string]any
}

// Choose returns what the references of a pair come to. None of them is an
// expression any more.
func Choose(t *core.Target, p core.Pair) (*Chosen, error) {
	c := &Chosen{DeploymentType: t.DeploymentType}
	if p.Service != "" {
		s, err := one(t.Services, func(s *core.Service) *core.Found { return &s.Found }, "service", p.Service)
		if err != nil && t.Open {
			s, err = &core.Service{Found: standIn(p.Service)}, nil
		}
		if err != nil {
			return nil, err
		}
		if s.Type != "" && t.DeploymentType != "" && s.Type != t.DeploymentType {
			return nil, fault.New(fault.Invalid, "service %s is for %s: the stage deploys %s", s.Ref, s.Type, t.DeploymentType)
		}
		c.Service = s
	}
	if p.Environment != "" {
		e, err := one(t.Environments, func(e *core.Environment) *core.Found { return &e.Found }, "environment", p.Environment)
		if err != nil && t.Open {
			e, err = &core.Environment{Found: standIn(p.Environment)}, nil
		}
		if err != nil {
			return nil, err
		}
		c.Environment = e
	}
	if p.Infrastructure != "" {
		err := c.infrastructure(t, p.Infrastructure)
		if fault.Is(err, fault.NotFound) && t.Open {
			c.Infrastructure, err = &core.Infrastructure{Found: standIn(p.Infrastructure), Environment: c.Environment.Ref}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return c, c.merge(t)
}

// one finds what a reference means: exactly that, or a document that is found from
// anywhere.
func one[T any](list []T, found func(*T) *core.Found, what, ref string) (*T, error) {
	for i := range list {
		if found(&list[i]).Ref == ref {
			return &list[i], nil
		}
	}
	id := Identifier(ref)
	var names []string
	for i := range list {
		f := found(&list[i])
		if f.Anywhere && f.Identifier == id {
			return &list[i], nil
		}
		names = append(names, f.Ref)
	}
	return nil, fault.New(fault.NotFound, "%s %s is not found%s", what, ref, among(names))
}

// standIn is what is known of a document that is not there.
func standIn(ref string) core.Found {
	return core.Found{Ref: ref, Identifier: Identifier(ref), Name: Identifier(ref)}
}

// maxNamed is how many names a message lists.
const maxNamed = 10

func among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	more := ""
	if len(names) > maxNamed {
		names, more = names[:maxNamed], ", …"
	}
	return ": the plan knows " + strings.Join(names, ", ") + more
}

// Identifier is a reference without its scope.
func Identifier(ref string) string {
	for _, scope := range []string{"account.", "org."} {
		if id, ok := strings.CutPrefix(ref, scope); ok {
			return id
		}
	}
	return ref
}

// infrastructure finds an infrastructure of the environment, which has to be for the
// service and of the stage's deployment type (BEHAVIOUR §3.6).
func (c *Chosen) infrastructure(t *core.Target, id string) error {
	if c.Environment == nil {
		return fault.New(fault.Invalid, "infrastructure %s stands in no environment", id)
	}
	var names []string
	for i := range t.Infrastructures {
		in := &t.Infrastructures[i]
		if in.Environment != c.Environment.Ref {
			continue
		}
		if names = append(names, in.Ref); in.Ref == id {
			c.Infrastructure = in
		}
	}
	in := c.Infrastructure
	switch {
	case in == nil:
		return fault.New(fault.NotFound, "infrastructure %s of environment %s is not found%s", id, c.Environment.Ref, among(names))
	case in.DeploymentType != "" && t.DeploymentType != "" && in.DeploymentType != t.DeploymentType:
		return fault.New(fault.Invalid, "infrastructure %s of environment %s is for %s: the stage deploys %s", id, c.Environment.Ref, in.DeploymentType, t.DeploymentType)
	case len(in.Scoped) > 0 && c.Service != nil && !slices.Contains(in.Scoped, c.Service.Ref) && !slices.Contains(in.Scoped, c.Service.Identifier):
		return fault.New(fault.Invalid, "infrastructure %s of environment %s is scoped to the services %s: service %s cannot be deployed there",
			id, c.Environment.Ref, strings.Join(in.Scoped, ", "), c.Service.Ref)
	}
	return nil
}

// Applies reports whether an override is for what was chosen.
func (c *Chosen) Applies(o *core.Override) bool {
	env := c.Environment != nil && o.Environment == c.Environment.Ref
	service := c.Service != nil && o.Service == c.Service.Ref
	infra := c.Infrastructure != nil && o.Infrastructure == c.Infrastructure.Ref
	switch o.Type {
	case core.OverrideEnvironment:
		return env
	case core.OverrideService:
		return env && service
	case core.OverrideInfrastructure:
		return env && infra
	case core.OverrideInfrastructureService:
		return env && infra && service
	}
	return false
}
