package ng

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

func (d *door) fileRoutes() httpio.Routes {
	const path = "/ng/api/file-store"
	r := resource{kind: core.EntityFile}
	return httpio.Routes{
		"GET " + path:                          request.Scoped(d.listFiles(r)),
		"POST " + path:                         request.Scoped(d.createFile),
		"POST " + path + "/folder":             request.Scoped(d.folder(r)),
		"PUT " + path + "/{id}":                request.Scoped(d.updateFile),
		"GET " + path + "/{id}":                request.Scoped(d.getFile(r)),
		"GET " + path + "/files/{id}/download": request.Scoped(d.download(r)),
		"DELETE " + path + "/{id}":             request.Scoped(d.removeFile(r)),
	}
}

// maxFile bounds a file's content, in bytes: in base64 it fits where documents do.
const maxFile = 2 << 20

// readFile reads a form that describes a file or folder. content is nil when it says
// nothing of it.
func readFile(c *request.Call) (e core.Entity, content []byte, err error) {
	f, err := readForm(c, "content", maxFile)
	if err != nil {
		return e, nil, err
	}
	at, err := named{Org: f.fields["orgIdentifier"], Project: f.fields["projectIdentifier"]}.home(c)
	if err != nil {
		return e, nil, err
	}
	e = core.Entity{EntityRef: core.EntityRef{Kind: core.EntityFile, Scope: at, Identifier: cmp.Or(f.fields["identifier"], c.PathValue("id"))},
		Name: f.fields["name"], Description: f.fields["description"], Type: cmp.Or(f.fields["type"], "FILE")}
	for _, name := range []string{"parentIdentifier", "mimeType", "fileUsage"} {
		setFact(&e, name, f.fields[name])
	}
	e.Tags, err = fileTags(f.fields["tags"])
	if err == nil {
		err = checkFile(c, e, f.file)
	}
	return e, f.file, err
}

// fileTags reads tags as this route has them: [{"key": …, "value": …}].
func fileTags(text string) (map[string]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []struct{ Key, Value string }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fault.New(fault.Invalid, "tags is no list of {\"key\": …, \"value\": …}: %s", err)
	}
	tags := map[string]string{}
	for _, t := range list {
		tags[t.Key] = t.Value
	}
	return tags, nil
}

var fileUsages = []string{"", "MANIFEST_FILE", "CONFIG", "SCRIPT"}

// checkFile refuses what a file or folder cannot be.
func checkFile(c *request.Call, e core.Entity, content []byte) error {
	id := c.PathValue("id")
	switch {
	case !document.ValidIdentifier(e.Identifier) || e.Identifier == rootFolder:
		return fault.New(fault.Invalid, "%q cannot be the identifier of a file: use letters, digits and _, at most 128, and not %s", e.Identifier, rootFolder)
	case id != "" && id != e.Identifier:
		return fault.New(fault.Invalid, "the identifier is %q in the form and %q in the request: an identifier cannot be changed", e.Identifier, id)
	case e.Name == "" || len(e.Name) > 128 || e.Name == "." || e.Name == ".." || strings.ContainsAny(e.Name, "/\\\x00\r\n") || !utf8.ValidString(e.Name):
		return fault.New(fault.Invalid, "%q cannot be the name of a file: at most 128 bytes in one line, without / and \\", e.Name)
	case e.Type != "FILE" && e.Type != "FOLDER":
		return fault.New(fault.Invalid, "type is %q: expected FILE or FOLDER", e.Type)
	case core.Written(content) > core.MaxEntitySent:
		return fault.New(fault.TooLarge, "the file could not be read again: control characters take 6 bytes of an answer; encode it, as base64")
	case e.Type == "FOLDER" && len(content) > 0:
		return fault.New(fault.Invalid, "a folder has no content")
	case !slices.Contains(fileUsages, e.Facts["fileUsage"]):
		return fault.New(fault.Invalid, "fileUsage is %q: expected MANIFEST_FILE, CONFIG or SCRIPT", e.Facts["fileUsage"])
	}
	return c.Allow(govern.Edit, e.EntityRef)
}

// fill gives an entity the content of a file, in base64 when it is no text.
func fill(e *core.Entity, content []byte) {
	setFact(e, "size", strconv.Itoa(len(content)))
	if e.YAML = string(content); !utf8.Valid(content) {
		setFact(e, "encoding", "base64")
		e.YAML = base64.StdEncoding.EncodeToString(content)
	}
}

func (d *door) createFile(c *request.Call) (httpio.Answer, error) {
	e, content, err := readFile(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	if err := d.Catalogue.CheckScope(c.Ctx, e.Scope); err != nil {
		return httpio.Answer{}, err
	}
	fill(&e, content)
	return d.keepFile(c, e, d.Catalogue.Create)
}

// updateFile replaces what is said of a file; its content when there is one.
func (d *door) updateFile(c *request.Call) (httpio.Answer, error) {
	e, content, err := readFile(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	old, err := d.Catalogue.Get(c.Ctx, e.EntityRef)
	switch {
	case err != nil:
		return httpio.Answer{}, err
	case old.Type != e.Type:
		return httpio.Answer{}, fault.New(fault.Invalid, "%s is a %s: it cannot become a %s", e.Identifier, old.Type, e.Type)
	case content != nil:
		fill(&e, content)
	default:
		e.YAML = old.YAML
		setFact(&e, "size", old.Facts["size"])
		setFact(&e, "encoding", old.Facts["encoding"])
	}
	return d.keepFile(c, e, d.Catalogue.Update)
}

func (d *door) keepFile(c *request.Call, e core.Entity, keep keeper) (httpio.Answer, error) {
	version, err := c.IfMatch()
	if err != nil {
		return httpio.Answer{}, err
	}
	t, err := d.tree(c.Ctx, e.Scope)
	if err == nil {
		err = t.fits(e)
	}
	if err == nil && !forcedFile(c.Q) {
		err = d.staysPut(c.Ctx, t, e)
	}
	if err != nil {
		return httpio.Answer{}, err
	}
	kept, err := keep(c.Ctx, e, entity.Change{By: c.Who.Actor.ID, Version: version})
	if err != nil {
		return httpio.Answer{}, err
	}
	t.rows[kept.Identifier] = entity.Row(kept)
	return fileAnswer(c, kept, t), nil
}

func fileAnswer(c *request.Call, e core.Entity, t tree) httpio.Answer {
	m := showFile(entity.Row(e), t)
	m["description"], m["createdBy"] = orNil(e.Description), person(e.CreatedBy) // of which a row says less
	a := httpio.OK(c.Request, m)
	a.Header = map[string]string{"ETag": request.ETag(e)}
	return a
}

// showFile is Harness's File.
func showFile(row core.EntityRow, t tree) map[string]any {
	tags := []map[string]string{}
	for k, v := range row.Tags {
		tags = append(tags, map[string]string{"key": k, "value": v})
	}
	slices.SortFunc(tags, func(a, b map[string]string) int { return cmp.Compare(a["key"], b["key"]) })
	return map[string]any{"accountIdentifier": t.at.Account, "orgIdentifier": orNil(t.at.Org), "projectIdentifier": orNil(t.at.Project),
		"identifier": row.Identifier, "name": row.Name, "type": row.Type, "parentIdentifier": parentOf(row), "description": orNil(row.Description),
		"tags": tags, "fileUsage": orNil(row.Facts["fileUsage"]), "mimeType": orNil(row.Facts["mimeType"]), "path": t.path(row.Identifier), "draft": false,
		"createdBy": nil, "lastModifiedBy": person(row.By), "lastModifiedAt": row.Updated}
}

func person(id string) map[string]string { return map[string]string{"name": id, "email": ""} }
