package core

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
	// Source is the pipeline YAML as its author wrote it.
	Source string `json:"source,omitempty"`
}

// SecretKey marks an output value as a reference to a secret: the only key of a
// map whose value is the secret's name. Outputs that arrive with it are refused.
const SecretKey = "$secret"
