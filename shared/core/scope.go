package core

// DefaultAccount, DefaultOrg and DefaultProject are used where a document or
// request names none.
const (
	DefaultAccount = "default"
	DefaultOrg     = "default"
	DefaultProject = "default"
)

// Scope says where an entity lives (BEHAVIOUR §1.1): all three set for a project,
// Org and Project empty for an account.
type Scope struct {
	Account string `json:"account"`
	Org     string `json:"org,omitempty"`
	Project string `json:"project,omitempty"`
}

// Path is the scope as one string, for keys: "org/project".
func (s Scope) Path() string { return s.Org + "/" + s.Project }
