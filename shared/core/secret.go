package core

import "strings"

// SecretName is where the value of a secret reference is kept. A reference is a
// secret's identifier with its scope, "account.x", or "output:RUN/TASK/NAME" for
// an output variable of type Secret.
func SecretName(account, ref string) string {
	if out, ok := strings.CutPrefix(ref, "output:"); ok {
		return account + "/output/" + out
	}
	return account + "/secret/" + ref
}

// OutputSecretRef is the reference of a secret output variable.
func OutputSecretRef(run, task, name string) string {
	return "output:" + run + "/" + task + "/" + name
}

// SecretEntry lists a secret that was given a value, which is not here.
type SecretEntry struct {
	Ref     string `json:"ref"`
	Updated int64  `json:"updated"` // ms
	By      string `json:"by"`      // the user who gave the value
}

// SecretEntryKey is where a secret's entry is.
func SecretEntryKey(account, ref string) Key { return Key{"A#" + account + "#S", ref} }
