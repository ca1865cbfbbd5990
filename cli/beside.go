package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/document"
)

// beside is something that is kept beside documents: what its route shows of it.
type beside struct {
	kind    string
	fields  map[string]any
	content []byte // of a file; nil for a folder and for what is none
}

// key tells it from others of its kind and place.
func (b beside) key() string {
	key := b.text("identifier")
	switch b.kind {
	case "apiKey":
		return b.text("parentIdentifier") + "." + key
	case "filter":
		properties, _ := b.fields["filterProperties"].(map[string]any)
		return fmt.Sprint(properties["filterType"], ".", key)
	}
	return key
}

func (b beside) text(field string) string {
	s, _ := b.fields[field].(string)
	return s
}

// besideKind says how one kind is read and kept.
type besideKind struct {
	kind, path string
	fields     []string // that are kept
	byID       bool     // it is changed at path/ID
}

const fileKind = "file"

// besideKinds in the order in which they need each other.
var besideKinds = []besideKind{
	{"userGroup", "/ng/api/user-groups", []string{"users", "notificationConfigs"}, false},
	{"serviceAccount", "/ng/api/serviceaccount", []string{"email"}, true},
	{"apiKey", "/ng/api/apikey", []string{"apiKeyType", "parentIdentifier", "defaultTimeToExpireToken"}, true},
	{"filter", "/ng/api/filters", []string{"filterProperties", "filterVisibility"}, false},
	{fileKind, "/ng/api/file-store", []string{"type", "parentIdentifier", "fileUsage", "mimeType", "path"}, true},
}

// take keeps the fields that say what somebody wanted, none that are empty.
func (k besideKind) take(item map[string]any) beside {
	b := beside{kind: k.kind, fields: map[string]any{}}
	for _, name := range append([]string{"identifier", "name", "description", "tags"}, k.fields...) {
		switch v := item[name].(type) {
		case nil:
		case string:
			if v != "" {
				b.fields[name] = v
			}
		case []any:
			if len(v) > 0 {
				b.fields[name] = v
			}
		case map[string]any:
			if len(v) > 0 {
				b.fields[name] = v
			}
		default:
			b.fields[name] = v
		}
	}
	return b
}

// besides reads what is kept in a place beside documents.
func besides(ctx context.Context, c *client.Client, at client.Place) ([]beside, error) {
	var out []beside
	for _, k := range besideKinds {
		queries := []url.Values{nil}
		switch k.kind {
		case "filter":
			queries = nil
			for _, t := range document.FilterTypes {
				queries = append(queries, url.Values{"type": {t}})
			}
		case "apiKey":
			queries = nil
			for _, b := range out {
				if b.kind == "serviceAccount" {
					queries = append(queries, url.Values{"apiKeyType": {document.KeyOfService}, "parentIdentifier": {b.text("identifier")}})
				}
			}
		}
		for _, q := range queries {
			items, err := c.Listed(ctx, k.path, at, q)
			if err != nil {
				return nil, err
			}
			for _, item := range items {
				if item["orgIdentifier"] != orNil(at.Org) || item["projectIdentifier"] != orNil(at.Project) {
					continue // of a wider scope, listed here too
				}
				out = append(out, k.take(item))
			}
		}
	}
	for i, b := range out {
		if b.kind != fileKind || b.text("type") == "FOLDER" {
			continue
		}
		content, err := c.FileContent(ctx, at, b.text("identifier"))
		if err != nil {
			return nil, err
		}
		out[i].content = append([]byte{}, content...)
	}
	slices.SortStableFunc(out, besideOrder)
	return out, nil
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// besideOrder puts what others need before them: folders before what lies in them.
func besideOrder(x, y beside) int {
	rank := func(b beside) int {
		return slices.IndexFunc(besideKinds, func(k besideKind) bool { return k.kind == b.kind })
	}
	depth := func(b beside) int { return strings.Count(b.text("path"), "/") }
	return cmp.Or(rank(x)-rank(y), depth(x)-depth(y), strings.Compare(x.key(), y.key()))
}
