package door

import (
	"cmp"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/view"
)

// parentStage is Harness's PipelineStageInfo: the stage that has started a run.
type parentStage struct {
	Has       bool   `json:"hasParentPipeline"`
	StageNode string `json:"stageNodeId"`
	Execution string `json:"executionId"`
	Pipeline  string `json:"identifier"`
	Org       string `json:"orgId"`
	Project   string `json:"projectId"`
	Sequence  int64  `json:"runSequence"`
}

func parentOf(r view.Run) *parentStage {
	p := r.Parent
	if p == nil {
		return nil
	}
	return &parentStage{Has: true, StageNode: engine.NodeExecutionID(p.Run, p.Node), Execution: p.Run, Pipeline: p.Pipeline,
		Org: p.Scope.Org, Project: p.Scope.Project, Sequence: p.Sequence}
}

// childDetail is Harness's ChildExecutionDetail: the run that a stage has started.
type childDetail struct {
	Summary executionSummary `json:"pipelineExecutionSummary"`
	Graph   executionGraph   `json:"executionGraph"`
}

// childOf is the run of the stage that is asked for, nil when it runs no pipeline.
func (d *door) childOf(c *request.Call, r view.Run) (*childDetail, error) {
	id := cmp.Or(c.Q.Get("stageNodeExecutionId"), c.Q.Get("stageNodeId"))
	for _, n := range r.Nodes {
		if id == "" || n.ID != id || n.Chained == nil || n.Chained.Run == "" {
			continue
		}
		run, err := d.Views.Run(c.Ctx, c.Who.Account, n.Chained.Run)
		if err != nil {
			return nil, err
		}
		return &childDetail{summarize(run), graphOf(run)}, nil
	}
	return nil, nil
}
