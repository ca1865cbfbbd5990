package runner

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/slipway-cd/slipway/shared/fault"
)

// scriptFiles are what a script is read from and what its output variables are
// written to. When secrets are involved both are in memory alone, where the
// system can do that; the script has them as descriptors 4 and 5.
type scriptFiles struct {
	script, outputs string     // what the launcher calls them
	memory          []*os.File // to be handed on, in order
	path            string     // of the outputs, when they are on disk
}

// keepScript puts the script where bash will read it.
func keepScript(job *Job, script string, private bool) (*scriptFiles, error) {
	if private {
		f, err := keepInMemory(script)
		if !errors.Is(err, errors.ErrUnsupported) {
			return f, err
		}
	}
	f := &scriptFiles{script: filepath.Join(job.Dir, "script.sh"), path: filepath.Join(job.Dir, ".outputs")}
	f.outputs = ">| " + quote(f.path)
	if err := os.WriteFile(f.script, []byte(script), 0o700); err != nil { //nolint:gosec // a script is run
		return nil, errSaving(err)
	}
	return f, nil
}

func keepInMemory(script string) (*scriptFiles, error) {
	f := &scriptFiles{script: "/dev/fd/4", outputs: ">&5"}
	for _, name := range []string{"script", "outputs"} {
		m, err := memoryFile(name)
		if err != nil {
			f.close()
			return nil, err
		}
		f.memory = append(f.memory, m)
	}
	if _, err := f.memory[0].WriteString(script); err != nil {
		f.close()
		return nil, errSaving(err)
	}
	_, err := f.memory[0].Seek(0, 0)
	return f, err
}

// open returns what the launcher has written; os.ErrNotExist when nothing was.
func (f *scriptFiles) open() (*os.File, error) {
	if len(f.memory) == 0 {
		return os.Open(f.path)
	}
	out := f.memory[1]
	f.memory = f.memory[:1]
	if st, err := out.Stat(); err != nil || st.Size() == 0 {
		return nil, errors.Join(os.ErrNotExist, out.Close())
	}
	if _, err := out.Seek(0, 0); err != nil {
		return nil, fault.New(fault.Internal, "reading the output variables: %w", errors.Join(err, out.Close()))
	}
	return out, nil
}

func (f *scriptFiles) close() {
	for _, m := range f.memory {
		_ = m.Close()
	}
}
