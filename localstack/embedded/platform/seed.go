package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// firstUsers is written as users.yaml on first start.
const firstUsers = `# Users and the groups they are in. Read at every start of the platform.
# The admin's token is in admin-token; --as USER acts as another user, for examples.
users:
  - {id: admin, name: Admin, email: admin@localhost, admin: true, groups: [approvers]}
  - {id: alice, name: Alice, email: alice@localhost, groups: [approvers]}
  - {id: bob, name: Bob, email: bob@localhost, groups: [approvers]}
  - {id: carol, name: Carol, email: carol@localhost, groups: []}
`

// seed makes sure of users, the admin's token and a join token, as files (mode
// 0600) and in the store.
func seed(ctx context.Context, dir, account string, g *govern.Govern, ids core.IDs) (admin, join string, err error) {
	users, err := fileOr(filepath.Join(dir, "users.yaml"), func() string { return firstUsers })
	if err != nil {
		return "", "", err
	}
	if err := seedUsers(ctx, filepath.Join(dir, "users.yaml"), users, account, g); err != nil {
		return "", "", err
	}
	for _, t := range []struct {
		file   string
		into   *string
		record core.Token
	}{
		{"admin-token", &admin, core.Token{Kind: core.PrincipalUser, Account: account, User: "admin", Name: "admin"}},
		{"join-token", &join, core.Token{Kind: core.PrincipalDelegate, Account: account, Name: "default"}},
	} {
		text, err := fileOr(filepath.Join(dir, t.file), func() string { return ids.Token() + "\n" })
		if err != nil {
			return "", "", err
		}
		*t.into = strings.TrimSpace(text)
		if err := g.PutToken(ctx, *t.into, t.record); err != nil {
			return "", "", err
		}
	}
	return admin, join, nil
}

func seedUsers(ctx context.Context, path, text, account string, g *govern.Govern) error {
	docs, diags := yamldoc.Parse(path, []byte(text))
	if diags.Blocks() {
		return fault.New(fault.Invalid, "%s", diags)
	}
	var parsed struct{ Users []core.User }
	for _, d := range docs {
		body, err := json.Marshal(d.Root.Any())
		if err != nil {
			return err
		}
		if err := json.Unmarshal(body, &parsed); err != nil {
			return fault.New(fault.Invalid, "%s: it holds users, each with id, name, email, groups and admin: %w", path, err)
		}
	}
	for _, u := range parsed.Users {
		if err := g.PutUser(ctx, account, u); err != nil {
			return err
		}
	}
	return nil
}

// accountOf is the account that a data folder was begun with, or begins with now.
func accountOf(dir, asked string) (string, error) {
	if asked != "" {
		if err := govern.CheckAccount(asked); err != nil {
			return "", err
		}
	}
	text, err := fileOr(filepath.Join(dir, "account"), func() string {
		if _, err := os.Stat(filepath.Join(dir, "admin-token")); err == nil { // begun before accounts had names
			return core.DefaultAccount + "\n"
		}
		return cmp.Or(asked, core.DefaultAccount) + "\n"
	})
	is := strings.TrimSpace(text)
	if err == nil && asked != "" && asked != is {
		return "", fault.New(fault.Conflict, "the data in %s is of the account %q, not of %q: another account needs a folder of its own", dir, is, asked)
	}
	return is, err
}

// fileOr reads a file, or writes it on first use, whole or not at all.
func fileOr(path string, first func() string) (string, error) {
	b, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(b), err
	}
	text := first()
	return text, writeFile(path, []byte(text))
}

// writeFile writes a private file so that a crash leaves the old one or the new.
func writeFile(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
