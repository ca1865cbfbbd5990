package core

import "slices"

// Delegate is what the control plane knows of a delegate.
type Delegate struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Boot    string   `json:"boot"`
	Version string   `json:"version"`
	Host    string   `json:"host,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Beat    int64    `json:"beat"` // ms, the server's clock at its last sync
	// Scope is what the delegate serves, by its token, when it is not the account.
	Scope Scope `json:"scope,omitzero"`
	// Holds are the tracks whose task it was given, written before the claim, so
	// that a task whose hand-over got lost is handed over again.
	Holds []Hold `json:"holds,omitempty"`
}

// Hold is one track a delegate works on.
type Hold struct {
	Run   string `json:"run"`
	Track string `json:"track"`
}

// DelegateKey is where a delegate's record is.
func DelegateKey(account, id string) Key { return Key{DelegatePK(account), id} }

// DelegatePK is the partition of all delegates of an account.
func DelegatePK(account string) string { return "A#" + account + "#D" }

// Serves reports whether a delegate with this name and these tags has every
// selector (BEHAVIOUR §18.6); its name is an implicit tag.
func (d DelegateRef) Serves(selectors []string) bool {
	for _, s := range selectors {
		if s != d.Name && !slices.Contains(d.Tags, s) {
			return false
		}
	}
	return true
}
