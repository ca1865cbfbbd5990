package ng

import "maps"

// with are fields and more of them.
func with(fields map[string]string, more ...map[string]string) map[string]string {
	out := maps.Clone(fields)
	for _, m := range more {
		maps.Copy(out, m)
	}
	return out
}

// Fields that several forms have.
var (
	onDelegates = map[string]string{"delegate_selectors": "delegateSelectors", "execute_on_delegate": "executeOnDelegate"}
	gitFields   = with(onDelegates, map[string]string{"url": "url", "branch": "branchName", "connection_type": "connectionType", "validation_repo": "validationRepo"})
	appDynamics = map[string]string{"delegate_selectors": "delegateSelectors", "account_name": "accountname", "controller_url": "controllerUrl"}
	artifactory = with(onDelegates, map[string]string{"url": "artifactoryServerUrl"})
	awsFields   = with(onDelegates, map[string]string{"cross_account_role_arn": "credential.crossAccountAccess.crossAccountRoleArn",
		"external_id": "credential.crossAccountAccess.externalId", "test_region": "credential.region"})
	kmsFields     = map[string]string{"kms_arn": "kmsArn", "region": "region", "default": "default", "delegate_selectors": "delegateSelectors"}
	managerFields = map[string]string{"region": "region", "default": "default", "secret_name_prefix": "secretNamePrefix", "delegate_selectors": "delegateSelectors"}
	keyPair       = map[string]string{"access_key": "credential.spec.accessKey", "secret_key": "credential.spec.secretKey"}
	assumed       = map[string]string{"role_arn": "credential.spec.roleArn", "external_id": "credential.spec.externalId", durations: "credential.spec.assumeStsRoleDuration"}
	azureFields   = with(onDelegates, map[string]string{"azure_environment_type": "azureEnvironmentType"})
	azureApp      = map[string]string{"application_id": "credential.spec.applicationId", "tenant_id": "credential.spec.tenantId"}
)

func signsIn(typ string) map[string]string { return map[string]string{"credential.type": typ} }

// flatConnectors are the forms of connectors.
var flatConnectors = []flat{
	{"GitHttp", "Git", map[string]string{"type": "Http"}, with(gitFields, map[string]string{"username": "spec.username", "password_ref": "spec.passwordRef"})},
	{"GitHttpEncrypted", "Git", map[string]string{"type": "Http"}, with(gitFields, map[string]string{"username_ref": "spec.usernameRef", "password_ref": "spec.passwordRef"})},
	{"GitSsh", "Git", map[string]string{"type": "Ssh"}, with(gitFields, map[string]string{"ssh_key_ref": "spec.sshKeyRef"})},
	{"Appdynamics", "AppDynamics", map[string]string{"authType": "UsernamePassword"}, with(appDynamics, map[string]string{"username": "username", "password_ref": "passwordRef"})},
	{"AppdynamicsClientId", "AppDynamics", map[string]string{"authType": "ApiClientToken"}, with(appDynamics, map[string]string{"client_id": "clientId", "client_secret_ref": "clientSecretRef"})},
	{"Artifactory", "Artifactory", map[string]string{"auth.type": "UsernamePassword"}, with(artifactory, map[string]string{"username": "auth.spec.username", "password_ref": "auth.spec.passwordRef"})},
	{"ArtifactoryEncrypted", "Artifactory", map[string]string{"auth.type": "UsernamePassword"}, with(artifactory, map[string]string{"username_ref": "auth.spec.usernameRef", "password_ref": "auth.spec.passwordRef"})},
	{"ArtifactoryAnonymous", "Artifactory", map[string]string{"auth.type": "Anonymous"}, artifactory},
	{"AwsCodeCommit", "Codecommit", map[string]string{"authentication.type": "HTTPS", "authentication.spec.type": "AWSCredentials"},
		map[string]string{"url": "url", "url_type": "type", "access_key": "authentication.spec.spec.accessKey", "access_key_ref": "authentication.spec.spec.accessKeyRef",
			"secret_key_ref": "authentication.spec.spec.secretKeyRef", "delegate_selectors": "delegateSelectors"}},
	{"AwsAccessKey", "Aws", signsIn("ManualConfig"), with(awsFields, map[string]string{"access_key": "credential.spec.accessKey", "secret_key_ref": "credential.spec.secretKeyRef"})},
	{"AwsEncryptedAccessKey", "Aws", signsIn("ManualConfig"), with(awsFields, map[string]string{"access_key_ref": "credential.spec.accessKeyRef", "secret_key_ref": "credential.spec.secretKeyRef"})},
	{"AwsIAMRole", "Aws", signsIn("InheritFromDelegate"), awsFields},
	{"AwsIRSA", "Aws", signsIn("Irsa"), awsFields},
	{"AwsKmsAccessKey", "AwsKms", signsIn("ManualConfig"), with(kmsFields, keyPair)},
	{"AwsKmsAssumeIAM", "AwsKms", signsIn("AssumeIAMRole"), kmsFields},
	{"AwsKmsAssumeSTS", "AwsKms", signsIn("AssumeSTSRole"), with(kmsFields, assumed)},
	{"AwsSecretManagerAccessKey", "AwsSecretManager", signsIn("ManualConfig"), with(managerFields, keyPair)},
	{"AwsSecretManagerAssumeIAM", "AwsSecretManager", signsIn("AssumeIAMRole"), managerFields},
	{"AwsSecretManagerAssumeSTS", "AwsSecretManager", signsIn("AssumeSTSRole"), with(managerFields, assumed)},
	{"AzureClientSecretKey", "Azure", with(signsIn("ManualConfig"), map[string]string{"credential.spec.auth.type": "Secret"}),
		with(azureFields, azureApp, map[string]string{"secret_ref": "credential.spec.auth.spec.secretRef"})},
	{"AzureClientCertificate", "Azure", with(signsIn("ManualConfig"), map[string]string{"credential.spec.auth.type": "Certificate"}),
		with(azureFields, azureApp, map[string]string{"certificate_ref": "credential.spec.auth.spec.certificateRef"})},
	{"AzureInheritFromDelegateUserAssignedManagedIdentity", "Azure", with(signsIn("InheritFromDelegate"), map[string]string{"credential.spec.auth.type": "UserAssignedManagedIdentity"}),
		with(azureFields, map[string]string{"client_id": "credential.spec.auth.spec.clientId"})},
	{"AzureInheritFromDelegateSystemAssignedManagedIdentity", "Azure", with(signsIn("InheritFromDelegate"), map[string]string{"credential.spec.auth.type": "SystemAssignedManagedIdentity"}), azureFields},
}

func ssh(credential string) map[string]string {
	return map[string]string{"auth.type": "SSH", "auth.spec.credentialType": credential}
}

func ticket(method string) map[string]string {
	return map[string]string{"auth.type": "Kerberos", "auth.spec.tgtGenerationMethod": method}
}

// Fields that several forms of secrets have.
var (
	sshUser    = map[string]string{"port": "port", "username": "auth.spec.spec.userName"}
	passphrase = map[string]string{"encrypted_passphrase": "auth.spec.spec.encryptedPassphrase"}
	kerberos   = map[string]string{"port": "port", "principal": "auth.spec.principal", "realm": "auth.spec.realm"}
	keyTab     = map[string]string{"key_path": "auth.spec.spec.keyPath"}
	password   = map[string]string{"password": "auth.spec.spec.password"}
	windows    = map[string]string{"use_ssl": "auth.spec.useSSL", "skip_cert_checks": "auth.spec.skipCertChecks", "use_no_profile": "auth.spec.useNoProfile"}
	kept       = map[string]string{"secret_manager_identifier": "secretManagerIdentifier"}
)

// flatSecrets are the forms of secrets.
var flatSecrets = []flat{
	{"SecretText", "SecretText", nil, with(kept, map[string]string{"value_type": "valueType", "value": "value"})},
	{"SecretFile", "SecretFile", nil, kept},
	{"SSHKeyPath", "SSHKey", ssh("KeyPath"), with(sshUser, keyTab, passphrase)},
	{"SSHKeyReference", "SSHKey", ssh("KeyReference"), with(sshUser, passphrase, map[string]string{"key": "auth.spec.spec.key"})},
	{"SSHPassword", "SSHKey", ssh("Password"), with(sshUser, password)},
	{"SSHKerberosTGTKeyTabFile", "SSHKey", ticket("KeyTabFilePath"), with(kerberos, keyTab)},
	{"SSHKerberosTGTPassword", "SSHKey", ticket("Password"), with(kerberos, password)},
	{"WinRmTGTKeyTabFile", "WinRmCredentials", ticket("KeyTabFilePath"), with(kerberos, keyTab, windows)},
	{"WinRmTGTPassword", "WinRmCredentials", ticket("Password"), with(kerberos, password, windows)},
	{"WinRmNTLM", "WinRmCredentials", map[string]string{"auth.type": "NTLM"},
		with(windows, map[string]string{"port": "port", "domain": "auth.spec.domain", "username": "auth.spec.username", "password": "auth.spec.password"})},
}
