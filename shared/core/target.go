package core

// Target is what a Deployment stage deploys and where (BEHAVIOUR §2 to §5): the
// documents its references may mean, with their inputs. Which of them it is and what
// the overrides come to is decided when the stage starts. Text in it may hold
// expressions, which are evaluated when they are read.
type Target struct {
	DeploymentType string `json:"deploymentType,omitempty"`
	GitOps         bool   `json:"gitOps,omitempty"`
	Pair
	Services        []Service        `json:"services,omitempty"`
	Environments    []Environment    `json:"environments,omitempty"`
	Infrastructures []Infrastructure `json:"infrastructures,omitempty"`
	// Overrides are in the order they are applied: of two that set the same the later
	// one counts (BEHAVIOUR §4.2).
	Overrides []Override `json:"overrides,omitempty"`
	// Open: what is not found is taken to exist with nothing in it, for whoever only
	// looks at a run that cannot take place yet.
	Open bool     `json:"open,omitempty"`
	Pos  Position `json:"pos"`
}

// ProvisionerPath follows a stage's FQN in that of the step group that makes its
// infrastructure, before its steps and named "provisioner" (BEHAVIOUR §3.8).
const ProvisionerPath = ".spec.provisioner"

// Pair is one service in one place. Each is a reference ("x", "org.x", "account.x"),
// an expression for one, or "" for none.
type Pair struct {
	Service        string `json:"service,omitempty"`
	Environment    string `json:"environment,omitempty"`
	Infrastructure string `json:"infrastructure,omitempty"` // its identifier in the environment
}

// Found says which document something is and where a reference to it is looked up.
type Found struct {
	Ref        string `json:"ref"` // how the stage's references spell it
	Identifier string `json:"id"`
	// Anywhere: the document names no organization and no project, so that a
	// reference of any scope may mean it.
	Anywhere    bool              `json:"anywhere,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Pos         Position          `json:"pos"`
}

// Service is a service with its inputs, before overrides.
type Service struct {
	Found
	Type   string `json:"type,omitempty"` // the deployment type it is for
	GitOps bool   `json:"gitOps,omitempty"`
	// Primary is the identifier of the one of Sources that is deployed; "" when there
	// is only one, or none.
	Primary         string           `json:"primary,omitempty"`
	Sources         []Part           `json:"sources,omitempty"`
	Sidecars        []Part           `json:"sidecars,omitempty"`
	Manifests       []Part           `json:"manifests,omitempty"`
	PrimaryManifest string           `json:"primaryManifest,omitempty"` // its identifier
	ConfigFiles     []Part           `json:"configFiles,omitempty"`
	Variables       []TargetVariable `json:"variables,omitempty"`
	// Spec is the rest of its definition: applicationSettings, hooks, …
	Spec map[string]any `json:"spec,omitempty"`
}

// Environment is an environment with its inputs, before overrides.
type Environment struct {
	Found
	Type      string           `json:"type,omitempty"` // PreProduction or Production
	Variables []TargetVariable `json:"variables,omitempty"`
	// Group is the environment group that it was reached by.
	Group     string   `json:"group,omitempty"`
	GroupName string   `json:"groupName,omitempty"`
	Clusters  []string `json:"clusters,omitempty"` // GitOps clusters, by identifier
}

// Infrastructure is an infrastructure definition with its inputs. Its Ref is its
// identifier, which is unique in its environment.
type Infrastructure struct {
	Found
	Environment       string         `json:"environment"` // the Ref of its environment
	DeploymentType    string         `json:"deploymentType,omitempty"`
	Type              string         `json:"type,omitempty"`
	Spec              map[string]any `json:"spec,omitempty"`
	Scoped            []string       `json:"scoped,omitempty"` // services it is for; none: all
	AllowSimultaneous bool           `json:"allowSimultaneous,omitempty"`
}

// Connector is a connector as it is written: with references to secrets, never with
// their values.
type Connector struct {
	Found
	Type string         `json:"type,omitempty"`
	Spec map[string]any `json:"spec,omitempty"`
}

// OverrideType says what an override is for.
type OverrideType string

// Types of overrides, the weakest first (BEHAVIOUR §4.2).
const (
	OverrideEnvironment           OverrideType = "ENV_GLOBAL_OVERRIDE"
	OverrideService               OverrideType = "ENV_SERVICE_OVERRIDE"
	OverrideInfrastructure        OverrideType = "INFRA_GLOBAL_OVERRIDE"
	OverrideInfrastructureService OverrideType = "INFRA_SERVICE_OVERRIDE"
)

// Override is what changes for a service somewhere.
type Override struct {
	Type OverrideType `json:"type"`
	// What it is for, as the target's documents are referred to; Service and
	// Infrastructure only where its type asks for them.
	Pair
	Variables   []TargetVariable `json:"variables,omitempty"`
	Manifests   []Part           `json:"manifests,omitempty"`
	ConfigFiles []Part           `json:"configFiles,omitempty"`
	// Spec holds applicationSettings and connectionStrings.
	Spec map[string]any `json:"spec,omitempty"`
	// Legacy: it is written in the environment itself, or as serviceOverrides.
	Legacy bool     `json:"legacy,omitempty"`
	Pos    Position `json:"pos"`
}

// TargetVariable is a variable of a service, environment or override.
type TargetVariable struct {
	Variable
	Of  string   `json:"of,omitempty"` // what gave its value, in words: "override prod"
	Pos Position `json:"pos"`
}

// Part is an artifact source, a sidecar, a manifest or a config file.
type Part struct {
	Identifier string         `json:"id,omitempty"`
	Type       string         `json:"type,omitempty"`
	Spec       map[string]any `json:"spec,omitempty"`
	Of         string         `json:"of,omitempty"` // what it is of, in words: "service web"
	Pos        Position       `json:"pos"`
}
