package launch

import (
	"context"
	"maps"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Again asks for a run like a former one.
type Again struct {
	Account string
	Run     string
	By      core.Actor
	Key     string // as in Request
	// Inputs are laid over those of the former run. InputSets, when there are any, stand
	// instead of all of those.
	Inputs    map[string]string
	InputSets []compile.Source
}

// Rerun starts a fresh run of the pipeline as it is written now, with the inputs that
// the former run had where none are given (BEHAVIOUR §14.6). A pipeline that the
// platform does not keep is the former run's own.
func (l *Launch) Rerun(ctx context.Context, a Again) (Started, error) {
	old, err := l.journal.Run(ctx, a.Account, a.Run)
	if err != nil {
		return Started{}, err
	}
	req, err := l.like(ctx, old, a)
	if err != nil {
		return Started{}, err
	}
	return l.Start(ctx, req)
}

// like is the request for a run like old.
func (l *Launch) like(ctx context.Context, old *engine.Run, a Again) (Request, error) {
	if p := old.Launch.Parent; p != nil {
		return Request{}, fault.New(fault.Invalid, "run %s was started by stage %s of run %s, with what that gave it: rerun or retry that one", a.Run, p.Stage, p.Run)
	}
	if b := old.Launch.Rollback; b != nil {
		return Request{}, fault.New(fault.Invalid, "run %s is the rollback of run %s: it cannot be run again", old.Launch.Run, b.Of)
	}
	was := core.Asked{}
	if old.Launch.Given != nil {
		was = *old.Launch.Given
	}
	req := Request{Account: a.Account, Trigger: "MANUAL", By: a.By, Key: a.Key, Given: was,
		Source: compile.Source{File: old.Plan.Root.Pos.File, Data: []byte(old.Launch.Source)}}
	scope := old.Plan.Scope
	if was.Stored {
		p, err := l.catalogue.Get(ctx, core.EntityRef{Kind: core.EntityPipeline, Scope: scope, Identifier: old.Plan.Identifier})
		if err != nil {
			return req, err
		}
		req.Source.Data = []byte(p.YAML)
	}
	files := make([]compile.Source, len(was.Library))
	for i, f := range was.Library {
		files[i] = compile.Source{File: f.Name, Data: []byte(f.YAML)}
	}
	library, diags := compile.Index(files)
	if diags.Blocks() {
		return req, &Refused{diags}
	}
	req.Options = compile.Options{Scope: scope, Library: library, Inputs: maps.Clone(was.Inputs),
		Stages: was.Stages, Expressions: was.Expressions}
	for _, f := range was.InputSets {
		req.Options.InputSets = append(req.Options.InputSets, compile.Source{File: f.Name, Data: []byte(f.YAML)})
	}
	if fixed(req.Source) {
		return req, nil
	}
	if len(a.InputSets) > 0 {
		req.Options.InputSets, req.Options.Inputs = a.InputSets, nil
	}
	if req.Options.Inputs == nil {
		req.Options.Inputs = map[string]string{}
	}
	maps.Copy(req.Options.Inputs, a.Inputs)
	return req, nil
}

// fixed reports whether the pipeline takes the first run's inputs alone (BEHAVIOUR §12.8).
func fixed(src compile.Source) bool {
	docs, _ := yamldoc.Parse(src.File, src.Data) // what is wrong with it is told when it is compiled
	if len(docs) == 0 {
		return false
	}
	v := docs[0].Root.Get("pipeline").Get("fixedInputsOnRerun")
	return v != nil && v.Text == "true"
}

// given is what is kept of a request.
func given(req Request) *core.Asked {
	g := req.Given
	g.Inputs, g.InputSets, g.Stages, g.Expressions = req.Options.Inputs, nil, req.Options.Stages, req.Options.Expressions
	for _, s := range req.Options.InputSets {
		g.InputSets = append(g.InputSets, core.File{Name: s.File, YAML: string(s.Data)})
	}
	return &g
}
