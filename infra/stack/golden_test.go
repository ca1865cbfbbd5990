package stack

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden templates")

// TestGolden shows in review what a change does to the stack: `make test-infra
// UPDATE=-update` writes the templates anew.
func TestGolden(t *testing.T) {
	for name, context := range map[string]map[string]any{"default": nil, "everything": everything} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetEscapeHTML(false)
			e.SetIndent("", " ")
			if err := e.Encode(synth(t, context)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
				t.Errorf("the template has changed (-was +is); when that is meant: make test-infra UPDATE=-update\n%s", diff)
			}
		})
	}
}

// TestRestoredTable: it takes the place of the stack's own, which stays where it is.
func TestRestoredTable(t *testing.T) {
	const stream = "arn:aws:dynamodb:us-east-1:111122223333:table/restored/stream/2026-11-21T00:00:00.000"
	got := synth(t, map[string]any{"region": "us-east-1", "table": "restored", "tableStream": stream})
	if n := len(got.all("AWS::DynamoDB::Table")); n != 0 {
		t.Errorf("the stack makes %d tables", n)
	}
	if r := got.Resources["RelayMapping"]; r.at("EventSourceArn") != stream {
		t.Errorf("the relay reads %s", r.at("EventSourceArn"))
	}
	role := got.Resources[named(got, "AWS::IAM::Role", "AuthorizerRole")]
	if text := fmt.Sprint(statements(role)); !strings.Contains(text, ":table/restored") {
		t.Errorf("the authorizer may %s", text)
	}
}

// TestRefusals holds API Gateway's own answers to the shape of the doors'.
func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		text := strings.ReplaceAll(r.envelope(), "$context.error.messageString", `"words"`)
		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s is not JSON: %v: %s", r.kind, err, text)
			continue
		}
		for _, key := range []string{"status", "code", "message", "correlationId", "detailedMessage", "responseMessages", "metadata"} {
			if _, ok := got[key]; !ok {
				t.Errorf("%s has no %s", r.kind, key)
			}
		}
		if got["status"] != "ERROR" || get(got, "responseMessages", "0", "message") != got["message"] {
			t.Errorf("%s: %s", r.kind, text)
		}
	}
}
