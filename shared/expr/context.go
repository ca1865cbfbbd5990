package expr

import "strings"

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
		d := distance(strings.ToLower(name), strings.ToLower(n), least)
		if n == name || d*3 > len(name) {
			continue
		}
		if d < least || d == least && (best == "" || n < best) {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to change, add or take away; over most it may be any
// number over most. Names are
// short.
func distance(a, b string, most int) int {
	if len(a) > 64 || len(b) > 64 || max(len(a), len(b))-min(len(a), len(b)) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := min(row[j+1]+1, row[j]+1, diagonal+pick(a[i] == b[j], 0, 1))
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
