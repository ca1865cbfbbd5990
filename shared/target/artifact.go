package target

import (
	"strings"

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

// Image returns the name of a container image that a source's own fields and those of
// its connector tell, with its tag or digest; both read a field, evaluated, "" for none.
// ok is false where only the registry knows.
func Image(typ string, get, connector func(string) string) (name string, ok bool) {
	path, tag := imagePath(typ, get, connector), get("tag")
	if typ == "GoogleArtifactRegistry" || typ == "GithubPackageRegistry" {
		tag = get("version")
	}
	if path == "" {
		return "", false
	}
	if d := get("digest"); d != "" {
		return path + "@" + d, true
	}
	return path + ":" + tag, true
}

// imagePath is an image's name without its tag, "" where it cannot be told.
func imagePath(typ string, get, connector func(string) string) string {
	switch typ {
	case "DockerRegistry":
		return below(connector("dockerRegistryUrl"), get("imagePath"))
	case "Gcr":
		return get("registryHostname") + "/" + get("imagePath")
	case "GoogleArtifactRegistry":
		return get("region") + "-docker.pkg.dev/" + get("project") + "/" + get("repositoryName") + "/" + get("package")
	case "Ecr":
		if id := get("registryId"); id != "" {
			return id + ".dkr.ecr." + get("region") + ".amazonaws.com/" + get("imagePath")
		}
	case "Acr":
		return get("registry") + ".azurecr.io/" + get("repository")
	case "GithubPackageRegistry":
		if org := get("org"); org != "" && get("packageType") == "container" {
			return "ghcr.io/" + org + "/" + get("packageName")
		}
	case "ArtifactoryRegistry":
		if url := get("repositoryUrl"); url != "" {
			return below(url, get("artifactPath"))
		}
		return below(connector("artifactoryServerUrl"), get("repository")+"/"+get("artifactPath"))
	case "Nexus3Registry":
		if url := get("repositoryUrl"); url != "" {
			return below(url, get("artifactPath"))
		}
		if port := get("repositoryPort"); port != "" {
			host, _, _ := strings.Cut(host(connector("nexusServerUrl")), ":")
			return below(host+":"+port, get("artifactPath"))
		}
	}
	return ""
}

// below is a path on the host of an address, "" when that is not known.
func below(address, path string) string {
	h := host(address)
	if h == "" || strings.HasPrefix(h, ":") || path == "" {
		return ""
	}
	return h + "/" + path
}

// host is that of an address, with its port; for repositories that are given as host
// and path, both.
func host(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return strings.TrimRight(scheme, "/")
	}
	h, _, _ := strings.Cut(rest, "/")
	return h
}
