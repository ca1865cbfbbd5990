package core

import "strings"

// Launch is what is fixed when a run starts: its plan and who asked for it. It is
// written once, before the run's first event, and never changes.
type Launch struct {
	Run     string  `json:"run"`
	At      int64   `json:"at"` // ms
	Started Started `json:"started"`
	Plan    *Plan   `json:"plan"`
	// Limit is how many runs of the account may go on at once; this one waits in line
	// for its turn. 0 for no limit.
	Limit int `json:"limit,omitempty"`
	// Edge is how many events the history of an execution may have, 0 for HistoryEdge.
	Edge int `json:"edge,omitempty"`
	// Source is the pipeline YAML as its author wrote it.
	Source string `json:"source,omitempty"`
	// Given is what the run was asked for with beside that, for another run like it.
	Given *Asked `json:"given,omitempty"`
	Retry *Retry `json:"retry,omitempty"` // nil unless this run takes up another
	// Rollback is nil unless this run rolls another back.
	Rollback *Rollback `json:"rollback,omitempty"`
	// Parent is the stage that has started this run, nil for what people and triggers start.
	Parent *Parent `json:"parent,omitempty"`
}

// Asked is what a run was asked for with, beside its pipeline.
type Asked struct {
	Stored    bool              `json:"stored,omitempty"` // the pipeline is one that the platform keeps
	Inputs    map[string]string `json:"inputs,omitempty"` // single values
	InputSets []File            `json:"inputSets,omitempty"`
	// Stages are the only ones that run, Expressions what stands for what others would
	// have given.
	Stages      []string          `json:"stages,omitempty"`
	Expressions map[string]string `json:"expressions,omitempty"`
	Library     []File            `json:"library,omitempty"` // the templates and input sets that were handed over
}

// File is a YAML text and what messages call it.
type File struct {
	Name string `json:"name"`
	YAML string `json:"yaml"`
}

// Retry says which run this one takes up, and which of its stages are not run again
// (BEHAVIOUR §14.5).
type Retry struct {
	Of     string            `json:"of"`
	Root   string            `json:"root"`             // the first of a chain of retries
	Copied map[string]Copied `json:"copied,omitempty"` // by the stage's track
}

// RetryKey is where a run is noted that takes up another of the chain that root began;
// RetryPrefix is before all of them.
func RetryKey(account, root, run string) Key {
	return Key{RunKey(account, root).PK, RetryPrefix + run}
}

// RetryPrefix begins the keys of a chain's retries.
const RetryPrefix = "RETRY#"

// Copied is a stage as another run has executed it.
type Copied struct {
	Run     string `json:"run"`
	Status  Status `json:"status"`
	Started int64  `json:"started,omitempty"`
	Ended   int64  `json:"ended,omitempty"`
}

// From returns the copied stage that the track is of or in.
func (r *Retry) From(track string) (Copied, bool) {
	if r == nil {
		return Copied{}, false
	}
	for ; track != ""; track = ParentTrack(track) {
		stage, _, _ := strings.Cut(track, "~") // an iteration of it
		if c, ok := r.Copied[stage]; ok {
			return c, true
		}
	}
	return Copied{}, false
}

// SecretKey marks an output value as a reference to a secret: the only key of a
// map whose value is the secret's name. Outputs that arrive with it are refused.
const SecretKey = "$secret"
