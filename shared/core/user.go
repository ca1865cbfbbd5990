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

// Membership is what a user's Groups call a group: by its identifier, and by where it
// lives when that is not the account.
func Membership(group EntityRef) string {
	if group.Scope.Org == "" {
		return group.Identifier
	}
	return group.Scope.Path() + "/" + group.Identifier
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
	// Of is the entity that says how long the token is good and for what; it is good for
	// nothing when that is gone. Zero for tokens that are none. Born tells which entity of
	// that name, of those there have been.
	Of   EntityRef `json:"of,omitzero"`
	Born string    `json:"born,omitempty"`
	// Until ends a token that another has taken the place of, or that was made for a
	// while, ms; 0: not so.
	Until int64 `json:"until,omitempty"`
}

// FactBorn, FactFrom, FactUntil and FactEnd are the facts of a token's entity: which one of its name it is, and
// the times, in ms, from and until which it is good: as it was made, and as it was ended early.
const (
	FactBorn  = "born"
	FactFrom  = "validFrom"
	FactUntil = "validTo"
	FactEnd   = "scheduledExpireTime"
)

// IssuedKey is where the digest is of the token that was made last for an entity.
func IssuedKey(account, born string) Key { return Key{"A#" + account + "#I", born} }

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
	Scope     Scope         `json:"scope,omitzero"`  // of a delegate's token, when it is not for the account
	Until     int64         `json:"until,omitempty"` // ms, when it ends by itself; 0: never
	Created   int64         `json:"created"`         // ms
	By        string        `json:"by"`              // the user who made it
	Revoked   int64         `json:"revoked,omitempty"`
	RevokedBy string        `json:"revokedBy,omitempty"`
	Digest    string        `json:"digest"` // the partition of its Token
}

// TokenEntryKey is where the entry of a token is: by kind, owner and name.
func TokenEntryKey(account string, e TokenEntry) Key {
	return Key{"A#" + account + "#T", TokenEntryPrefix(e.Kind, e.Owner()) + e.Name}
}

// TokenEntryPrefix begins the sort keys of an owner's entries.
func TokenEntryPrefix(kind PrincipalKind, owner string) string {
	return string(kind) + "#" + owner + "#"
}

// Over reports whether the token was revoked or has ended by itself.
func (e TokenEntry) Over(now int64) bool { return e.Revoked != 0 || e.Until != 0 && now >= e.Until }

// Owner is whose token it is: a user, or the path of the scope that a delegate's token is
// for, "" for the account.
func (e TokenEntry) Owner() string {
	if e.Scope.Org != "" {
		return e.Scope.Path()
	}
	return e.User
}
