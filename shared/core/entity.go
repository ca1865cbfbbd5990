package core

import (
	"encoding/json"
	"fmt"
	"strings"
)

// EntityKind is a kind of thing that people write and Slipway keeps. Those that are
// documents are called as their first key.
type EntityKind string

// Kinds of entities.
const (
	EntityOrganization     EntityKind = "organization"
	EntityProject          EntityKind = "project"
	EntityService          EntityKind = "service"
	EntityEnvironment      EntityKind = "environment"
	EntityEnvironmentGroup EntityKind = "environmentGroup"
	EntityInfrastructure   EntityKind = "infrastructureDefinition"
	EntityOverrides        EntityKind = "overrides"
	EntityConnector        EntityKind = "connector"
	EntitySecret           EntityKind = "secret"
	EntityTemplate         EntityKind = "template"
	EntityPipeline         EntityKind = "pipeline"
	EntityInputSet         EntityKind = "inputSet" // overlays too
	EntityTrigger          EntityKind = "trigger"
	EntityFreeze           EntityKind = "freeze"
	EntityVariable         EntityKind = "variable"
	EntityFile             EntityKind = "file" // of the file store, and folders; its YAML is its content
	EntityUserGroup        EntityKind = "userGroup"
	EntityServiceAccount   EntityKind = "serviceAccount"
	EntityAPIKey           EntityKind = "apiKey" // of a service account, or of a user (UserParent)
	EntityToken            EntityKind = "token"  // of an API key
	EntityFilter           EntityKind = "filter"
)

// UserParent is the Parent of an API key that is a user's and no service account's.
func UserParent(user string) string { return "user:" + user }

// EntityRef names an entity. Parent is what it belongs to: the environment of an
// infrastructure, the pipeline of an input set or trigger; "" for others. Label is a
// template's version; as a reference to a template, "" means the stable one.
type EntityRef struct {
	Kind       EntityKind `json:"kind"`
	Scope      Scope      `json:"scope"`
	Parent     string     `json:"parent,omitempty"`
	Identifier string     `json:"identifier"`
	Label      string     `json:"label,omitempty"`
}

// String is the reference as errors show it: `service org.web`, `template build 1.2`.
func (r EntityRef) String() string {
	s := string(r.Kind) + " " + r.Scope.Prefix() + r.Identifier
	if r.Label != "" {
		s += " " + r.Label
	}
	if r.Parent != "" {
		s += " of " + r.Parent
	}
	return s
}

// Own is the Parent of what belongs to the entity.
func (r EntityRef) Own() string {
	if r.Parent == "" {
		return r.Identifier
	}
	return r.Parent + "/" + r.Identifier
}

// Path orders entities of a kind and scope: parent, identifier and label.
func (r EntityRef) Path() string { return r.Parent + "/" + r.Identifier + "/" + r.Label }

// Unlabelled is the reference without a template's version.
func (r EntityRef) Unlabelled() EntityRef {
	r.Label = ""
	return r
}

// Entity is something that a user wrote: the author's YAML byte for byte, and what
// was read from it for lists, references and clients.
type Entity struct {
	EntityRef
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Type        string            `json:"type,omitempty"` // of a connector, secret, environment, template …
	// Stable marks the version of a template that a reference without a label means. One
	// of them is; the directory knows which.
	Stable bool `json:"stable,omitempty"`
	// Draft says why the document cannot be used as it is; "" when it can.
	Draft string `json:"draft,omitempty"`
	YAML  string `json:"yaml,omitempty"`
	// Uses are the entities that the document refers to, each once.
	Uses []EntityRef `json:"uses,omitempty"`
	// Facts are further values that lists show and filter by.
	Facts map[string]string `json:"facts,omitempty"`

	Version   int64  `json:"version"` // 1 when first created, +1 on every change
	Created   int64  `json:"created"` // ms
	Updated   int64  `json:"updated"` // ms
	CreatedBy string `json:"createdBy,omitempty"`
	UpdatedBy string `json:"updatedBy,omitempty"`
	Deleted   bool   `json:"deleted,omitempty"` // what is left of it is its history

	Pieces int    `json:"pieces,omitempty"` // how many items hold the YAML; 0: it is here
	Text   string `json:"text,omitempty"`   // the change that wrote these items; "" in old entities
}

// Bounds of a document, in bytes: as it is, and as an answer carries it (Sent), where
// something is left for what else is said of it.
const (
	MaxEntityYAML = 3 << 20
	MaxEntitySent = MaxSent - 256<<10
)

// EntityRow is what a directory knows of an entity: enough for a list, a search and
// an order.
type EntityRow struct {
	Parent      string            `json:"p,omitempty"`
	Identifier  string            `json:"i"`
	Label       string            `json:"l,omitempty"`
	Name        string            `json:"n,omitempty"`
	Description string            `json:"d,omitempty"` // its first 200 bytes
	Tags        map[string]string `json:"t,omitempty"`
	Type        string            `json:"y,omitempty"`
	Stable      bool              `json:"s,omitempty"`
	Draft       bool              `json:"x,omitempty"`
	Facts       map[string]string `json:"f,omitempty"`
	Version     int64             `json:"v"`
	Created     int64             `json:"c"`
	Updated     int64             `json:"u"`
	By          string            `json:"b,omitempty"` // who changed it last
}

// Path is the path of the row's entity.
func (r EntityRow) Path() string { return r.Parent + "/" + r.Identifier + "/" + r.Label }

// Revision is one change of an entity: the whole entity as it was after it.
type Revision struct {
	ID     string `json:"id"`     // of the change
	Action string `json:"action"` // CREATE, UPDATE, DELETE
	At     int64  `json:"at"`     // ms
	By     string `json:"by"`
	Entity Entity `json:"entity"`
}

// EntityKey is where an entity is.
func EntityKey(r EntityRef) Key { return Key{entityPK("E", r), r.Path()} }

// RevisionKey is where an entity's nth version is.
func RevisionKey(r EntityRef, version int64) Key {
	return Key{entityPK("H", r) + "#" + r.Path(), fmt.Sprintf("%012d", version)}
}

// EntityPieceKey is where a part of a version's YAML is that has items of its own. text is
// the change that wrote it.
func EntityPieceKey(r EntityRef, version int64, text string, n int) Key {
	sk := fmt.Sprintf("%012d#%03d", version, n)
	if text != "" {
		sk = fmt.Sprintf("%012d#%s#%03d", version, text, n)
	}
	return Key{entityPK("Y", r) + "#" + r.Path(), sk}
}

// DirectoryKey is where the directory of a kind in a scope begins: the versions of
// its shards.
func DirectoryKey(s Scope, kind EntityKind) Key {
	return Key{entityPK("D", EntityRef{Kind: kind, Scope: s}), "head"}
}

// ShardKey is where a part of a directory is.
func ShardKey(s Scope, kind EntityKind, n int) Key {
	return Key{entityPK("D", EntityRef{Kind: kind, Scope: s}), fmt.Sprintf("shard#%06d", n)}
}

// EntityUseKey is where it is noted that an entity refers to another. A note may outlive the
// reference: the user's Uses have the last word.
func EntityUseKey(user, used EntityRef) Key {
	source, err := json.Marshal(user)
	if err != nil {
		panic(err) // strings only
	}
	return Key{EntityUsePK(used), string(source)}
}

// EntityUsePK is the partition of the notes of who refers to an entity, in any version.
func EntityUsePK(used EntityRef) string { return entityPK("R", used) + "#" + used.Unlabelled().Path() }

func entityPK(what string, r EntityRef) string {
	return "A#" + r.Scope.Account + "#" + what + "#" + r.Scope.Path() + "#" + string(r.Kind)
}

// Prefix is what begins a reference to something of the scope, as seen from a project:
// "account.", "org." or "".
func (s Scope) Prefix() string {
	switch {
	case s.Org == "":
		return "account."
	case s.Project == "":
		return "org."
	}
	return ""
}

// Resolve is the scope and identifier that a reference in a document of scope s names
// (BEHAVIOUR §1.2).
func (s Scope) Resolve(ref string) (Scope, string) {
	if id, ok := strings.CutPrefix(ref, "account."); ok {
		return Scope{Account: s.Account}, id
	}
	if id, ok := strings.CutPrefix(ref, "org."); ok {
		return Scope{Account: s.Account, Org: s.Org}, id
	}
	return s, ref
}

// SequenceKey is where a pipeline's run counter is.
func SequenceKey(s Scope, pipeline string) Key {
	return Key{"A#" + s.Account + "#N#" + s.Path(), pipeline}
}
