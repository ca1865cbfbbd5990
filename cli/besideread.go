package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// placedBeside is what is beside documents, with where it goes.
type placedBeside struct {
	beside
	at client.Place
}

// readBeside reads what a backup holds beside documents, in the order in which one needs
// the other.
func readBeside(dir string) ([]placedBeside, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		kind := filepath.Base(filepath.Dir(name))
		known := slices.ContainsFunc(besideKinds, func(k besideKind) bool { return k.kind == kind })
		if err != nil {
			return unreadable(name, err)
		}
		if d.Type().IsRegular() && known && filepath.Ext(name) == ".json" {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []placedBeside
	for _, name := range names {
		it := placedBeside{beside: beside{kind: filepath.Base(filepath.Dir(name))}, at: placeIn(dir)(name)}
		if err := readJSON(name, &it.fields); err != nil {
			return nil, err
		}
		if it.kind == fileKind && it.text("type") != "FOLDER" {
			content := strings.TrimSuffix(name, ".json") + ".content"
			if it.content, err = os.ReadFile(content); err != nil {
				return nil, unreadable(content, err)
			}
		}
		out = append(out, it)
	}
	slices.SortStableFunc(out, func(x, y placedBeside) int { return besideOrder(x.beside, y.beside) })
	return out, nil
}

// readUsers reads the users of a backup.
func readUsers(dir string) (out []core.User, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "user", "*.json"))
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", dir, err)
	}
	for _, name := range names {
		var u core.User
		if err := readJSON(name, &u); err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

func readJSON(name string, v any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return unreadable(name, err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fault.New(fault.Invalid, "%s is damaged: %w", name, err)
	}
	return nil
}

// same compares what somebody wanted. Where a file lies follows from its folder.
func (b beside) same(other beside) bool {
	return bytes.Equal(b.content, other.content) && reflect.DeepEqual(b.fields, other.fields)
}

// keep creates it, or replaces what is there.
func (b beside) keep(ctx context.Context, c *client.Client, at client.Place, replace bool) error {
	k := besideKinds[slices.IndexFunc(besideKinds, func(k besideKind) bool { return k.kind == b.kind })]
	if b.kind != fileKind {
		path := k.path
		if replace && k.byID {
			path += "/" + url.PathEscape(b.text("identifier"))
		}
		return c.Keep(ctx, path, at, replace, b.fields)
	}
	form := map[string]string{}
	for name, v := range b.fields {
		switch v := v.(type) {
		case string:
			form[name] = v
		default:
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			form[name] = string(text)
		}
	}
	delete(form, "path")
	return c.KeepFile(ctx, at, replace, form, b.content)
}
