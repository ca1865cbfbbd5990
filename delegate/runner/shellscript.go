package runner

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/delegate/process"
	"github.com/slipway-cd/slipway/shared/wire"
)

// MaxScriptOutputBytes bounds the output variables of one script together
// (BEHAVIOUR §15.7).
const MaxScriptOutputBytes = 512 << 10

// ShellScript runs a script with bash in the task's private folder (BEHAVIOUR
// §15.7). There is no other shell to fall back on: a script written for bash may
// mean something else to sh.
type ShellScript struct {
	Bash string // path of bash, empty to look it up in PATH
	// Env names more variables that scripts inherit from the delegate; one that
	// ends in * stands for all that begin so.
	Env []string
}

// Type returns "ShellScript".
func (*ShellScript) Type() string { return "ShellScript" }

type shellSpec struct {
	Shell  text `json:"shell"`
	Source struct {
		Type text `json:"type"`
		Spec struct {
			Script text `json:"script"`
		} `json:"spec"`
	} `json:"source"`
	Environment []variable `json:"environmentVariables"`
	Outputs     []variable `json:"outputVariables"`
}

// Run runs the script. Outputs: {"outputVariables": {name: string or null},
// "exitCode": int}; a variable that is not set is null. A script that ends itself
// early with exit publishes no variables.
func (s *ShellScript) Run(ctx context.Context, job *Job) wire.Outcome {
	var spec shellSpec
	if err := job.decode(&spec); err != nil {
		return Fail(Configuration, "%v", err)
	}
	cmd, files, err := s.prepare(job, spec)
	if err != nil {
		return Fail(Configuration, "%v", err)
	}
	defer files.close()
	group, err := process.Start(cmd, marks(job)...)
	if err != nil {
		return Fail(Unknown, "%v", err)
	}
	err = job.Recorded(group.Identity())
	if err == nil {
		err = group.Release()
	}
	exit := group.Wait(ctx.Done()) // ends by itself when it was not released
	if err != nil {
		return Fail(Unknown, "%v", err)
	}
	return s.outcome(files, spec, exit)
}

// outcome reads how the script ended and what it published.
func (s *ShellScript) outcome(files *scriptFiles, spec shellSpec, exit process.Exit) wire.Outcome {
	out := wire.Outcome{OK: exit.Code == 0}
	vars, secret, err := readOutputs(files, spec.Outputs)
	switch {
	case exit.Signal != "":
		out = Fail(Unknown, "the script was ended by a signal: %s", exit.Signal)
	case exit.Code != 0:
		out = Fail(Unknown, "the script ended with exit status %d", exit.Code)
	case err != nil:
		out = Fail(Unknown, "%v", err)
	}
	out.Secret = secret
	out.Outputs = map[string]any{"outputVariables": vars, "exitCode": exit.Code}
	return out
}

// prepare keeps the script and says how to run it.
func (s *ShellScript) prepare(job *Job, spec shellSpec) (cmd process.Command, files *scriptFiles, err error) {
	bash, err := s.bash(spec)
	if err != nil {
		return cmd, nil, err
	}
	script, err := job.reveal(spec.Source.Spec.Script)
	if err != nil {
		return cmd, nil, err
	}
	env, err := s.environment(job, spec.Environment)
	if err != nil {
		return cmd, nil, err
	}
	if files, err = keepScript(job, script, private(script, spec)); err != nil {
		return cmd, nil, err
	}
	launch, err := launcher(files, spec.Outputs)
	if err != nil {
		files.close()
		return cmd, nil, err
	}
	return process.Command{
		Path: bash, Args: []string{"--noprofile", "--norc", "-c", launch, filepath.Join(job.Dir, "script.sh")},
		Dir: job.Dir, Env: env, Stdout: job.Stdout, Stderr: job.Stderr, Clock: job.Clock, Grace: job.Grace, Files: files.memory,
	}, files, nil
}

// private reports whether a secret is in the script or in its outputs.
func private(script string, spec shellSpec) bool {
	return script != string(spec.Source.Spec.Script) || slices.ContainsFunc(spec.Outputs, func(v variable) bool {
		return strings.EqualFold(string(v.Type), "Secret")
	})
}

func (s *ShellScript) bash(spec shellSpec) (string, error) {
	if shell := string(spec.Shell); shell != "" && !strings.EqualFold(shell, "Bash") {
		return "", unsupported("shell %s", shell)
	}
	if kind := string(spec.Source.Type); kind != "" && !strings.EqualFold(kind, "Inline") {
		return "", unsupported("scripts of source type %s", kind)
	}
	if s.Bash != "" {
		return s.Bash, nil
	}
	path, err := exec.LookPath("bash")
	if err != nil {
		return "", errNoBash
	}
	return filepath.Abs(path)
}
