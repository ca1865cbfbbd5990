package cli

import (
	_ "embed"
	"os"
	"path/filepath"
)

//go:embed sample.yaml
var samplePipeline []byte

// sample is a pipeline file to try: the repository's when we are in it, else one
// that is written into the data folder.
func (a *app) sample() string {
	const example = "examples/hello.yaml"
	if _, err := os.Stat(example); err == nil {
		return example
	}
	path := filepath.Join(a.flags.data, "hello.yaml")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.WriteFile(path, samplePipeline, 0o600) != nil {
		return "FILE"
	}
	return path
}
