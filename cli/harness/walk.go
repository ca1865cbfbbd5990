package harness

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// Walk hands over every document and file of the account. What the source does not offer,
// or does not show to the key, is told to missed and passed over; what the caller has from
// before is not read again.
func (s *Source) Walk(ctx context.Context, have func(Document) bool, yield func(Document) error, missed func(what string, err error)) error {
	w := &walk{source: s, have: have, yield: yield, missed: missed, absent: map[string]bool{}}
	if err := w.place(ctx, "", "", kinds); err != nil {
		return err
	}
	return w.homes(ctx, "organization", "", get("/ng/api/organizations"), func(org string) error {
		if err := w.place(ctx, org, "", kinds); err != nil {
			return err
		}
		return w.homes(ctx, "project", org, get("/ng/api/projects"), func(project string) error {
			return w.place(ctx, org, project, append(kinds[:len(kinds):len(kinds)], inProjects...))
		})
	})
}

// homes reads the organizations of the account, or the projects of one, and what is in each.
func (w *walk) homes(ctx context.Context, kind, org string, l list, inside func(identifier string) error) error {
	q := url.Values{}
	if org != "" {
		q.Set("orgIdentifier", org)
	}
	items, err := w.source.all(ctx, l, q)
	if skippable(err) && org != "" {
		w.missed(kind+"s of "+place(Document{Org: org}), err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, item := range items {
		id := text(item, kind, "identifier")
		if err := w.object(ctx, Document{Org: org, Kind: kind, Identifier: id}, at(item, kind)); err != nil {
			return err
		}
		if err := inside(id); err != nil {
			return err
		}
	}
	return nil
}

type walk struct {
	source *Source
	have   func(Document) bool
	yield  func(Document) error
	missed func(what string, err error)
	absent map[string]bool // routes that the source does not have
}

// place reads what lives in the account, an organization or a project.
func (w *walk) place(ctx context.Context, org, project string, of []kind) error {
	q := url.Values{}
	if org != "" {
		q.Set("orgIdentifier", org)
	}
	if project != "" {
		q.Set("projectIdentifier", project)
	}
	for _, k := range of {
		if err := w.kind(ctx, k, Document{Org: org, Project: project}, q); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) kind(ctx context.Context, k kind, d Document, q url.Values) error {
	asked := merged(q, k.query)
	items, err := w.source.all(ctx, k.list, asked)
	if skippable(err) {
		if !w.absent[k.list.path] {
			w.missed(k.name+" of "+place(d), err)
		}
		w.absent[k.list.path] = fault.Is(err, fault.NotFound) // it is missing everywhere: said once
		return nil
	}
	if err != nil {
		return err
	}
	for _, item := range items {
		entity := at(item, k.item...)
		d.Kind, d.Identifier, d.Label, d.Color = k.name, text(entity, "identifier"), text(entity, "versionLabel"), ""
		d.Stable, _ = at(entity, "stableTemplate").(bool)
		if strings.HasPrefix(k.name, "environment") {
			d.Color = text(entity, "color")
		}
		if at(item, "harnessManaged") == true || at(entity, "deleted") == true {
			continue // every account has it, or it is there no longer
		}
		fields, _ := entity.(map[string]any)
		if _, says := fields["orgIdentifier"]; says && (text(entity, "orgIdentifier") != d.Org || text(entity, "projectIdentifier") != d.Project) {
			continue // of a wider scope, listed here too
		}
		if err := w.one(ctx, k, d, q, item, entity); err != nil {
			return err
		}
		for _, b := range k.below {
			under := merged(q, url.Values{k.under: {d.Identifier}})
			if b.name == "trigger" {
				under.Set("targetIdentifier", d.Identifier)
			}
			if err := w.kind(ctx, b, Document{Org: d.Org, Project: d.Project, Parent: d.Identifier}, under); err != nil {
				return err
			}
		}
	}
	return nil
}

// one hands over the document of a listed item.
func (w *walk) one(ctx context.Context, k kind, d Document, q url.Values, item, entity any) error {
	if w.have(d) {
		return nil
	}
	var err error
	switch {
	case k.name == "file":
		return w.file(ctx, d, q, entity)
	case k.one != nil:
		d.YAML, err = k.one(ctx, w.source, merged(q, nil), entity)
	case k.yaml != nil:
		if d.YAML = text(entity, k.yaml...); d.YAML == "" && k.single != nil {
			d.YAML, err = k.single(ctx, w.source, merged(q, nil), entity)
		}
	default:
		return w.object(ctx, d, entity)
	}
	if err == nil {
		err = d.unreadable(text(entity, "storeType"))
	}
	if skippable(err) {
		w.missed(k.name+" "+d.Identifier+" of "+place(d), err)
		return nil
	}
	if err != nil {
		return err
	}
	return w.yield(d)
}

// unreadable says why a document cannot be taken as it came.
func (d Document) unreadable(store string) error {
	if d.YAML == "" && store == "REMOTE" {
		return fault.New(fault.NotFound, "it is kept in Git, and comes without its text: take its file from there")
	}
	if d.YAML == "" {
		return fault.New(fault.NotFound, "it has no document there")
	}
	docs, diags := yamldoc.Parse(d.Identifier, []byte(d.YAML))
	switch {
	case diags.Blocks():
		return fault.New(fault.Invalid, "its text cannot be read: %s", diags)
	case len(docs) == 1 && document.KindOf(docs[0].Root) == "":
		return fault.New(fault.Unsupported, "not supported yet: YAML that does not begin with %s:, such as that of version 1", d.Kind)
	}
	return nil
}

// file hands over a file or folder of the file store.
func (w *walk) file(ctx context.Context, d Document, q url.Values, item any) error {
	if d.Identifier == "Root" {
		return nil
	}
	d.Item, _ = item.(map[string]any)
	if text(item, "type") != "FOLDER" {
		q := merged(q, url.Values{"accountIdentifier": {w.source.account}})
		content, err := w.source.read(ctx, http.MethodGet, "/ng/api/file-store/files/"+url.PathEscape(d.Identifier)+"/download", q, nil)
		if skippable(err) {
			w.missed("file "+text(item, "path")+" of "+place(d), err)
			return nil
		}
		if err != nil {
			return err
		}
		d.Content = append([]byte{}, content...)
	}
	return w.yield(d)
}

// said are the fields of a document that is no text there.
var said = []string{"name", "identifier", "description", "orgIdentifier", "projectIdentifier", "tags", "type", "spec", "color", "modules"}

// object hands over an entity that is no text there: what its JSON says of it, without
// what is empty.
func (w *walk) object(_ context.Context, d Document, entity any) error {
	whole, _ := lean(entity).(map[string]any)
	fields := map[string]any{}
	for _, name := range said {
		if v, ok := whole[name]; ok {
			fields[name] = v
		}
	}
	if spec, ok := fields["spec"].(map[string]any); ok && d.Kind == "secret" {
		delete(spec, "errorMessageForInvalidYaml") // it is the API's, and no document's
		delete(spec, "type")
	}
	body, err := json.Marshal(map[string]any{d.Kind: fields})
	if err != nil {
		return err
	}
	docs, diags := yamldoc.Parse(d.Identifier, body)
	if diags.Blocks() {
		return fault.New(fault.Invalid, "%s %s: %s", d.Kind, d.Identifier, diags)
	}
	if d.YAML, err = docs[0].Root.Encode(); err != nil {
		return err
	}
	return w.yield(d)
}
