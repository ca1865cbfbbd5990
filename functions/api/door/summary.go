package door

import (
	"maps"
	"slices"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/view"
)

// executionSummary is Harness's PipelineExecutionSummary.
type executionSummary struct {
	Pipeline    string                `json:"pipelineIdentifier"`
	Org         string                `json:"orgIdentifier"`
	Project     string                `json:"projectIdentifier"`
	ID          string                `json:"planExecutionId"`
	Name        string                `json:"name"`
	YAMLVersion string                `json:"yamlVersion"`
	Status      string                `json:"status"`
	Tags        []request.Tag         `json:"tags"`
	Labels      []request.Tag         `json:"labels"`
	Trigger     triggerInfo           `json:"executionTriggerInfo"`
	Error       *errorInfo            `json:"executionErrorInfo"`
	Governance  request.Governance    `json:"governanceMetadata"`
	Failure     *failureInfo          `json:"failureInfo"`
	ModuleInfo  map[string]any        `json:"moduleInfo"`
	Layout      map[string]layoutNode `json:"layoutNodeMap"`
	Modules     []string              `json:"modules"`
	Starting    string                `json:"startingNodeId"`
	Startings   []string              `json:"startingNodeIds"`
	StartTs     int64                 `json:"startTs"`
	EndTs       *int64                `json:"endTs"`
	CreatedAt   int64                 `json:"createdAt"`
	CanRetry    bool                  `json:"canRetry"`
	CanRerun    bool                  `json:"canReExecute"`
	RunSequence int64                 `json:"runSequence"`
	Succeeded   int                   `json:"successfulStagesCount"`
	Running     int                   `json:"runningStagesCount"`
	Failed      int                   `json:"failedStagesCount"`
	Total       int                   `json:"totalStagesCount"`
	StoreType   string                `json:"storeType"`
	Mode        string                `json:"executionMode"`
	Parent      *parentStage          `json:"parentStageInfo,omitempty"` // of a run that a stage has started
}

type triggerInfo struct {
	Type    string      `json:"triggerType"`
	By      triggeredBy `json:"triggeredBy"`
	IsRerun bool        `json:"isRerun"`
}

type triggeredBy struct {
	UUID       string            `json:"uuid"`
	Identifier string            `json:"identifier"`
	Extra      map[string]string `json:"extraInfo"`
}

type errorInfo struct {
	Message string `json:"message"`
}

type failureInfo struct {
	Message  string   `json:"message"`
	Types    []string `json:"failureTypeList"`
	Messages []string `json:"responseMessages"` // always empty
}

// layoutNode is Harness's GraphLayoutNode: a stage, or a block of parallel ones.
type layoutNode struct {
	Type       string         `json:"nodeType"`
	Group      string         `json:"nodeGroup"` // STAGE
	Identifier string         `json:"nodeIdentifier"`
	Name       string         `json:"name"`
	UUID       string         `json:"nodeUuid"`
	Execution  string         `json:"nodeExecutionId"`
	Status     string         `json:"status"`
	Module     string         `json:"module"`
	ModuleInfo map[string]any `json:"moduleInfo"`
	StartTs    *int64         `json:"startTs"`
	EndTs      *int64         `json:"endTs"`
	Edges      edges          `json:"edgeLayoutList"`
	Failure    *errorInfo     `json:"failureInfo"`
	FailureDTO *failureInfo   `json:"failureInfoDTO"`
	Hidden     bool           `json:"hidden"`
}

type edges struct {
	Children []string `json:"currentNodeChildren"`
	Next     []string `json:"nextIds"`
}

// pipelineFQN is the root of every node's path.
const pipelineFQN = "pipeline"

func summarize(r view.Run) executionSummary {
	s := executionSummary{Pipeline: r.Pipeline, Org: r.Scope.Org, Project: r.Scope.Project, ID: r.ID, Name: r.Name, YAMLVersion: "0",
		Status: r.Status, Tags: []request.Tag{}, Labels: []request.Tag{}, Governance: request.NoPolicies(), Modules: []string{"cd"}, ModuleInfo: map[string]any{},
		Layout: map[string]layoutNode{}, Startings: []string{}, StartTs: r.Started, CreatedAt: r.Started, EndTs: moment(r.Finished),
		RunSequence: r.Sequence, StoreType: "INLINE", Mode: "NORMAL", Failure: failed(r.Failure),
		Trigger: triggerInfo{Type: r.Trigger, By: triggeredBy{UUID: r.By.ID, Identifier: r.By.Name, Extra: map[string]string{"email": r.By.Email}}}}
	s.Parent = parentOf(r)
	if r.Failure != nil {
		s.Error = &errorInfo{r.Failure.Message}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Tags)) {
		s.Tags = append(s.Tags, request.Tag{Key: k, Value: r.Tags[k]})
	}
	t := treeOf(r)
	s.layout(t, t.children[pipelineFQN], true)
	if first := t.children[pipelineFQN]; len(first) > 0 {
		s.Starting, s.Startings = first[0].ID, []string{first[0].ID}
	}
	return s
}

// layout adds stages: one after the other, or side by side.
func (s *executionSummary) layout(t tree, nodes []view.Node, serial bool) {
	for i, n := range nodes {
		l := layoutNode{Type: n.Type, Group: "STAGE", Identifier: n.Identifier, Name: n.Name, UUID: n.ID, Execution: n.ID, Status: n.Status,
			Module: "cd", ModuleInfo: map[string]any{}, StartTs: moment(n.Started), EndTs: moment(n.Finished),
			Edges: edges{Children: []string{}, Next: []string{}}, FailureDTO: failed(n.Failure)}
		if n.Failure != nil {
			l.Failure = &errorInfo{n.Failure.Message}
		}
		if serial && i+1 < len(nodes) {
			l.Edges.Next = []string{nodes[i+1].ID}
		}
		if n.Kind == core.KindParallel {
			l.Type, l.Identifier = "parallel", "parallel"+n.ID
			l.Edges.Children = idsOf(t.children[n.FQN])
			s.layout(t, t.children[n.FQN], false)
		} else {
			s.count(n)
		}
		s.Layout[n.ID] = l
	}
}

func (s *executionSummary) count(stage view.Node) {
	s.Total++
	switch {
	case stage.Status == core.Succeeded.API() || stage.Status == core.IgnoreFailed.API():
		s.Succeeded++
	case stage.Failure != nil:
		s.Failed++
	case stage.Started != 0 && stage.Finished == 0:
		s.Running++
	}
}

// moment is a time as JSON has it, null for none.
func moment(ms int64) *int64 {
	if ms == 0 {
		return nil
	}
	return &ms
}

func failed(f *core.Failure) *failureInfo {
	if f == nil {
		return nil
	}
	return &failureInfo{Message: f.Message, Types: append([]string{}, f.Types...), Messages: []string{}}
}

// tree is a run's nodes by their parent's FQN, in plan order.
type tree struct{ children map[string][]view.Node }

func treeOf(r view.Run) tree {
	t := tree{map[string][]view.Node{}}
	for _, n := range r.Nodes {
		t.children[n.Parent] = append(t.children[n.Parent], n)
	}
	return t
}

func idsOf(nodes []view.Node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	return ids
}
