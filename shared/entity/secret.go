package entity

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// MaxSecret bounds the value of a secret, in bytes (core.Secrets).
const MaxSecret = 64 << 10

// SetSecret gives a secret a value. ref is what a document of scope at calls it; a
// secret that is not there yet is created.
func (c *Catalogue) SetSecret(ctx context.Context, at core.Scope, ref string, value []byte, by string) (core.SecretEntry, error) {
	r := secretRef(at, ref)
	entry := core.SecretEntry{Ref: ref, By: by}
	if err := checkSecretRef(ref, r); err != nil {
		return entry, err
	}
	if err := checkValue(ref, value); err != nil {
		return entry, err
	}
	e, err := c.Get(ctx, r)
	if fault.Is(err, fault.NotFound) {
		var saved Saved
		saved, err = c.Save(ctx, Saving{Text: secretDocument(r), Expected: document.Expected{Kind: core.EntitySecret, Scope: r.Scope}, By: Change{By: by}})
		e = saved.Entity
	}
	if err != nil {
		return entry, err
	}
	entry.Updated = e.Updated
	return entry, c.secrets.Put(ctx, core.SecretName(r.Scope, r.Identifier), value)
}

func checkSecretRef(ref string, r core.EntityRef) error {
	if !document.ValidIdentifier(r.Identifier) {
		return fault.New(fault.Invalid, "%q cannot be a secret's reference: use x, org.x or account.x, where x is of letters, digits and _, not beginning with a digit, at most 128", ref)
	}
	return nil
}

// checkValue refuses what cannot be a secret's value.
func checkValue(ref string, value []byte) error {
	switch {
	case len(value) == 0:
		return fault.New(fault.Invalid, "secret %s: the value is empty", ref)
	case len(value) > MaxSecret:
		return fault.New(fault.TooLarge, "secret %s: the value has %d bytes, it may have %d", ref, len(value), MaxSecret)
	case !utf8.Valid(value):
		return fault.New(fault.Invalid, "secret %s: the value is not UTF-8 text: encode it, as base64, and decode it where it is used", ref)
	}
	return nil
}

// takeValue takes a secret's value out of its document. given comes beside it.
func takeValue(e *core.Entity, given []byte) ([]byte, error) {
	if e.Kind != core.EntitySecret {
		return nil, nil
	}
	rest, said, err := document.TakeValue(e.YAML)
	if err != nil {
		return nil, err
	}
	e.YAML = rest
	if said != nil {
		given = []byte(*said)
	}
	if given == nil {
		return nil, nil
	}
	if m := e.Facts["secretManagerIdentifier"]; m != "" && !document.BuiltIn(m) {
		return nil, fault.New(fault.Unsupported, "not supported yet: keeping the value of secret %s in secret manager %s: use %s, or valueType Reference", e.Identifier, m, document.BuiltInSecretManager)
	}
	return given, checkValue(e.Identifier, given)
}

// keepValue puts a secret's value where it is read from; nil leaves what is there. What
// becomes a reference into another secret manager has no value here.
func (c *Catalogue) keepValue(ctx context.Context, e core.Entity, value []byte) error {
	name := core.SecretName(e.Scope, e.Identifier)
	switch {
	case !document.HasValue(e):
		return c.secrets.Delete(ctx, name)
	case value == nil:
		return nil
	}
	return c.secrets.Put(ctx, name, value)
}

func secretRef(at core.Scope, ref string) core.EntityRef {
	s, id := at.Resolve(ref)
	return core.EntityRef{Kind: core.EntitySecret, Scope: s, Identifier: id}
}

// secretDocument is the document of a secret that was never written as one.
func secretDocument(r core.EntityRef) string {
	home := ""
	if r.Scope.Org != "" {
		home += "  orgIdentifier: " + r.Scope.Org + "\n"
	}
	if r.Scope.Project != "" {
		home += "  projectIdentifier: " + r.Scope.Project + "\n"
	}
	return fmt.Sprintf("secret:\n  type: SecretText\n  name: %[1]s\n  identifier: %[1]s\n%[2]s  spec:\n    secretManagerIdentifier: %[3]s\n    valueType: Inline\n",
		r.Identifier, home, document.BuiltInSecretManager)
}

// RemoveSecret removes a secret with its value; absent is no error. fault.Conflict
// when something refers to it.
func (c *Catalogue) RemoveSecret(ctx context.Context, at core.Scope, ref, by string) error {
	r := secretRef(at, ref)
	if err := checkSecretRef(ref, r); err != nil {
		return err
	}
	if err := c.Remove(ctx, r, Change{By: by}, false); !fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}

// Secrets lists the secrets that documents of a scope may refer to, by what they call
// them.
func (c *Catalogue) Secrets(ctx context.Context, at core.Scope) ([]core.SecretEntry, error) {
	out := []core.SecretEntry{}
	for _, s := range Visible(at) {
		rows, _, err := c.List(ctx, Query{Kind: core.EntitySecret, Scope: s})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out = append(out, core.SecretEntry{Ref: s.Prefix() + r.Identifier, Updated: r.Updated, By: r.By})
		}
	}
	return out, nil
}
