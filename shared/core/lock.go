package core

import "strings"

// Claim asks for a lock, or holds it. Its ID is used once: a step that is tried again
// makes a new claim.
type Claim struct {
	ID    string    `json:"id"`
	Lock  string    `json:"lock,omitempty"` // see LockName
	Run   string    `json:"run"`
	Track string    `json:"track"`           // that asks, and is told
	Node  string    `json:"node,omitempty"`  // FQN of the step that asks, "" for a run's slot
	Stage string    `json:"stage,omitempty"` // track of the stage that asks
	Scope LockScope `json:"scope,omitempty"`
	// Limit is how many claims may hold the lock, 0 for one.
	Limit int `json:"limit,omitempty"`
}

// LockScope says with whose end a lock is let go of (BEHAVIOUR §11.2).
type LockScope string

// Scopes of a lock.
const (
	ScopePipeline LockScope = "Pipeline" // the run's
	ScopeStage    LockScope = "Stage"    // the stage's, rollback included
)

// Within reports whether a claim is made inside what h holds for: the same run, and of
// a stage's the same stage. It then need not wait for h.
func (c Claim) Within(h Claim) bool {
	return c.Run == h.Run && (h.Scope == ScopePipeline || h.Stage == c.Stage)
}

// LockAnswer is what a claim was told.
type LockAnswer struct {
	Claim string `json:"claim"`
	Held  bool   `json:"held,omitempty"` // it holds the lock; otherwise it waits in line
	// Refused says why the claim cannot even wait.
	Refused string `json:"refused,omitempty"`
}

// Kinds of locks, the first part of a lock's name.
const (
	LockQueue = "queue" // a Queue step's key
	LockInfra = "infra" // an infrastructure key (BEHAVIOUR §3.5)
	LockRuns  = "runs"  // how many runs of an account go on at once (BEHAVIOUR §11.4)
)

// MaxLockKey is how many bytes a lock's key may have.
const MaxLockKey = 512

// LockName is the name of a lock in its account.
func LockName(kind, key string) string { return kind + "#" + key }

// LockParts undoes LockName.
func LockParts(name string) (kind, key string) {
	kind, key, _ = strings.Cut(name, "#")
	return kind, key
}

// LockKey is where a lock is.
func LockKey(account, name string) Key { return Key{LockPK(account), name} }

// LockPK is the partition of an account's locks, by kind and key.
func LockPK(account string) string { return "A#" + account + "#K" }
