package target

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Source returns the one of a service's sources that is deployed; ref is its Primary
// with expressions evaluated. A service without artifacts has none.
func Source(s *core.Service, ref string) (*core.Part, error) {
	if len(s.Sources) == 0 {
		return nil, nil
	}
	if ref == "" && len(s.Sources) == 1 {
		return &s.Sources[0], nil
	}
	var names []string
	for i := range s.Sources {
		if s.Sources[i].Identifier == ref {
			return &s.Sources[i], nil
		}
		names = append(names, s.Sources[i].Identifier)
	}
	if ref == "" {
		return nil, fault.New(fault.Invalid, "service %s has several artifact sources and none is chosen%s", s.Ref, among(names))
	}
	return nil, fault.New(fault.NotFound, "artifact source %s of service %s is not found%s", ref, s.Ref, among(names))
}

// Image returns the name of a container image that a source's own fields tell, with
// its tag or digest; get reads a field, evaluated. ok is false where only the
// connector knows the registry.
func Image(typ string, get func(string) string) (name string, ok bool) {
	path, tag := get("imagePath"), get("tag")
	switch typ {
	case "Gcr":
		path = get("registryHostname") + "/" + path
	case "GoogleArtifactRegistry":
		path, tag = get("region")+"-docker.pkg.dev/"+get("project")+"/"+get("repositoryName")+"/"+get("package"), get("version")
	case "Ecr":
		if get("registryId") == "" {
			return "", false
		}
		path = get("registryId") + ".dkr.ecr." + get("region") + ".amazonaws.com/" + path
	case "Acr":
		host := get("registry")
		path = host + ".azurecr.io/" + get("repository")
	case "ArtifactoryRegistry", "Nexus3Registry":
		path = get("artifactPath")
		if get("repositoryUrl") == "" {
			return "", false
		}
		path = get("repositoryUrl") + "/" + path
	default:
		return "", false
	}
	if d := get("digest"); d != "" {
		return path + "@" + d, true
	}
	return path + ":" + tag, true
}
