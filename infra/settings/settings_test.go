package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// built makes a folder of functions that are no programs.
func built(t *testing.T, functions ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range functions {
		if err := os.MkdirAll(filepath.Join(dir, f), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f, "bootstrap"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDefaults(t *testing.T) {
	code := built(t, Functions...)
	got, err := Parse(map[string]any{"code": code, "@aws-cdk/core:flag": true, "aws:cdk:bundling-stacks": []any{"**"}, "domain": ""})
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{Name: "slipway", Version: "dev", Definitions: "../statemachines", Code: code, Arch: "arm64",
		RetentionDays: 30, LogLevel: "info", Tracing: true, Dashboard: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestZoneName(t *testing.T) {
	got, err := Parse(map[string]any{"code": built(t, Functions...), "domain": "cd.eu.example.com", "zone": "Z0123456789ABC"})
	if err != nil || got.ZoneName != "eu.example.com" {
		t.Errorf("%q, %v", got.ZoneName, err)
	}
}

func TestRefused(t *testing.T) {
	code := built(t, Functions...)
	const certificate = "arn:aws:acm:eu-central-1:111122223333:certificate/abc"
	tests := map[string]struct {
		context map[string]any
		says    string
	}{
		"unknown":                {map[string]any{"regoin": "x"}, "regoin: there is no such parameter; there are accountId, alarmEmail, arch"},
		"name too long":          {map[string]any{"name": strings.Repeat("a", 21)}, "must be 2 to 20 lower-case"},
		"name in capitals":       {map[string]any{"name": "Slipway"}, "must be 2 to 20 lower-case"},
		"name ends in a hyphen":  {map[string]any{"name": "cd-"}, "must be 2 to 20 lower-case"},
		"region":                 {map[string]any{"region": "Frankfurt"}, "such as eu-central-1"},
		"arch":                   {map[string]any{"arch": "arm"}, "must be one of arm64, x86_64"},
		"url with a slash":       {map[string]any{"url": "https://x/"}, "no slash at the end"},
		"domain alone":           {map[string]any{"domain": "cd.example.com"}, "domain: give its certificate"},
		"certificate alone":      {map[string]any{"certificate": certificate}, "give domain"},
		"certificate and zone":   {map[string]any{"domain": "cd.example.com", "certificate": certificate, "zone": "Z0123456789ABC"}, "certificate and zone: give one"},
		"domain and url":         {map[string]any{"domain": "cd.example.com", "zone": "Z0123456789ABC", "url": "https://x"}, "domain and url: give one"},
		"domain not in its zone": {map[string]any{"domain": "cd.example.com", "zone": "Z0123456789ABC", "zoneName": "example.org"}, "is not in the zone example.org"},
		"another region's":       {map[string]any{"region": "us-east-1", "domain": "cd.example.com", "certificate": certificate}, "certificate is in eu-central-1, and the stack in us-east-1"},
		"retention":              {map[string]any{"retentionDays": "31"}, "one of 1 3 5 7"},
		"not a number":           {map[string]any{"retentionDays": "a month"}, "must be a whole number"},
		"runs below none":        {map[string]any{"maxRuns": -1}, "must be 0 to 1000"},
		"data gone too soon":     {map[string]any{"dataDays": 309}, "must be 0 or at least 310"},
		"log level":              {map[string]any{"logLevel": "trace"}, "must be one of debug, info, warn, error"},
		"tracing":                {map[string]any{"tracing": "yes"}, "must be true or false"},
		"an alias":               {map[string]any{"kmsKey": "arn:aws:kms:us-east-1:111122223333:alias/x"}, "not of an alias"},
		"mail":                   {map[string]any{"alarmEmail": "ops"}, "an e-mail address"},
		"table without stream":   {map[string]any{"table": "restored"}, "table and tableStream: give both"},
		"another table's stream": {map[string]any{"table": "restored", "tableStream": "arn:aws:dynamodb:us-east-1:111122223333:table/old/stream/2026-11-21T00:00:00.000"}, "is not of the table restored"},
		"code":                   {map[string]any{"code": "nowhere"}, "code: there is no nowhere/api/bootstrap: build the functions with infra/build"},
		"half built":             {map[string]any{"code": built(t, "api", "catalogue", "authorizer", "delegate", "advance", "relay")}, "approve/bootstrap"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.context["code"] == nil {
				tc.context["code"] = code
			}
			if _, err := Parse(tc.context); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("it says %v, not %q", err, tc.says)
			}
		})
	}
}

// TestAllAtOnce: a person mends everything in one go.
func TestAllAtOnce(t *testing.T) {
	_, err := Parse(map[string]any{"code": built(t, Functions...), "arch": "mips", "tracing": "1"})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Error(err)
	}
}

func TestHelp(t *testing.T) {
	for _, k := range Keys() {
		if Help(k) == "" {
			t.Errorf("%s is not explained", k)
		}
	}
}

// TestPage holds the guide's table of parameters complete.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "aws.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys() {
		if !strings.Contains(string(page), "`"+k+"`") {
			t.Errorf("docs/guide/aws.md does not know %s", k)
		}
	}
}
