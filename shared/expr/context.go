package expr

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/spell"
)

// contexts are the first names the language knows (BEHAVIOUR §13.6); which of them a
// scope supplies depends on where an expression stands.
var contexts = []string{
	"pipeline", "stage", "stages", "stepGroup", "step", "steps", "execution", "account", "org", "project",
	"service", "serviceVariables", "env", "infra", "artifact", "artifacts", "manifest", "manifests",
	"secrets", "variable", "connector", "trigger", "eventPayload", "matrix", "repeat", "strategy", "instance",
	"approval", "inputSet", "exportedVariables", "currentTime", "currentDate", "json", "secretJson", "xml",
	"regex", "expression", "httpResponseCode", "httpResponseBody", "httpMethod", "httpUrl", "configFile", "fileStore",
}

// unsupportedContexts are those no scope has data for yet, each with what is
// missing. A scope that supplies one is asked first. Saying so beats an unknown
// name: a condition on one is an error, not false. What is null by its nature when
// there is none (trigger, codebase) is not here.
var unsupportedContexts = map[string]string{
	"rollbackArtifact": "the last deployment",
	"lastPublished":    "fetching artifacts",
	"instance":         "hosts of a Deployment stage",
	"kubernetes":       "Kubernetes steps",
	"configFile":       "configuration files of a service",
	"fileStore":        "the file store",
	"variable":         "variables of accounts, organizations and projects",
	"approval":         "approvals inside their own step",
	"currentStatus":    "notifications",
	"executionTags":    "tags of a run",
	"notification":     "notifications",
	"cluster":          "GitOps",
	"gitops":           "GitOps",
}

// nearContext is the context that the first name of a path may mean, or "".
func nearContext(path string) string {
	first, _, _ := strings.Cut(path, ".")
	return nearest(first, contexts)
}

// nearest is the one of the names that differs from a name by its case or by at
// most two letters, "" when none does.
func nearest(name string, names []string) string {
	best, least := "", 2
	for _, n := range names {
		d := spell.Distance(strings.ToLower(name), strings.ToLower(n))
		if n == name || d*3 > len(name) {
			continue
		}
		if d < least || d == least && (best == "" || n < best) {
			best, least = n, d
		}
	}
	return best
}
