package govern

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// MaxSecret bounds the value of a secret, in bytes (core.Secrets).
const MaxSecret = 64 << 10

// SetSecret gives a secret a value, replacing an older one. ref is what pipelines
// call it: an identifier, with "account." or "org." before it for those scopes.
func (d *Directory) SetSecret(ctx context.Context, account string, by core.Actor, ref string, value []byte) (core.SecretEntry, error) {
	e := core.SecretEntry{Ref: ref, Updated: core.Millis(d.ports.Clock.Now()), By: by.ID}
	switch err := checkRef(ref); {
	case err != nil:
		return e, err
	case len(value) == 0:
		return e, fault.New(fault.Invalid, "secret %s: the value is empty", ref)
	case len(value) > MaxSecret:
		return e, fault.New(fault.TooLarge, "secret %s: the value has %d bytes, it may have %d", ref, len(value), MaxSecret)
	case !utf8.Valid(value):
		return e, fault.New(fault.Invalid, "secret %s: the value is not UTF-8 text: encode it, as base64, and decode it where it is used", ref)
	}
	// The entry comes first: a value that is not listed would be worse than the reverse.
	if err := d.write(ctx, put(core.SecretEntryKey(account, ref), e, core.Always())); err != nil {
		return e, err
	}
	return e, d.ports.Secrets.Put(ctx, core.SecretName(account, ref), value)
}

// RemoveSecret removes a secret's value and entry; absent is no error.
func (d *Directory) RemoveSecret(ctx context.Context, account, ref string) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	if err := d.ports.Secrets.Delete(ctx, core.SecretName(account, ref)); err != nil {
		return err
	}
	return d.ports.Store.Delete(ctx, core.SecretEntryKey(account, ref))
}

// Secrets lists the secrets that were given a value, by reference.
func (d *Directory) Secrets(ctx context.Context, account string) ([]core.SecretEntry, error) {
	return list[core.SecretEntry](ctx, d.ports.Store, core.SecretEntryKey(account, "").PK, "")
}

// checkRef refuses what no pipeline can refer to (BEHAVIOUR §1.2, §1.3).
func checkRef(ref string) error {
	id := ref
	for _, scope := range []string{"account.", "org."} {
		if rest, ok := strings.CutPrefix(ref, scope); ok {
			id = rest
		}
	}
	if !identifier(id) {
		return fault.New(fault.Invalid, "%q cannot be a secret's reference: use x, org.x or account.x, where x is of letters, digits and _, not beginning with a digit, at most 128", ref)
	}
	return nil
}
