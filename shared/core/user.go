package core

import (
	"crypto/sha256"
	"encoding/hex"
)

// User is a person or service account who can sign in.
type User struct {
	ID     string   `json:"id" yaml:"id"`
	Name   string   `json:"name" yaml:"name"`
	Email  string   `json:"email" yaml:"email"`
	Groups []string `json:"groups,omitempty" yaml:"groups"`
	Admin  bool     `json:"admin,omitempty" yaml:"admin"`
}

// UserKey is where a user is.
func UserKey(account, id string) Key { return Key{"A#" + account + "#U", id} }

// Token is what the store knows of a credential: never the credential itself.
type Token struct {
	Kind    PrincipalKind `json:"kind"`
	Account string        `json:"account"`
	User    string        `json:"user,omitempty"` // of a user's token
	Name    string        `json:"name"`
	Revoked bool          `json:"revoked,omitempty"`
}

// TokenKey is where a token is, found by its SHA-256.
func TokenKey(token string) Key {
	sum := sha256.Sum256([]byte(token))
	return Key{"K#" + hex.EncodeToString(sum[:]), "token"}
}
