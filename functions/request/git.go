package request

import "github.com/slipway-cd/slipway/shared/fault"

// Inline refuses what would put an entity into Git. What a client says of a commit, or
// of the one before it, means nothing without Git.
func Inline(details map[string]any) error {
	for name, v := range details {
		switch {
		case v == nil, v == "", v == false, name == "store_type" && v == "INLINE":
		case name == "commit_message", name == "last_object_id", name == "last_commit_id":
		default:
			return fault.New(fault.Unsupported, "not supported yet: git_details.%s", name)
		}
	}
	return nil
}
