package ng

import (
	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
)

// pipelineFilter is what of Harness's PipelineFilterProperties is understood.
type pipelineFilter struct {
	Tags        []request.Tag `json:"pipelineTags"`
	Identifiers []string      `json:"pipelineIdentifiers"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Own         any           `json:"tags"` // of a saved filter itself, not looked at
	term        string
}

func (d pipelines) readPipelineFilter(c *request.Call) (pipelineFilter, error) {
	f := pipelineFilter{term: c.Q.Get("searchTerm")}
	if c.Q.Get("filterIdentifier") != "" {
		_, err := d.filterOf(c, "PipelineSetup", &f)
		return f, err
	}
	err := c.Filter("PipelineSetup", &f, "moduleProperties", "repoName")
	return f, err
}

// ask puts the filter into a query.
func (f pipelineFilter) ask(q *entity.Query) {
	q.Search, q.Identifiers = f.term, f.Identifiers
	if f.Name != "" || f.Description != "" || len(f.Tags) > 0 {
		q.Passes = func(p core.EntityRow) bool {
			return request.Holds(p.Name, f.Name) && request.Holds(p.Description, f.Description) && request.Tagged(p.Tags, f.Tags)
		}
	}
}
