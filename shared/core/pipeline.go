package core

// Pipeline is a stored pipeline: the author's YAML byte for byte.
type Pipeline struct {
	Scope      Scope             `json:"scope"`
	Identifier string            `json:"identifier"`
	Name       string            `json:"name"`
	Tags       map[string]string `json:"tags,omitempty"`
	Desc       string            `json:"description,omitempty"`
	YAML       string            `json:"yaml"`
	Version    int64             `json:"version"` // 1 when created, +1 on every change
	Created    int64             `json:"created"` // ms
	Updated    int64             `json:"updated"`
}

// PipelinePK is the partition of a project's pipelines, by identifier.
func PipelinePK(s Scope) string { return "A#" + s.Account + "#P#" + s.Path() }

// PipelineKey is where a pipeline is.
func PipelineKey(s Scope, id string) Key { return Key{PipelinePK(s), id} }

// SequenceKey is where a pipeline's run counter is.
func SequenceKey(s Scope, pipeline string) Key {
	return Key{"A#" + s.Account + "#N#" + s.Path(), pipeline}
}
