package stack

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/slipway-cd/slipway/infra/settings"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
	code := m.Run()
	jsii.Close()
	os.Exit(code)
}

// everything is a value for each parameter; with them the stack has all it can have.
var everything = map[string]any{
	"name": "acme-cd", "accountId": "kmpySmUISimoRrJL6NL73w", "region": "eu-central-1", "version": "v1.2.3", "arch": "x86_64",
	"domain": "cd.example.com", "zone": "Z0123456789ABC", "retentionDays": "365", "dataDays": "400", "logLevel": "debug",
	"tracing": "false", "kmsKey": "arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555",
	"alarmEmail": "ops@example.com", "dashboard": "false", "destroyData": "true",
}

// template is a synthesised stack whose joins and references have become text:
// "arn:${AWS::Partition}:sqs:…", "${TableCD117FA1.Arn}".
type template struct {
	Resources map[string]resource
	Outputs   map[string]map[string]any
}

type resource struct {
	Type           string
	Properties     map[string]any
	DependsOn      any    `json:",omitempty"`
	DeletionPolicy string `json:",omitempty"`
}

var made = map[string][]byte{} // what synth has made, by parameters

// synth synthesises the stack with functions that are no programs.
func synth(t *testing.T, context map[string]any) template {
	t.Helper()
	key := fmt.Sprint(context)
	if made[key] == nil {
		made[key] = raw(t, context)
	}
	var all struct {
		Resources, Outputs map[string]map[string]any
	}
	if err := json.Unmarshal(made[key], &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Resources {
		delete(r, "Metadata")
	}
	flat, err := json.Marshal(flatten(map[string]any{"Resources": anyMap(all.Resources), "Outputs": anyMap(all.Outputs)}))
	if err != nil {
		t.Fatal(err)
	}
	var out template
	if err := json.Unmarshal(flat, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func raw(t *testing.T, context map[string]any) []byte {
	t.Helper()
	code := t.TempDir()
	for _, f := range settings.Functions {
		if err := os.MkdirAll(filepath.Join(code, f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(code, f, "bootstrap"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]any{"code": code}
	for k, v := range context {
		all[k] = v
	}
	s, err := settings.Parse(all)
	if err != nil {
		t.Fatal(err)
	}
	s.Definitions = filepath.Join("..", "..", "statemachines")
	out := t.TempDir()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: &out, AnalyticsReporting: jsii.Bool(false), TreeMetadata: jsii.Bool(false)})
	New(app, s)
	app.Synth(nil)
	body, err := os.ReadFile(filepath.Join(out, s.Name+".template.json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func anyMap(m map[string]map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

var hash = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// flatten makes text of what only joins and refers, and of the names of assets.
func flatten(v any) any {
	switch v := v.(type) {
	case string:
		return hash.ReplaceAllString(v, "HASH")
	case []any:
		for i := range v {
			v[i] = flatten(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = flatten(v[k])
		}
		if len(v) == 1 {
			if text, ok := intrinsic(v); ok {
				return text
			}
		}
	}
	return v
}

func intrinsic(v map[string]any) (string, bool) {
	if r, ok := v["Ref"].(string); ok {
		return "${" + r + "}", true
	}
	if at, ok := v["Fn::GetAtt"].([]any); ok {
		return fmt.Sprintf("${%v.%v}", at[0], at[1]), true
	}
	if s, ok := v["Fn::Sub"].(string); ok {
		return s, true
	}
	if get(v, "Fn::Select", "1", "Fn::Split") != nil {
		return fmt.Sprintf("${part %v of %v}", get(v, "Fn::Select", "0"), get(v, "Fn::Select", "1", "Fn::Split", "1")), true
	}
	join, ok := v["Fn::Join"].([]any)
	if !ok || join[0] != "" {
		return "", false
	}
	var b strings.Builder
	for _, part := range join[1].([]any) {
		text, ok := part.(string)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// get follows keys through maps and lists ("0" is a list's first); nil when there
// is nothing.
func get(v any, path ...string) any {
	for _, key := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// at is get within a resource's properties, as text.
func (r resource) at(path ...string) string {
	v := get(map[string]any(r.Properties), path...)
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// list makes a list of what CloudFormation writes as one or many.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

func texts(v any) (out []string) {
	for _, x := range list(v) {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

// all returns the resources of a type, by logical id.
func (t template) all(kind string) map[string]resource {
	out := map[string]resource{}
	for id, r := range t.Resources {
		if r.Type == kind {
			out[id] = r
		}
	}
	return out
}
