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

	Updated int64  `json:"updated,omitempty" yaml:"-"` // ms; 0 for what users.yaml says
	By      string `json:"by,omitempty" yaml:"-"`      // the user who wrote it last
}

// UserKey is where a user is.
func UserKey(account, id string) Key { return Key{UserPK(account), id} }

// UserPK is the partition of all users of an account.
func UserPK(account string) string { return "A#" + account + "#U" }

// Token is what the store knows of a credential: never the credential itself.
type Token struct {
	Kind    PrincipalKind `json:"kind"`
	Account string        `json:"account"`
	User    string        `json:"user,omitempty"` // of a user's token
	Name    string        `json:"name"`
	Revoked bool          `json:"revoked,omitempty"`
	// Scope is what the token is good for, where it is not the whole account.
	Scope Scope `json:"scope,omitzero"`
}

// TokenKey is where a token is, found by its SHA-256.
func TokenKey(token string) Key {
	sum := sha256.Sum256([]byte(token))
	return Key{"K#" + hex.EncodeToString(sum[:]), "token"}
}

// TokenEntry lists a token that was given out, beside its Token: what it is called,
// who made it, and whether it was revoked. It leads to the Token by its digest.
type TokenEntry struct {
	Kind      PrincipalKind `json:"kind"`
	User      string        `json:"user,omitempty"` // of a user's token
	Name      string        `json:"name"`
	Created   int64         `json:"created"` // ms
	By        string        `json:"by"`      // the user who made it
	Revoked   int64         `json:"revoked,omitempty"`
	RevokedBy string        `json:"revokedBy,omitempty"`
	Digest    string        `json:"digest"` // the partition of its Token
}

// TokenEntryKey is where the entry of a token is: by kind, user and name.
func TokenEntryKey(account string, e TokenEntry) Key {
	return Key{"A#" + account + "#T", TokenEntryPrefix(e.Kind, e.User) + e.Name}
}

// TokenEntryPrefix begins the sort keys of a user's entries, or of all delegates'.
func TokenEntryPrefix(kind PrincipalKind, user string) string { return string(kind) + "#" + user + "#" }
