package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/journal"
)

const (
	appliedDocuments = 1_000
	keptEntities     = 100_000 // with -catalogue; it takes minutes to fill
	fewEntities      = 2_000   // in the whole table
	reads            = 500
)

// caller calls a platform over HTTP, as its clients do.
type caller struct {
	*platform.Platform
	client *http.Client
}

func (c caller) do(ctx context.Context, method, path, body string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL()+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("x-api-key", c.AdminToken())
	begin := time.Now()
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	took := time.Since(begin)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	return took, err
}

// times repeats a call and returns how long each took, in order of length.
func times(n int, call func(i int) (time.Duration, error)) ([]time.Duration, error) {
	out := make([]time.Duration, n)
	for i := range out {
		var err error
		if out[i], err = call(i); err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

// manyEntities measures the catalogue with as many entities as the docs promise.
func manyEntities(ctx context.Context, dir string) error { return catalogue(ctx, dir, keptEntities) }

// catalogue measures what keeping and finding documents takes, with kept services in a
// project.
func catalogue(ctx context.Context, dir string, kept int) (err error) {
	p, err := platform.Start(ctx, platform.Config{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, p.Close(ctx)) }()
	c := caller{p, &http.Client{}}
	defer c.client.CloseIdleConnections()

	begin := time.Now()
	for i := range appliedDocuments {
		text := fmt.Sprintf("service:\n  name: Web %[1]d\n  identifier: applied%[1]d\n  serviceDefinition:\n    type: Kubernetes\n    spec: {variables: [{name: a, type: String, value: b}]}\n", i)
		if _, err := c.do(ctx, http.MethodPut, "/slipway/v1/entities?org=default&project=default", text); err != nil {
			return err
		}
	}
	row(fmt.Sprintf("apply: %d documents over HTTP", appliedDocuments), "wall", time.Since(begin).Round(time.Millisecond).String(), "5 s")

	store := entity.NewCatalogue(journal.New(p.Ports()).Ports())
	at := core.Scope{Account: core.DefaultAccount, Org: core.DefaultOrg, Project: core.DefaultProject}
	for i := appliedDocuments; i < kept; i++ {
		e := core.Entity{EntityRef: core.EntityRef{Kind: core.EntityService, Scope: at, Identifier: fmt.Sprintf("kept%06d", i)}, Name: fmt.Sprintf("Service %d", i),
			Tags: map[string]string{"team": fmt.Sprint(i % 50)}, YAML: "service: {}\n"}
		if _, err := store.Create(ctx, e, entity.Change{By: "bench"}); err != nil {
			return err
		}
	}
	const in = "accountIdentifier=default&orgIdentifier=default&projectIdentifier=default"
	for _, m := range []struct{ what, path, aim string }{
		{"get: one service over HTTP", "/ng/api/servicesV2/applied7?" + in, "1 ms"},
		{"list: a page of 50", "/slipway/v1/entities/service?org=default&project=default&limit=50&page=3", "5 ms"},
		{"list: a page of 50 with documents, by name", "/ng/api/servicesV2?" + in + "&page=3&size=50&sort=name,ASC", "5 ms"},
		{"list: a search", "/ng/api/servicesV2?" + in + "&size=50&searchTerm=applied77", ""},
	} {
		took, err := times(reads, func(int) (time.Duration, error) { return c.do(ctx, http.MethodGet, m.path, "") })
		if err != nil {
			return err
		}
		row(fmt.Sprintf("%s (of %d)", m.what, kept), "p50, p99", took[len(took)/2].Round(10*time.Microsecond).String()+", "+took[len(took)*99/100].Round(10*time.Microsecond).String(), m.aim)
	}
	return nil
}
