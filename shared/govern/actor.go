package govern

import (
	"slices"

	"github.com/slipway-cd/slipway/shared/core"
)

// everybody are the groups that each user of an account is in without being put
// there (BEHAVIOUR §22.3). References to them may have a scope before them,
// "account._account_all_users", which steps.Approval passes over.
var everybody = []string{"_account_all_users", "_organization_all_users", "_project_all_users"}

// Actor is a user as the author of what they do, in every group they are in.
func Actor(u core.User) core.Actor {
	return core.Actor{ID: u.ID, Name: u.Name, Email: u.Email, Groups: slices.Concat(u.Groups, everybody)}
}

// Everybody is what the group is called that everybody in a scope is in.
func Everybody(s core.Scope) string {
	switch {
	case s.Project != "":
		return everybody[2]
	case s.Org != "":
		return everybody[1]
	default:
		return everybody[0]
	}
}

// IsEverybody reports whether a group is one that everybody is in.
func IsEverybody(group string) bool { return slices.Contains(everybody, group) }
