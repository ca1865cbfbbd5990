package core

import "strings"

// SecretName is where the value of a secret reference is kept, as it is meant in a
// document of scope s. A reference is a secret's identifier with its scope,
// "account.x", or "output:RUN/TASK/NAME" for an output variable of type Secret.
func SecretName(s Scope, ref string) string {
	if out, ok := strings.CutPrefix(ref, "output:"); ok {
		return s.Account + "/output/" + out
	}
	at, id := s.Resolve(ref)
	parts := []string{at.Account, "secret"}
	if at.Org != "" {
		parts = append(parts, "org", at.Org)
	}
	if at.Project != "" {
		parts = append(parts, "project", at.Project)
	}
	return strings.Join(append(parts, id), "/")
}

// OutputSecretRef is the reference of a secret output variable.
func OutputSecretRef(run, task, name string) string {
	return "output:" + run + "/" + task + "/" + name
}

// SecretEntry lists a secret, whose value is not here.
type SecretEntry struct {
	Ref     string `json:"ref"`
	Updated int64  `json:"updated"` // ms
	By      string `json:"by"`      // the user who wrote it last
}
