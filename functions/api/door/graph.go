package door

import (
	"fmt"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/engine"
	"github.com/slipway-cd/slipway/shared/view"
)

// executionGraph is Harness's ExecutionGraph: a node's children are its first
// child and those that follow it by nextIds; a fork's are all its branches.
type executionGraph struct {
	Root     string               `json:"rootNodeId"`
	Nodes    map[string]graphNode `json:"nodeMap"`
	Adjacent map[string]adjacency `json:"nodeAdjacencyListMap"`
	Metadata map[string]string    `json:"executionMetadata"`
	Strategy string               `json:"representationStrategy"`
}

type adjacency struct {
	Children []string `json:"children"`
	Next     []string `json:"nextIds"`
}

// graphNode is Harness's ExecutionNode.
type graphNode struct {
	UUID       string         `json:"uuid"`
	SetupID    string         `json:"setupId"`
	Name       string         `json:"name"`
	Identifier string         `json:"identifier"`
	FQN        string         `json:"baseFqn"`
	Outcomes   map[string]any `json:"outcomes"`
	Parameters map[string]any `json:"stepParameters"`
	CreatedAt  *int64         `json:"createdAt"`
	StartTs    *int64         `json:"startTs"`
	EndTs      *int64         `json:"endTs"`
	Type       string         `json:"stepType"`
	Status     string         `json:"status"`
	Failure    *failureInfo   `json:"failureInfo"`
	Responses  []any          `json:"executableResponses"`
	Progress   []any          `json:"unitProgresses"` // always empty
	Delegates  []delegateInfo `json:"delegateInfoList"`
	Interrupts []any          `json:"interruptHistories"` // always empty
	Details    map[string]any `json:"stepDetails"`
	Input      bool           `json:"executionInputConfigured"`
	LogKey     string         `json:"logBaseKey"`
}

type delegateInfo struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	TaskID   string `json:"taskId"`
	TaskName string `json:"taskName"`
}

func graphOf(r view.Run) executionGraph {
	root := view.Node{ID: engine.NodeExecutionID(r.ID, pipelineFQN), FQN: pipelineFQN, Kind: core.KindPipeline, Identifier: pipelineFQN,
		Name: "Pipeline", Status: r.Status, Started: r.Started, Finished: r.Finished, Failure: r.Failure}
	g := executionGraph{Root: root.ID, Nodes: map[string]graphNode{}, Adjacent: map[string]adjacency{}, Strategy: "camelCase",
		Metadata: map[string]string{"accountId": r.Scope.Account, "orgIdentifier": r.Scope.Org, "projectIdentifier": r.Scope.Project,
			"pipelineIdentifier": r.Pipeline, "planExecutionId": r.ID}}
	g.add(r, treeOf(r), root, []string{})
	return g
}

// add adds a node and all below it. next is who follows it.
func (g *executionGraph) add(r view.Run, t tree, n view.Node, next []string) {
	below := t.children[n.FQN]
	a := adjacency{Children: idsOf(below), Next: next}
	if n.Kind != core.KindParallel && len(below) > 1 {
		a.Children = a.Children[:1]
	}
	g.Nodes[n.ID], g.Adjacent[n.ID] = graphNodeOf(r, n), a
	for i, c := range below {
		follows := []string{}
		if n.Kind != core.KindParallel && i+1 < len(below) {
			follows = []string{below[i+1].ID}
		}
		g.add(r, t, c, follows)
	}
}

func graphNodeOf(r view.Run, n view.Node) graphNode {
	g := graphNode{UUID: n.ID, SetupID: n.ID, Name: n.Name, Identifier: n.Identifier, FQN: n.FQN, Type: stepType(n), Status: n.Status,
		Outcomes: map[string]any{}, Parameters: map[string]any{}, Details: map[string]any{}, Responses: []any{}, Progress: []any{},
		Delegates: []delegateInfo{}, Interrupts: []any{}, Failure: failed(n.Failure), LogKey: logKey(r, n),
		CreatedAt: moment(n.Started), StartTs: moment(n.Started), EndTs: moment(n.Finished)}
	if len(n.Outputs) > 0 {
		g.Outcomes["output"] = n.Outputs
	}
	if n.OutputsAt != "" {
		g.Outcomes["outputsAt"] = n.OutputsAt
	}
	if n.Chained != nil && n.Chained.Run != "" {
		g.Details["childPipelineExecutionDetails"] = map[string]string{"planExecutionId": n.Chained.Run, "orgId": n.Chained.Scope.Org, "projectId": n.Chained.Scope.Project}
	}
	if n.Approval != "" {
		g.Responses = append(g.Responses, map[string]any{"async": map[string]any{
			"callbackIds": []string{n.Approval}, "logKeys": []string{}, "units": []string{}}})
	}
	if n.Task == "" {
		return g
	}
	g.Responses = append(g.Responses, map[string]any{"task": map[string]any{"taskId": n.Task, "taskName": n.Type,
		"taskCategory": "DELEGATE_TASK_V2", "logKeys": []string{g.LogKey + "-commandUnit:Execute"}, "units": []string{"Execute"}}})
	if n.Delegate != "" {
		g.Delegates = append(g.Delegates, delegateInfo{ID: n.Delegate, Name: n.Delegate, TaskID: n.Task, TaskName: n.Type})
	}
	return g
}

// stepType is what Harness's graph calls a node.
func stepType(n view.Node) string {
	switch n.Kind {
	case core.KindPipeline:
		return "PIPELINE_SECTION"
	case core.KindStage:
		return strings.ToUpper(n.Type) + "_STAGE"
	case core.KindParallel:
		return "NG_FORK"
	case core.KindGroup:
		return "STEP_GROUP"
	case core.KindStep:
	}
	return n.Type
}

// logKey is the form of Harness's log keys (BEHAVIOUR §14.10). The lines are
// served by /slipway/v1/runs/RUN/logs/TASK.
func logKey(r view.Run, n view.Node) string {
	key := fmt.Sprintf("%s/pipeline/%s/%d/-%s", r.Scope.Account, r.Pipeline, r.Sequence, r.ID)
	for i, level := range strings.Split(n.FQN, ".") {
		key += fmt.Sprintf("/level%d:%s", i, level)
	}
	return key
}
