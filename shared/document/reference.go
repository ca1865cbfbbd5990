package document

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// referring are the fields that name an entity by themselves.
var referring = map[string]core.EntityKind{
	"serviceRef":              core.EntityService,
	"environmentRef":          core.EntityEnvironment,
	"envGroupRef":             core.EntityEnvironmentGroup,
	"environmentGroupRef":     core.EntityEnvironmentGroup,
	"secretManagerIdentifier": core.EntityConnector,
	"secretManagerRef":        core.EntityConnector,
	"credentialsRef":          core.EntitySecret,
}

// secretFields name a secret in whatever document they stand (BEHAVIOUR §19).
var secretFields = []string{"accessKeyRef", "apiKeyRef", "apiTokenRef", "applicationKeyRef", "authTokenRef", "caCertRef", "clientCertRef", "clientIdRef",
	"clientKeyPassphraseRef", "clientKeyRef", "clientSecretRef", "installationKeyRef", "oidcClientIdRef", "oidcPasswordRef", "oidcSecretRef", "oidcUsernameRef",
	"passwordRef", "patRef", "privateKeyRef", "refreshTokenRef", "secretIdRef", "secretKeyRef", "secretRef", "serviceAccountTokenRef", "sshKeyRef", "tokenRef",
	"usernameRef", "encryptedWebhookSecretIdentifier", "encryptedValueRef", "certificateRef", "resourceIdRef", "accessIdRef", "applicationIdRef", "installationIdRef",
	"emailRef", "kerberosKeyRef", "privateKeyFileRef", "privateKeyPassphraseRef", "spotAccountIdRef", "serviceAccountKeyRef"}

// keyFields name secrets inside documents of SSH and WinRM credentials.
var keyFields = []string{"key", "encryptedPassphrase", "password"}

// managerFields name secrets in connectors, mostly of secret managers, that call them
// otherwise than others do.
var managerFields = map[string][]string{
	"Vault":            {"authToken", "secretId", "xvaultAwsIamServerId"},
	"AwsKms":           {"kmsArn", "accessKey", "secretKey"},
	"AwsSecretManager": {"accessKey", "secretKey"},
	"GcpKms":           {"credentials"},
	"AzureKeyVault":    {"secretKey"},
	"TerraformCloud":   {"apiToken"},
	// What it signs in to its host with, in spite of the name.
	"CustomSecretManager": {"connectorRef"},
}

// BuiltInSecretManager is the connector that is always there.
const BuiltInSecretManager = "harnessSecretManager"

// inExpression finds secrets in expressions: <+secrets.getValue("account.x")>.
var inExpression = regexp.MustCompile(`secrets\.getValue\(\s*["']([^"']+)["']\s*\)`)

// finder collects what a document refers to, each once and in order.
type finder struct {
	entity core.Entity
	found  []core.EntityRef
	node   *yamldoc.Node   // that is looked at
	at     []*yamldoc.Node // where each was found first
	beyond []*yamldoc.Node // names that nothing at the document's place can mean
}

// References are the entities that a document refers to by name. What is only known
// when it runs, such as an expression for a connector, is not among them.
func References(root *yamldoc.Node, e core.Entity, more ...core.EntityRef) []core.EntityRef {
	return refer(root, e, more...).found
}

// Where is the place in an entity's document at which it refers to another: the
// document's beginning, when it does so by what it is.
func Where(e core.Entity, file string, used core.EntityRef) core.Position {
	docs, diags := yamldoc.Parse(file, []byte(e.YAML))
	if diags.Blocks() || len(docs) != 1 {
		return core.Position{File: file, Line: 1, Column: 1}
	}
	f, root := refer(docs[0].Root, e), docs[0].Root
	if i := slices.Index(f.found, used); i >= 0 && f.at[i] != root {
		return f.at[i].Pos
	}
	for _, keys := range [][]string{{"pipeline", "identifier"}, {"pipelineIdentifier"}, {"environmentRef"}} {
		if n := root.At(append([]string{Root(e.Kind)}, keys...)...); n != nil && n.Text == used.Identifier {
			return n.Pos
		}
	}
	return root.Pos
}

func refer(root *yamldoc.Node, e core.Entity, more ...core.EntityRef) *finder {
	f := &finder{entity: e, node: root}
	if p := ParentOf(e.Kind); p != "" && e.Parent != "" {
		f.put(core.EntityRef{Kind: p, Scope: e.Scope, Identifier: e.Parent})
	}
	for _, r := range more {
		f.put(r)
	}
	f.walk(root, "")
	return f
}

func (f *finder) put(r core.EntityRef) {
	if r.Identifier == "" || !ValidIdentifier(r.Identifier) || r.Kind == core.EntityConnector && r.Identifier == BuiltInSecretManager || r == f.entity.EntityRef {
		return
	}
	if !slices.Contains(f.found, r) {
		f.found, f.at = append(f.found, r), append(f.at, f.node)
	}
}

// name notes that a scalar names an entity of a kind.
func (f *finder) name(kind core.EntityKind, n *yamldoc.Node) {
	if !plain(n) {
		return
	}
	if f.entity.Scope.Org == "" && strings.HasPrefix(n.Text, "org.") {
		f.beyond = append(f.beyond, n)
		return
	}
	f.node = n
	s, id := f.entity.Scope.Resolve(n.Text)
	f.put(core.EntityRef{Kind: kind, Scope: s, Identifier: id})
}

// plain reports whether a node is a name as it stands: no expression, no input.
func plain(n *yamldoc.Node) bool {
	return n.Scalar() && n.Text != "" && !strings.Contains(n.Text, "<+")
}

func (f *finder) walk(n *yamldoc.Node, key string) {
	f.node = n
	switch n.Kind {
	case yamldoc.List:
		for _, it := range n.Items {
			if key == "envIdentifiers" {
				f.name(core.EntityEnvironment, it)
			}
			f.walk(it, "")
		}
	case yamldoc.Map:
		f.object(n)
		for i := range n.Entries {
			f.field(n.Entries[i].Key.Text, n.Entries[i].Value)
			f.walk(n.Entries[i].Value, n.Entries[i].Key.Text)
		}
	default:
		for _, m := range inExpression.FindAllStringSubmatch(n.Text, -1) {
			s, id := f.entity.Scope.Resolve(m[1])
			f.put(core.EntityRef{Kind: core.EntitySecret, Scope: s, Identifier: id})
		}
	}
}

// field reads fields that refer whatever they stand beside.
func (f *finder) field(key string, v *yamldoc.Node) {
	kind, ok := referring[key]
	switch {
	case ok:
		f.name(kind, v)
	case slices.Contains(secretFields, key), f.entity.Kind == core.EntityConnector && slices.Contains(managerFields[f.entity.Type], key), f.entity.Kind == core.EntitySecret && slices.Contains(keyFields, key):
		f.name(core.EntitySecret, v)
	case strings.HasSuffix(key, "onnectorRef"):
		f.name(core.EntityConnector, v)
	}
}

// object reads fields that refer together.
func (f *finder) object(n *yamldoc.Node) {
	if t := n.Get("templateRef"); plain(t) {
		f.node = t
		s, id := f.entity.Scope.Resolve(t.Text)
		r := core.EntityRef{Kind: core.EntityTemplate, Scope: s, Identifier: id}
		if v := n.Get("versionLabel"); plain(v) {
			r.Label = v.Text
		}
		f.put(r)
	}
	if env := n.Get("environmentRef"); plain(env) {
		f.infrastructures(n, env)
	}
	if t, v := n.Get("type"), n.Get("value"); t.Scalar() && t.Text == "Secret" && f.entity.Kind != core.EntitySecret {
		f.nameIf(core.EntitySecret, v)
	}
	if t := n.Get("type"); t.Scalar() && t.Text == "Harness" {
		f.stored(n.Get("spec"))
	}
	if t := n.Get("type"); t.Scalar() && t.Text == "Pipeline" {
		f.chained(n.Get("spec"))
	}
}

// stored reads files of the file store (BEHAVIOUR §19.3), which are called by their
// paths: /path, org:/path or account:/path.
func (f *finder) stored(spec *yamldoc.Node) {
	for _, it := range append(items(spec.Get("files")), spec.Get("file")) {
		if !plain(it) {
			continue
		}
		s, path := f.entity.Scope, it.Text
		if p, ok := strings.CutPrefix(path, "account:"); ok {
			s, path = core.Scope{Account: s.Account}, p
		} else if p, ok := strings.CutPrefix(path, "org:"); ok {
			s.Project, path = "", p
		}
		if r := FileRef(s, path); path != "" && len(path) <= MaxPath && !slices.Contains(f.found, r) {
			f.found, f.at = append(f.found, r), append(f.at, it)
		}
	}
	for _, it := range items(spec.Get("secretFiles")) {
		f.name(core.EntitySecret, it)
	}
}

// MaxPath bounds a path in the file store, in bytes.
const MaxPath = 1024

// FileRef is what documents that refer to a file by its path refer to.
func FileRef(s core.Scope, path string) core.EntityRef {
	return core.EntityRef{Kind: core.EntityFile, Scope: s, Identifier: "/" + strings.Trim(path, "/")}
}

func (f *finder) nameIf(kind core.EntityKind, n *yamldoc.Node) {
	if n != nil {
		f.name(kind, n)
	}
}

// infrastructures reads those that are named beside their environment.
func (f *finder) infrastructures(n, env *yamldoc.Node) {
	s, id := f.entity.Scope.Resolve(env.Text)
	infra := func(i *yamldoc.Node) {
		if plain(i) {
			f.node = i
			f.put(core.EntityRef{Kind: core.EntityInfrastructure, Scope: s, Parent: id, Identifier: i.Text})
		}
	}
	for _, it := range items(n.Get("infrastructureDefinitions")) {
		infra(it.Get("identifier"))
	}
	infra(n.At("infrastructureDefinition", "identifier"))
	if f.entity.Kind == core.EntityOverrides {
		infra(n.Get("infraIdentifier"))
	}
}

// chained reads the pipeline that a stage runs (BEHAVIOUR §7), and its input sets.
func (f *finder) chained(spec *yamldoc.Node) {
	p := spec.Get("pipeline")
	if !plain(p) {
		return
	}
	s := f.entity.Scope
	if org := spec.Get("org"); plain(org) {
		s.Org = org.Text
	}
	if project := spec.Get("project"); plain(project) {
		s.Project = project.Text
	}
	f.node = p
	f.put(core.EntityRef{Kind: core.EntityPipeline, Scope: s, Identifier: p.Text})
	for _, it := range items(spec.Get("inputSetReferences")) {
		if plain(it) {
			f.node = it
			f.put(core.EntityRef{Kind: core.EntityInputSet, Scope: s, Parent: p.Text, Identifier: it.Text})
		}
	}
}
