package platform

import (
	"fmt"
	"net/http"

	api "github.com/slipway-cd/slipway/functions/api/door"
	approve "github.com/slipway-cd/slipway/functions/approve/door"
	authorizer "github.com/slipway-cd/slipway/functions/authorizer/door"
	catalogue "github.com/slipway-cd/slipway/functions/catalogue/door"
	delegates "github.com/slipway-cd/slipway/functions/delegate/door"
	"github.com/slipway-cd/slipway/shared/httpio"
	"github.com/slipway-cd/slipway/shared/wire"
)

// routes puts every door behind one port, as API Gateway does: the authorizer
// before all of them but the approval links, which are their own credential.
func (p *Platform) routes() http.Handler {
	authorized := http.NewServeMux()
	a := p.doors["api"]
	runs := a.Meter.HTTP("api", api.New(api.Config{Journal: a.Journal, Launch: a.Launch, Catalogue: a.Catalogue,
		Views: a.Views, Dispatch: a.Dispatch, Govern: a.Govern, Links: a.Links, Meter: a.Meter}))
	c := p.doors["catalogue"]
	kept := c.Meter.HTTP("catalogue", catalogue.New(catalogue.Config{Catalogue: c.Catalogue, Govern: c.Govern, Ports: c.Ports}))
	both := httpio.Routes{}
	for _, pattern := range api.Patterns() {
		both[pattern] = runs
	}
	for _, pattern := range catalogue.Patterns() {
		both[pattern] = kept
	}
	authorized.Handle("/", httpio.Mux(p.plane.Ports.IDs, both))
	d := p.doors["delegate"]
	delegate := d.Meter.HTTP("delegate", delegates.New(d.Dispatch, d.Ports.IDs))
	for _, route := range []string{wire.RouteSync, wire.RouteComplete, wire.RouteLogs} {
		authorized.Handle(route, delegate)
		authorized.Handle("/gateway"+route, delegate)
	}
	mux := http.NewServeMux()
	l := p.doors["approve"]
	links := l.Meter.HTTP("approve", approve.New(approve.Config{Journal: l.Journal, Views: l.Views, Govern: l.Govern, Links: l.Links}))
	mux.Handle("/slipway/v1/approve/", links)
	mux.Handle("/gateway/slipway/v1/approve/", links)
	mux.Handle("/", authorizer.New(p.plane.Govern).Middleware(authorized))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /metrics", p.metrics)
	return httpio.Correlate(p.plane.Ports.IDs, mux)
}

// metrics shows a few numbers in the text form of Prometheus.
func (p *Platform) metrics(w http.ResponseWriter, _ *http.Request) {
	s := p.adapters.file.Stats()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name string
		n    int64
	}{{"commits", s.Commits}, {"writes", s.Writes}, {"sync_microseconds", s.SyncTime.Microseconds()}} {
		fmt.Fprintf(w, "# TYPE slipway_store_%[1]s_total counter\nslipway_store_%[1]s_total %[2]d\n", m.name, m.n)
	}
}
