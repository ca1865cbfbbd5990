package platform

import (
	"fmt"
	"net/http"
)

// routes puts every door behind one port.
func (p *Platform) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /metrics", p.metrics)
	return mux
}

// metrics shows a few numbers in the text form of Prometheus.
func (p *Platform) metrics(w http.ResponseWriter, _ *http.Request) {
	s := p.adapters.file.Stats()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE slipway_store_commits_total counter\nslipway_store_commits_total %d\n", s.Commits)
}
