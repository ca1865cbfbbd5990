package govern

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Links makes and checks approval links.
type Links struct {
	store   core.Store
	secrets core.Secrets
	ids     core.IDs
	clock   core.Clock
}

// NewLinks returns Links whose keys are in the Secrets port.
func NewLinks(p core.Ports) *Links { return &Links{p.Store, p.Secrets, p.IDs, p.Clock} }

// Make returns the text of a link; Nonce is filled in.
func (l *Links) Make(ctx context.Context, link Link) (string, error) {
	key, err := l.key(ctx, link.Account)
	if fault.Is(err, fault.NotFound) {
		key, err = l.newKey(ctx, link.Account)
	}
	if err != nil {
		return "", err
	}
	link.Nonce = l.ids.New()
	return sealLink(key, link)
}

// Open checks a link's text: fault.Forbidden when it is not ours as it stands,
// fault.Gone when its time has passed or a decision was recorded with it.
func (l *Links) Open(ctx context.Context, token string) (Link, error) {
	hint, _, _ := strings.Cut(token, ".")
	account, err := decode(hint)
	if err != nil || len(token) > maxLink || !utf8.Valid(account) || strings.ContainsAny(string(account), "/#\x00") {
		return Link{}, errLink()
	}
	key, err := l.key(ctx, string(account))
	if fault.Is(err, fault.NotFound) {
		return Link{}, errLink()
	}
	if err != nil {
		return Link{}, err
	}
	link, err := openLink(key, token)
	if err != nil {
		return Link{}, err
	}
	if core.Millis(l.clock.Now()) >= link.Expires {
		return link, fault.New(fault.Gone, "this link's time has passed")
	}
	_, err = l.store.Get(ctx, usedKey(link), true)
	switch {
	case err == nil:
		return link, fault.New(fault.Gone, "this link was used: a decision was recorded with it")
	case fault.Is(err, fault.NotFound):
		return link, nil
	default:
		return link, err
	}
}

// Burn makes the link useless. It is called once its decision is recorded: a
// refused one leaves the link as it was. Should the process end in between, the
// track refuses a second answer of the same person all the same.
func (l *Links) Burn(ctx context.Context, link Link) error {
	err := l.store.Write(ctx, core.Put{If: core.IfAbsent(), Item: core.Item{
		Key: usedKey(link), Body: []byte("{}"), Version: 1, Expires: link.Expires/1000 + 24*60*60}})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

func usedKey(l Link) core.Key { return core.Key{PK: "A#" + l.Account + "#link", SK: "used#" + l.Nonce} }

func keyKey(account string) core.Key { return core.Key{PK: "A#" + account + "#link", SK: "key"} }

// keyRecord names the secret that is an account's key.
type keyRecord struct {
	Secret string `json:"secret"`
}

// key returns the account's key; fault.NotFound when no link was ever made.
func (l *Links) key(ctx context.Context, account string) ([]byte, error) {
	item, err := l.store.Get(ctx, keyKey(account), true)
	if err != nil {
		return nil, err
	}
	var r keyRecord
	if err := json.Unmarshal(item.Body, &r); err != nil {
		return nil, err
	}
	return l.secrets.Get(ctx, r.Secret)
}

// newKey makes the account's key. Of several made at once the first recorded
// stands: Secrets alone could not tell which came first.
func (l *Links) newKey(ctx context.Context, account string) ([]byte, error) {
	r := keyRecord{Secret: account + "/link-key/" + l.ids.New()}
	if err := l.secrets.Put(ctx, r.Secret, []byte(l.ids.Token())); err != nil {
		return nil, err
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	err = l.store.Write(ctx, core.Put{If: core.IfAbsent(), Item: core.Item{Key: keyKey(account), Body: body, Version: 1}})
	if err != nil && !fault.Is(err, fault.Conflict) {
		return nil, err
	}
	return l.key(ctx, account)
}
