package door_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shape is what Harness documents of a body: fields with their JSON types.
type shape struct {
	required []string
	fields   map[string]field
}

type field struct {
	kind string   // string, integer, boolean, array, object or obj
	enum []string // nil when there is none, or the digest cuts it
}

var (
	fieldLine = regexp.MustCompile("^- `([^`]+)`: (\\w+)(?:; enum: ([^;]*))?")
	mayBe     = map[string]string{"obj": "object"}
)

// maxEnum is how many values the digest lists of an enum before it cuts.
const maxEnum = 12

// documented reads the digest of Harness's schemas, which lies beside a
// developer's checkout; the test is skipped elsewhere.
func documented(t *testing.T) map[string]shape {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "schema", "entity_schemas.md"))
	if err != nil {
		t.Skip("the schemas are not here")
	}
	defer func() { _ = file.Close() }()
	shapes, name := map[string]shape{}, ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if title, ok := strings.CutPrefix(line, "## "); ok {
			name = title
			shapes[name] = shape{fields: map[string]field{}}
		}
		s := shapes[name]
		if list, ok := strings.CutPrefix(line, "- required: "); ok {
			s.required = strings.Split(list, ", ")
			shapes[name] = s
		}
		if m := fieldLine.FindStringSubmatch(line); m != nil {
			f := field{kind: m[2]}
			if k, ok := mayBe[f.kind]; ok {
				f.kind = k
			}
			if e := strings.Split(m[3], ", "); m[3] != "" && len(e) < maxEnum {
				f.enum = e
			}
			s.fields[m[1]] = f
		}
	}
	return shapes
}

// inside says of which shape values in a field are; "*" stands for every key of a
// map or item of a list.
var inside = map[string]string{
	"PipelineExecutionDetail.pipelineExecutionSummary": "PipelineExecutionSummary",
	"PipelineExecutionDetail.executionGraph":           "ExecutionGraph",
	"ExecutionGraph.nodeMap.*":                         "ExecutionNode",
	"ExecutionGraph.nodeAdjacencyListMap.*":            "ExecutionNodeAdjacencyList",
	"ExecutionNode.executableResponses.*":              "ExecutableResponse",
	"ExecutionNode.delegateInfoList.*":                 "DelegateInfo",
	"PipelineExecutionSummary.executionTriggerInfo":    "ExecutionTriggerInfo",
	"PipelineExecutionSummary.executionErrorInfo":      "ExecutionErrorInfo",
	"ExecutionTriggerInfo.triggeredBy":                 "TriggeredBy",
	"PagePipelineExecutionSummary.content.*":           "PipelineExecutionSummary",
	"PagePMSPipelineSummaryResponse.content.*":         "PMSPipelineSummaryResponse",
	"PlanExecutionResponse.planExecution":              "PlanExecution",
	"HarnessApprovalInstanceDetails.approvers":         "Approvers",
	"List.*": "",
}

// conform reports where a value differs from a shape: a required field missing, a
// field nobody documents, another type, a value out of an enum.
func conform(shapes map[string]shape, name string, v any, at string) []string {
	s, ok := shapes[name]
	m, isMap := v.(map[string]any)
	if !ok || !isMap {
		return nil
	}
	var bad []string
	for _, r := range s.required {
		if m[r] == nil {
			bad = append(bad, at+"."+r+" is required")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		f, known := s.fields[key]
		here := at + "." + key
		if !known {
			if len(s.fields) > 0 {
				bad = append(bad, here+" is not documented")
			}
			continue
		}
		if kind := kindOf(m[key]); kind != "null" && kind != f.kind {
			bad = append(bad, here+" is "+kind+", not "+f.kind)
		}
		if text, is := m[key].(string); is && f.enum != nil && !slices.Contains(f.enum, text) {
			bad = append(bad, here+" is "+text)
		}
		bad = append(bad, conform(shapes, inside[name+"."+key], m[key], here)...)
		for _, x := range children(m[key]) {
			bad = append(bad, conform(shapes, inside[name+"."+key+".*"], x, here+".*")...)
		}
	}
	return bad
}

func children(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		return slices.Collect(maps.Values(v))
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// TestAnswersAreAsDocumented compares the golden answers with Harness's schemas.
func TestAnswersAreAsDocumented(t *testing.T) {
	shapes := documented(t)
	tests := map[string]struct {
		file, shape string
		path        []string // into the body
	}{
		"save":         {"ng-create.json", "PipelineSaveResponse", []string{"data"}},
		"envelope":     {"ng-create.json", "ResponseDTOPipelineSaveResponse", nil},
		"get":          {"ng-get.json", "PMSPipelineResponse", []string{"data"}},
		"list":         {"ng-list.json", "PagePMSPipelineSummaryResponse", []string{"data"}},
		"execute":      {"ng-execute.json", "PlanExecutionResponse", []string{"data"}},
		"execution":    {"ng-execution.json", "PipelineExecutionDetail", []string{"data"}},
		"waiting":      {"ng-waiting.json", "PipelineExecutionDetail", []string{"data"}},
		"summary":      {"ng-summary.json", "PagePipelineExecutionSummary", []string{"data"}},
		"interrupt":    {"ng-interrupt.json", "InterruptResponse", []string{"data"}},
		"approval":     {"ng-approved.json", "ApprovalInstanceResponse", []string{"data"}},
		"problem":      {"ng-missing.json", "PipelineError", nil},
		"v1 create":    {"v1-create.json", "PipelineCreateResponseBody", nil},
		"v1 get":       {"v1-get.json", "PipelineGetResponseBody", nil},
		"v1 list":      {"v1-list.json", "PipelineListResponseBody", []string{"*"}},
		"v1 execute":   {"v1-execute.json", "PipelineExecuteResponseBody", nil},
		"v1 executed":  {"v1-execute.json", "ExecutionDetails", []string{"execution_details"}},
		"v1 approvals": {"v1-approvals.json", "ApprovalInstanceResponseBody", []string{"*"}},
		"v1 rejected":  {"v1-rejected.json", "ApprovalInstanceResponseBody", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", tc.file))
			if err != nil {
				t.Fatal(err)
			}
			var answer struct{ Body any }
			if err := json.Unmarshal(raw, &answer); err != nil {
				t.Fatal(err)
			}
			values := []any{answer.Body}
			for _, p := range tc.path {
				if p == "*" {
					values = children(values[0])
				} else {
					values = []any{values[0].(map[string]any)[p]}
				}
			}
			if len(values) == 0 || values[0] == nil {
				t.Fatal("the answer holds nothing")
			}
			for _, v := range values {
				for _, bad := range conform(shapes, tc.shape, v, tc.shape) {
					t.Error(bad)
				}
			}
		})
	}
}

// TestConformCanFail makes sure that the comparison sees what it is for.
func TestConformCanFail(t *testing.T) {
	shapes := map[string]shape{"S": {required: []string{"a"}, fields: map[string]field{"a": {kind: "string", enum: []string{"x"}}, "n": {kind: "integer"}}}}
	for text, want := range map[string]int{`{"a":"x","n":1}`: 0, `{"n":1}`: 1, `{"a":"y"}`: 1, `{"a":"x","b":1}`: 1, `{"a":"x","n":"1"}`: 1, `{"a":"x","n":null}`: 0} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if bad := conform(shapes, "S", v, "S"); len(bad) != want {
			t.Error(text, bad)
		}
	}
}
