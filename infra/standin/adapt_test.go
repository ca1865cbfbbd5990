package standin

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdapt(t *testing.T) {
	const template = `{
		"Parameters": {"BootstrapVersion": {"Type": "AWS::SSM::Parameter::Value<String>"}},
		"Rules": {"CheckBootstrapVersion": {}},
		"Resources": {
			"Tokens": {"Type": "AWS::ApiGateway::Authorizer"},
			"Dashboard": {"Type": "AWS::CloudWatch::Dashboard"},
			"Closed": {"Type": "AWS::ApiGateway::Method", "DependsOn": ["Tokens", "Api"],
				"Properties": {"AuthorizationType": "CUSTOM", "AuthorizerId": {"Ref": "Tokens"}}},
			"Open": {"Type": "AWS::ApiGateway::Method", "DependsOn": "Tokens", "Properties": {"AuthorizationType": "NONE"}},
			"MayAsk": {"Type": "AWS::Lambda::Permission", "Properties": {"SourceArn": {"Fn::Join": ["", ["arn:", {"Ref": "Tokens"}]]}}},
			"MayCall": {"Type": "AWS::Lambda::Permission", "Properties": {"SourceArn": {"Ref": "Api"}}},
			"Api": {"Type": "AWS::Lambda::Function", "Properties": {"URL": "http://endpoint.invalid/x"}}
		}}`
	const want = `{
		"Parameters": {},
		"Resources": {
			"Closed": {"Type": "AWS::ApiGateway::Method", "DependsOn": ["Api"], "Properties": {"AuthorizationType": "NONE"}},
			"Open": {"Type": "AWS::ApiGateway::Method", "Properties": {"AuthorizationType": "NONE"}},
			"MayCall": {"Type": "AWS::Lambda::Permission", "Properties": {"SourceArn": {"Ref": "Api"}}},
			"Api": {"Type": "AWS::Lambda::Function", "Properties": {"URL": "http://127.0.0.1:4566/x"}}
		}}`
	got, err := Adapt([]byte(template), "http://127.0.0.1:4566")
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Error(diff)
	}
}

// TestAdaptRefuses what would leave a hole.
func TestAdaptRefuses(t *testing.T) {
	_, err := Adapt([]byte(`{"Resources": {
		"D": {"Type": "AWS::CloudWatch::Dashboard"},
		"O": {"Type": "AWS::SSM::Parameter", "Properties": {"Value": {"Fn::GetAtt": ["D", "Name"]}}}}}`), "http://x")
	if err == nil || !strings.Contains(err.Error(), "O refers to") {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"s.template.json": `{}`,
		"s.assets.json": `{"files": {"1": {"source": {"path": "s.template.json", "packaging": "file"}},
			"2": {"source": {"path": "asset.2", "packaging": "zip"}, "destinations": {"here": {"bucketName": "b-${AWS::Region}", "objectKey": "2.zip"}}}}}`,
		"asset.2/bootstrap": "#!",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := read(dir)
	if err != nil || a.name != "s" || len(a.assets) != 1 {
		t.Fatalf("%+v %v", a, err)
	}
	body, err := a.assets[0].content()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 1 || z.File[0].Name != "bootstrap" || z.File[0].Mode().Perm() != 0o755 {
		t.Errorf("%v", z.File)
	}
	if _, err := read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "infra/localstack prepare") {
		t.Error(err)
	}
}
