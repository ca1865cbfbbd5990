// Package entitytest measures what keeping documents takes of a store, for tests and for
// the page that tells people.
package entitytest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Cost is what an operation has taken.
type Cost struct {
	What   string
	Beside int // how many others of its kind there are
	Use    core.Use
}

// tally is a counter of one sum.
type tally struct {
	mu  sync.Mutex
	sum core.Use
}

func (t *tally) Count(_ context.Context, u core.Use) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Add(u)
}

func (t *tally) RunEnded(context.Context) {}

// bench measures on one store, whose calls count with their context's counter.
type bench struct {
	ctx    context.Context //nolint:containedctx // of one measurement
	ports  core.Ports
	warm   *entity.Catalogue
	beside int
	costs  []Cost
	err    error
}

func (b *bench) at() core.Scope {
	return core.Scope{Account: "a", Org: core.DefaultOrg, Project: core.DefaultProject}
}

// Measure makes and reads documents beside as many others as each of sizes says,
// ascending, and says what each operation has taken.
func Measure(ctx context.Context, ports core.Ports, sizes ...int) ([]Cost, error) {
	b := &bench{ctx: ctx, ports: ports, warm: entity.NewCatalogue(ports)}
	b.surroundings()
	for _, n := range sizes {
		for ; b.beside < n; b.beside++ {
			b.keep(ctx, b.warm, service(fmt.Sprintf("other_%06d", b.beside), 0))
		}
		b.life()
	}
	b.beside = 0
	b.others()
	return b.costs, b.err
}

// op does something and notes what it took.
func (b *bench) op(what string, do func(ctx context.Context) error) {
	t := &tally{}
	if err := do(core.WithCounter(b.ctx, t)); err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", what, err)
	}
	b.costs = append(b.costs, Cost{what, b.beside, t.sum})
}

func (b *bench) keep(ctx context.Context, c *entity.Catalogue, text string) error {
	_, err := c.Save(ctx, entity.Saving{Text: text, By: entity.Change{By: "alice"}, Expected: document.Expected{Scope: b.at(), Anywhere: true, File: "document.yaml"}})
	if err != nil && b.err == nil {
		b.err = err
	}
	return err
}

func service(id string, n int) string {
	return fmt.Sprintf("service:\n  name: Service %[1]s\n  identifier: %[1]s\n  tags: {team: red}\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n"+
		"        - {name: greeting, type: String, value: %[2]d}\n%[3]s", id, n, filling(800))
}

func filling(n int) string { return strings.Repeat("# "+strings.Repeat("a", 97)+"\n", n/100) }

// surroundings are documents that the others stand beside.
func (b *bench) surroundings() {
	for _, text := range []string{
		"environment: {name: Staging, identifier: staging, type: PreProduction}\n",
		"infrastructureDefinition: {name: Cluster, identifier: cluster, environmentRef: staging, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: there, releaseName: r}}\n",
		"template:\n  name: Say\n  identifier: say\n  versionLabel: \"1\"\n  type: Step\n  spec: {type: ShellScript, timeout: 5m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: echo}}}}\n",
		service("web", 0), pipeline("deploy"),
		"inputSet: {name: Friday, identifier: friday, pipeline: {identifier: deploy, variables: [{name: whom, type: String, value: all}]}}\n",
	} {
		_ = b.keep(b.ctx, b.warm, text)
	}
}

func pipeline(id string) string {
	return `pipeline:
  name: Deploy
  identifier: ` + id + `
  variables: [{name: whom, type: String, value: <+input>}]
  stages:
    - stage:
        name: Deploy
        identifier: deploy
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: web}
          environment: {environmentRef: staging, infrastructureDefinitions: [{identifier: cluster}]}
          execution: {steps: [{step: {name: Say, identifier: say, template: {templateRef: say}}}]}
        failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]
`
}

// life is an entity's, from its making to its end.
func (b *bench) life() {
	ref := core.EntityRef{Kind: core.EntityService, Scope: b.at(), Identifier: "one"}
	page := entity.Query{Kind: ref.Kind, Scope: ref.Scope, Limit: 50}
	list := func(c *entity.Catalogue) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := c.List(ctx, page); return err }
	}
	b.op("create", func(ctx context.Context) error { return b.keep(ctx, b.warm, service("one", 1)) })
	b.op("update", func(ctx context.Context) error { return b.keep(ctx, b.warm, service("one", 2)) })
	b.op("apply, unchanged", func(ctx context.Context) error { return b.keep(ctx, b.warm, service("one", 2)) })
	b.op("get", func(ctx context.Context) error { _, err := b.warm.Get(ctx, ref); return err })
	cold := entity.NewCatalogue(b.ports)
	b.op("list a page of 50, first in its process", list(cold))
	b.op("list it again", list(cold))
	_ = b.keep(b.ctx, b.warm, service("one", 3))
	b.op("list it after somebody else's change", list(cold))
	b.op("list it with its documents", func(ctx context.Context) error {
		rows, _, err := cold.List(ctx, page)
		if err == nil {
			_, err = cold.Documents(ctx, ref.Kind, rows)
		}
		return err
	})
	b.op("delete", func(ctx context.Context) error { return b.warm.Remove(ctx, ref, entity.Change{By: "alice"}, false) })
}

// others are operations that do not depend on how many others there are.
func (b *bench) others() {
	at, c := b.at(), b.warm
	for n := range 10 {
		_ = b.keep(b.ctx, c, service("changed", n))
		_ = b.keep(b.ctx, c, pipeline(fmt.Sprintf("user%d", n)))
	}
	for _, kb := range []int{10, 40, 100} {
		b.op(fmt.Sprintf("create, a document of %d KB", kb), func(ctx context.Context) error {
			return b.keep(ctx, c, service(fmt.Sprintf("large%d", kb), 0)+filling(kb<<10-1000))
		})
	}
	b.op("history, of 10 changes", func(ctx context.Context) error {
		_, _, err := c.History(ctx, core.EntityRef{Kind: core.EntityService, Scope: at, Identifier: "changed"}, entity.Past{})
		return err
	})
	b.op("who uses it, 11 pipelines do", func(ctx context.Context) error {
		_, err := c.Users(ctx, core.EntityRef{Kind: core.EntityService, Scope: at, Identifier: "web"})
		return err
	})
	set := func(ctx context.Context) error {
		_, err := c.SetSecret(ctx, at, "token", []byte("hunter2"), "alice")
		return err
	}
	b.op("set a secret that is new", set)
	b.op("set it again", set)
	b.op("read what a run needs: a pipeline with input set, template, service, environment and infrastructure", func(ctx context.Context) error {
		shelves := c.Shelves(ctx, at.Account)
		p, err := c.Get(ctx, core.EntityRef{Kind: core.EntityPipeline, Scope: at, Identifier: "deploy"})
		if err != nil {
			return err
		}
		set, ok := shelves.Find(compile.Reference{Kind: compile.Kind(core.EntityInputSet), At: at, Pipeline: "deploy", Identifier: "friday"})
		if !ok {
			return fault.New(fault.NotFound, "there is no input set")
		}
		plan, diags := compile.Compile(compile.Source{File: "pipeline.yaml", Data: []byte(p.YAML)},
			compile.Options{Scope: at, Library: shelves.Find, InputSets: []compile.Source{set}})
		if plan == nil || diags.Blocks() {
			return fault.New(fault.Invalid, "%s", diags)
		}
		return shelves.Err()
	})
}
