package govern_test

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/secret"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// ports are real adapters over a temporary folder, and a clock that is set.
func ports(t *testing.T) (core.Ports, *clock.Manual) {
	t.Helper()
	dir, c := t.TempDir(), clock.NewManual(epoch)
	f, err := file.Open(filepath.Join(dir, "db"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	s, err := secret.Open(t.Context(), f.Records("secret"), filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	return core.Ports{Store: f.Store(), Secrets: s, Clock: c, IDs: clock.Seeded(c, 1)}, c
}

func link(account string) govern.Link {
	return govern.Link{Account: account, Approval: "RUN.0.1.abc", User: "alice",
		Digest: govern.LinkDigest("RUN.0.1.abc", "node", map[string]int{"minimumCount": 1}), Expires: epoch.Add(time.Hour).UnixMilli()}
}

func TestLinkKeepsWhatItSays(t *testing.T) {
	p, _ := ports(t)
	token, err := govern.NewLinks(p).Make(t.Context(), link("acct"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := govern.NewLinks(p).Open(t.Context(), token) // another process
	if err != nil || got.Nonce == "" {
		t.Fatal(got, err)
	}
	got.Nonce = ""
	if diff := cmp.Diff(link("acct"), got); diff != "" {
		t.Error(diff)
	}
}

func TestLinkThatWasTouchedIsRefused(t *testing.T) {
	p, _ := ports(t)
	links := govern.NewLinks(p)
	ctx := t.Context()
	token, err := links.Make(ctx, link("acct"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := links.Make(ctx, link("other"))
	if err != nil {
		t.Fatal(err)
	}
	part := func(s string, i int) string { return strings.Split(s, ".")[i] }
	b64 := base64.RawURLEncoding.EncodeToString
	bad := map[string]string{
		"empty":                   "",
		"no MAC":                  part(token, 0) + "." + part(token, 1),
		"empty MAC":               part(token, 0) + "." + part(token, 1) + ".",
		"MAC of another":          part(token, 0) + "." + part(token, 1) + "." + part(other, 2),
		"payload of another":      part(token, 0) + "." + part(other, 1) + "." + part(token, 2),
		"key of another":          part(other, 0) + "." + part(token, 1) + "." + part(token, 2),
		"account without a key":   b64([]byte("nobody")) + "." + part(token, 1) + "." + part(token, 2),
		"account not in UTF-8":    b64([]byte{'a', 0xb7}) + "." + part(token, 1) + "." + part(token, 2),
		"account that climbs":     b64([]byte("acct/x#y")) + "." + part(token, 1) + "." + part(token, 2),
		"account in another form": part(token, 0) + "=." + part(token, 1) + "." + part(token, 2),
		"too long":                token + strings.Repeat("A", 3000),
		"a line more":             token + "\n",
	}
	for i := range token {
		flipped := []byte(token)
		if flipped[i]++; flipped[i] == '.' {
			flipped[i]++
		}
		bad["character "+string(rune('0'+i%10))+" of "+token[:i]] = string(flipped)
	}
	for name, text := range bad {
		if _, err := links.Open(ctx, text); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := links.Open(ctx, token); err != nil {
		t.Error("the link itself: ", err)
	}
}

func TestLinkEnds(t *testing.T) {
	p, c := ports(t)
	links := govern.NewLinks(p)
	token, err := links.Make(t.Context(), link("acct"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := links.Make(t.Context(), link("acct"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := links.Open(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // burning twice is burning
		if err := links.Burn(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := links.Open(t.Context(), token); !fault.Is(err, fault.Gone) {
		t.Error("a used link: ", err)
	}
	if _, err := links.Open(t.Context(), second); err != nil {
		t.Error("another link of the same approval: ", err)
	}
	c.Advance(time.Hour - time.Millisecond)
	if _, err := links.Open(t.Context(), second); err != nil {
		t.Error("at its last moment: ", err)
	}
	c.Advance(time.Millisecond)
	if _, err := links.Open(t.Context(), second); !fault.Is(err, fault.Gone) {
		t.Error("past its time: ", err)
	}
}

// Of many processes that make an account's first link at once, one makes the key.
func TestOneKey(t *testing.T) {
	p, _ := ports(t)
	tokens := make([]string, 20)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			var err error
			if tokens[i], err = govern.NewLinks(p).Make(context.Background(), link("acct")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if _, err := govern.NewLinks(p).Open(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
}

func TestLinkDigestTellsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range []string{
		govern.LinkDigest("a", "b", map[string]any{"n": 1}), govern.LinkDigest("a", "b", map[string]any{"n": 2}),
		govern.LinkDigest("a", "c", map[string]any{"n": 1}), govern.LinkDigest("ab", "", map[string]any{"n": 1}),
	} {
		if len(d) != 64 || seen[d] {
			t.Errorf("digest %q", d)
		}
		seen[d] = true
	}
}

func TestActorIsInTheGroupsOfEverybody(t *testing.T) {
	u := core.User{ID: "u", Groups: []string{"g"}}
	a := govern.Actor(u)
	if diff := cmp.Diff([]string{"g", "_account_all_users", "_organization_all_users", "_project_all_users"}, a.Groups); diff != "" {
		t.Error(diff)
	}
	if len(u.Groups) != 1 {
		t.Error("the user itself was changed")
	}
}
