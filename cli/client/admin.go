package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/slipway-cd/slipway/shared/core"
)

// What only admins may ask for.
const (
	joinRoute  = "/slipway/v1/delegate-tokens"
	userRoute  = "/slipway/v1/users"
	valueRoute = "/slipway/v1/secrets"
)

// Token is a token as lists show it. Text is there once, when it is made.
type Token struct {
	Name      string `json:"name"`
	User      string `json:"user,omitempty"`
	Created   int64  `json:"created"` // ms
	By        string `json:"by"`
	Revoked   int64  `json:"revoked,omitempty"` // ms
	RevokedBy string `json:"revokedBy,omitempty"`
	Text      string `json:"token,omitempty"`
}

// tokensOf is where tokens are: a user's, or the delegates' for user "".
func tokensOf(user string) string {
	if user == "" {
		return joinRoute
	}
	return userRoute + "/" + url.PathEscape(user) + "/tokens"
}

// MakeToken makes a token of a user, or a join token for user "".
func (c *Client) MakeToken(ctx context.Context, user, name string) (out Token, err error) {
	return out, c.post(ctx, tokensOf(user), map[string]string{"name": name}, &out)
}

// Tokens lists a user's tokens, or the join tokens for user "".
func (c *Client) Tokens(ctx context.Context, user string) ([]Token, error) {
	var out struct {
		Tokens []Token `json:"tokens"`
	}
	return out.Tokens, c.get(ctx, tokensOf(user), nil, &out)
}

// RevokeToken ends a token.
func (c *Client) RevokeToken(ctx context.Context, user, name string) (out Token, err error) {
	return out, c.call(ctx, http.MethodDelete, tokensOf(user)+"/"+url.PathEscape(name), nil, &out)
}

// Users lists the account's users.
func (c *Client) Users(ctx context.Context) ([]core.User, error) {
	var out struct {
		Users []core.User `json:"users"`
	}
	return out.Users, c.get(ctx, userRoute, nil, &out)
}

// SetUser makes a user or replaces the one of that id.
func (c *Client) SetUser(ctx context.Context, u core.User) (out core.User, err error) {
	body, err := json.Marshal(map[string]any{"name": u.Name, "email": u.Email, "groups": append([]string{}, u.Groups...), "admin": u.Admin})
	if err != nil {
		return out, err
	}
	return out, c.call(ctx, http.MethodPut, userRoute+"/"+url.PathEscape(u.ID), body, &out)
}

// RemoveUser removes a user; their tokens end.
func (c *Client) RemoveUser(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, userRoute+"/"+url.PathEscape(id), nil, nil)
}

// Secrets lists the secrets that were given a value, which is not told.
func (c *Client) Secrets(ctx context.Context) ([]core.SecretEntry, error) {
	var out struct {
		Secrets []core.SecretEntry `json:"secrets"`
	}
	return out.Secrets, c.get(ctx, valueRoute, nil, &out)
}

// SetSecret gives a secret a value. q names an organization and a project, as
// Harness's routes do, or is empty.
func (c *Client) SetSecret(ctx context.Context, ref string, value []byte, q url.Values) (out core.SecretEntry, err error) {
	return out, c.send(ctx, http.MethodPut, secretPath(ref, q), "text/plain; charset=utf-8", value, &out)
}

// RemoveSecret removes a secret; absent is no error.
func (c *Client) RemoveSecret(ctx context.Context, ref string, q url.Values) error {
	return c.call(ctx, http.MethodDelete, secretPath(ref, q), nil, nil)
}

func secretPath(ref string, q url.Values) string {
	path := valueRoute + "/" + url.PathEscape(ref)
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path
}
