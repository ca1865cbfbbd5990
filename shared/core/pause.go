package core

// Pause holds the walk of a track and of those below it up, or lets it go on: what runs
// ends, nothing new starts.
type Pause struct {
	Resume bool `json:"resume,omitempty"`
	// Of is the track that a person paused, "" when that is the one told, and N the number
	// of that track's event: of two words the one with the higher N stands.
	Of    string `json:"of,omitempty"`
	N     int64  `json:"n,omitempty"`
	By    Actor  `json:"by"`
	Round Round  `json:"round,omitzero"` // the walk that is meant
}
