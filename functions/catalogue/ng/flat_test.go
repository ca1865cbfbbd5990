package ng_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/functions/apitest"
)

// TestFlatSpecs sends each form of a connector's and a secret's spec that Harness's v1
// routes have, reads it back there, and reads from the NG routes the document's spec.
func TestFlatSpecs(t *testing.T) {
	f := apitest.Start(t)
	do := func(method, path, body string) apitest.Response {
		return f.Do(apitest.Request{Method: method, Path: path, Body: body, User: "admin"})
	}
	do("POST", "/ng/api/v2/secrets", sharedSecret).Into(t, 200, nil)
	const on = `"delegate_selectors":["d"],"execute_on_delegate":false`
	const ngOn = `"delegateSelectors":["d"],"executeOnDelegate":false`
	connectors := map[string]struct{ v1, typ, ng string }{
		"GitHttp": {`"url":"https://x","branch":"main","connection_type":"Account","username":"u","password_ref":"account.s","validation_repo":"r",` + on, "Git",
			`{"url":"https://x","branchName":"main","connectionType":"Account","type":"Http","spec":{"username":"u","passwordRef":"account.s"},"validationRepo":"r",` + ngOn + `}`},
		"GitHttpEncrypted":     {`"url":"https://x","connection_type":"Repo","username_ref":"account.s","password_ref":"account.s"`, "Git", `{"url":"https://x","connectionType":"Repo","type":"Http","spec":{"usernameRef":"account.s","passwordRef":"account.s"}}`},
		"GitSsh":               {`"url":"git@x","connection_type":"Repo","ssh_key_ref":"account.s"`, "Git", `{"url":"git@x","connectionType":"Repo","type":"Ssh","spec":{"sshKeyRef":"account.s"}}`},
		"Appdynamics":          {`"account_name":"a","controller_url":"https://x","username":"u","password_ref":"account.s"`, "AppDynamics", `{"accountname":"a","controllerUrl":"https://x","authType":"UsernamePassword","username":"u","passwordRef":"account.s"}`},
		"AppdynamicsClientId":  {`"account_name":"a","controller_url":"https://x","client_id":"c","client_secret_ref":"account.s"`, "AppDynamics", `{"accountname":"a","controllerUrl":"https://x","authType":"ApiClientToken","clientId":"c","clientSecretRef":"account.s"}`},
		"Artifactory":          {`"url":"https://x","username":"u","password_ref":"account.s",` + on, "Artifactory", `{"artifactoryServerUrl":"https://x","auth":{"type":"UsernamePassword","spec":{"username":"u","passwordRef":"account.s"}},` + ngOn + `}`},
		"ArtifactoryEncrypted": {`"url":"https://x","username_ref":"account.s","password_ref":"account.s"`, "Artifactory", `{"artifactoryServerUrl":"https://x","auth":{"type":"UsernamePassword","spec":{"usernameRef":"account.s","passwordRef":"account.s"}}}`},
		"ArtifactoryAnonymous": {`"url":"https://x"`, "Artifactory", `{"artifactoryServerUrl":"https://x","auth":{"type":"Anonymous","spec":null}}`},
		"AwsCodeCommit":        {`"url":"https://x","url_type":"Repo","access_key":"k","secret_key_ref":"account.s"`, "Codecommit", `{"url":"https://x","type":"Repo","authentication":{"type":"HTTPS","spec":{"type":"AWSCredentials","spec":{"accessKey":"k","secretKeyRef":"account.s"}}}}`},
		"AwsAccessKey": {`"access_key":"k","secret_key_ref":"account.s","cross_account_role_arn":"a","external_id":"e","test_region":"us-east-1",` + on, "Aws",
			`{"credential":{"type":"ManualConfig","spec":{"accessKey":"k","secretKeyRef":"account.s"},"crossAccountAccess":{"crossAccountRoleArn":"a","externalId":"e"},"region":"us-east-1"},` + ngOn + `}`},
		"AwsEncryptedAccessKey":     {`"access_key_ref":"account.s","secret_key_ref":"account.s"`, "Aws", `{"credential":{"type":"ManualConfig","spec":{"accessKeyRef":"account.s","secretKeyRef":"account.s"}}}`},
		"AwsIAMRole":                {on, "Aws", `{"credential":{"type":"InheritFromDelegate","spec":null},` + ngOn + `}`},
		"AwsIRSA":                   {on, "Aws", `{"credential":{"type":"Irsa","spec":null},` + ngOn + `}`},
		"AwsKmsAccessKey":           {`"kms_arn":"account.s","region":"r","default":false,"access_key":"account.s","secret_key":"account.s"`, "AwsKms", `{"kmsArn":"account.s","region":"r","default":false,"credential":{"type":"ManualConfig","spec":{"accessKey":"account.s","secretKey":"account.s"}}}`},
		"AwsKmsAssumeIAM":           {`"kms_arn":"account.s","region":"r","delegate_selectors":["d"]`, "AwsKms", `{"kmsArn":"account.s","region":"r","delegateSelectors":["d"],"credential":{"type":"AssumeIAMRole","spec":null}}`},
		"AwsKmsAssumeSTS":           {`"kms_arn":"account.s","region":"r","delegate_selectors":["d"],"role_arn":"a","external_id":"e","assume_sts_role_duration":"900"`, "AwsKms", `{"kmsArn":"account.s","region":"r","delegateSelectors":["d"],"credential":{"type":"AssumeSTSRole","spec":{"roleArn":"a","externalId":"e","assumeStsRoleDuration":900}}}`},
		"AwsSecretManagerAccessKey": {`"region":"r","secret_name_prefix":"p","access_key":"account.s","secret_key":"account.s"`, "AwsSecretManager", `{"region":"r","secretNamePrefix":"p","credential":{"type":"ManualConfig","spec":{"accessKey":"account.s","secretKey":"account.s"}}}`},
		"AwsSecretManagerAssumeIAM": {`"region":"r","delegate_selectors":["d"]`, "AwsSecretManager", `{"region":"r","delegateSelectors":["d"],"credential":{"type":"AssumeIAMRole","spec":null}}`},
		"AwsSecretManagerAssumeSTS": {`"region":"r","role_arn":"a"`, "AwsSecretManager", `{"region":"r","credential":{"type":"AssumeSTSRole","spec":{"roleArn":"a"}}}`},
		"AzureClientSecretKey":      {`"azure_environment_type":"AZURE","application_id":"a","tenant_id":"t","secret_ref":"account.s"`, "Azure", `{"azureEnvironmentType":"AZURE","credential":{"type":"ManualConfig","spec":{"applicationId":"a","tenantId":"t","auth":{"type":"Secret","spec":{"secretRef":"account.s"}}}}}`},
		"AzureClientCertificate":    {`"azure_environment_type":"AZURE","application_id":"a","tenant_id":"t","certificate_ref":"account.s"`, "Azure", `{"azureEnvironmentType":"AZURE","credential":{"type":"ManualConfig","spec":{"applicationId":"a","tenantId":"t","auth":{"type":"Certificate","spec":{"certificateRef":"account.s"}}}}}`},
		"AzureInheritFromDelegateUserAssignedManagedIdentity":   {`"azure_environment_type":"AZURE","client_id":"c"`, "Azure", `{"azureEnvironmentType":"AZURE","credential":{"type":"InheritFromDelegate","spec":{"auth":{"type":"UserAssignedManagedIdentity","spec":{"clientId":"c"}}}}}`},
		"AzureInheritFromDelegateSystemAssignedManagedIdentity": {`"azure_environment_type":"AZURE"`, "Azure", `{"azureEnvironmentType":"AZURE","credential":{"type":"InheritFromDelegate","spec":{"auth":{"type":"SystemAssignedManagedIdentity","spec":null}}}}`},
		// What v1 has no form for comes as the document has it.
		"PagerDuty": {`"spec":{"apiTokenRef":"account.s"}`, "PagerDuty", `{"apiTokenRef":"account.s"}`},
	}
	for name, tc := range connectors {
		t.Run(name, func(t *testing.T) {
			flatRound(t, do, "connector", "connectors", "/ng/api/connectors/x", name, tc.v1, tc.typ, tc.ng)
		})
	}
	secrets := map[string]struct{ v1, typ, ng string }{
		"SecretText":               {`"secret_manager_identifier":"v","secret_manager_slug":"v","value_type":"Reference","value":"path"`, "SecretText", `{"secretManagerIdentifier":"v","valueType":"Reference","value":"path"}`},
		"SSHKeyPath":               {`"port":22,"username":"u","key_path":"k","encrypted_passphrase":"account.s"`, "SSHKey", `{"port":22,"auth":{"type":"SSH","spec":{"credentialType":"KeyPath","spec":{"userName":"u","keyPath":"k","encryptedPassphrase":"account.s"}}}}`},
		"SSHKeyReference":          {`"port":22,"username":"u","key":"account.s"`, "SSHKey", `{"port":22,"auth":{"type":"SSH","spec":{"credentialType":"KeyReference","spec":{"userName":"u","key":"account.s"}}}}`},
		"SSHPassword":              {`"username":"u","password":"account.s"`, "SSHKey", `{"auth":{"type":"SSH","spec":{"credentialType":"Password","spec":{"userName":"u","password":"account.s"}}}}`},
		"SSHKerberosTGTKeyTabFile": {`"port":22,"principal":"p","realm":"r","key_path":"k"`, "SSHKey", `{"port":22,"auth":{"type":"Kerberos","spec":{"tgtGenerationMethod":"KeyTabFilePath","principal":"p","realm":"r","spec":{"keyPath":"k"}}}}`},
		"SSHKerberosTGTPassword":   {`"principal":"p","realm":"r","password":"account.s"`, "SSHKey", `{"auth":{"type":"Kerberos","spec":{"tgtGenerationMethod":"Password","principal":"p","realm":"r","spec":{"password":"account.s"}}}}`},
		"WinRmTGTKeyTabFile":       {`"port":5986,"principal":"p","realm":"r","key_path":"k","use_ssl":true`, "WinRmCredentials", `{"port":5986,"auth":{"type":"Kerberos","spec":{"tgtGenerationMethod":"KeyTabFilePath","principal":"p","realm":"r","useSSL":true,"spec":{"keyPath":"k"}}}}`},
		"WinRmTGTPassword":         {`"principal":"p","realm":"r","password":"account.s","use_no_profile":false`, "WinRmCredentials", `{"auth":{"type":"Kerberos","spec":{"tgtGenerationMethod":"Password","principal":"p","realm":"r","useNoProfile":false,"spec":{"password":"account.s"}}}}`},
		"WinRmNTLM":                {`"port":5986,"domain":"d","username":"u","password":"account.s","skip_cert_checks":true`, "WinRmCredentials", `{"port":5986,"auth":{"type":"NTLM","spec":{"domain":"d","username":"u","password":"account.s","skipCertChecks":true}}}`},
	}
	for name, tc := range secrets {
		t.Run(name, func(t *testing.T) {
			flatRound(t, do, "secret", "secrets", "/ng/api/v2/secrets/x", name, tc.v1, tc.typ, tc.ng)
		})
	}
}

func flatRound(t *testing.T, do func(method, path, body string) apitest.Response, key, plural, ngPath, name, fields, typ, want string) {
	t.Helper()
	spec := `{"type":"` + name + `",` + fields + `}`
	body := `{"` + key + `":{"name":"X","identifier":"x","description":"d","tags":{"a":"b"},"spec":` + spec + `}}`
	do("POST", "/v1/"+plural, body).Into(t, 201, nil)
	for _, status := range []string{"read", "replaced"} {
		if status == "replaced" {
			do("PUT", "/v1/"+plural+"/x", body).Into(t, 200, nil)
		}
		var all map[string]any
		do("GET", "/v1/"+plural+"/x", "").Into(t, 200, &all)
		inner, _ := all[key].(map[string]any)
		if diff := cmp.Diff(parsed(t, spec), inner["spec"]); diff != "" || inner["slug"] != "x" || inner["name"] != "X" || inner["description"] != "d" {
			t.Errorf("%s: %s %v", status, diff, inner)
		}
	}
	var ng struct {
		Data map[string]any
	}
	do("GET", ngPath, "").Into(t, 200, &ng)
	inner, _ := ng.Data[key].(map[string]any)
	if diff := cmp.Diff(parsed(t, want), inner["spec"]); diff != "" || inner["type"] != typ {
		t.Errorf("over NG: %s %v", diff, inner["type"])
	}
	if r := do("DELETE", "/v1/"+plural+"/x", ""); r.Status != 200 || key == "connector" && len(r.Body) > 0 {
		t.Errorf("deleted: %d %s", r.Status, r.Body)
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
