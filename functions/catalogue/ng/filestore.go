package ng

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// keeper is Catalogue.Create or Catalogue.Update.
type keeper func(context.Context, core.Entity, entity.Change) (core.Entity, error)

// file reads the file that the path names.
func (d *door) file(c *request.Call, r resource) (core.Entity, error) {
	ref := r.ref(c)
	if err := c.Allow(govern.View, ref); err != nil {
		return core.Entity{}, err
	}
	e, err := d.Catalogue.Get(c.Ctx, ref)
	return e, httpio.Missing(err)
}

func (d *door) getFile(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.file(c, r)
		if err != nil {
			return httpio.Answer{}, err
		}
		t, err := d.tree(c.Ctx, e.Scope)
		return fileAnswer(c, e, t), err
	}
}

func (d *door) download(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		e, err := d.file(c, r)
		switch {
		case err != nil:
			return httpio.Answer{}, err
		case e.Type != "FILE":
			return httpio.Answer{}, fault.New(fault.Invalid, "%s is a folder", e.Identifier)
		}
		data := []byte(e.YAML)
		if e.Facts["encoding"] == "base64" {
			if data, err = base64.StdEncoding.DecodeString(e.YAML); err != nil {
				return httpio.Answer{}, err
			}
		}
		return httpio.Answer{Header: map[string]string{"Content-Disposition": "attachment"}, Body: httpio.Raw{Type: "application/octet-stream", Data: data}}, nil
	}
}

func (d *door) listFiles(r resource) request.Handler {
	l := listing{page: "pageIndex", size: "pageSize", fallback: 50}
	return func(c *request.Call) (httpio.Answer, error) {
		rows, total, p, err := d.rows(c, r, l)
		if err != nil {
			return httpio.Answer{}, err
		}
		t, err := d.tree(c.Ctx, c.At)
		items := []any{}
		for _, row := range rows {
			items = append(items, showFile(row.EntityRow, t))
		}
		return httpio.OK(c.Request, httpio.NGPageOf(items, total, p)), err
	}
}

// folder shows what lies in a folder, not what lies deeper: Harness's FolderNode.
func (d *door) folder(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		var in struct {
			Identifier string `json:"identifier"`
		}
		if err := httpio.JSON(c.Request, httpio.MaxBody, &in); err != nil {
			return httpio.Answer{}, err
		}
		ref := r.ref(c)
		ref.Identifier = cmp.Or(in.Identifier, rootFolder)
		if err := c.Allow(govern.View, ref); err != nil {
			return httpio.Answer{}, err
		}
		t, err := d.tree(c.Ctx, ref.Scope)
		if err != nil {
			return httpio.Answer{}, err
		}
		out := map[string]any{"identifier": rootFolder, "name": rootFolder, "type": "FOLDER", "path": "/"}
		if ref.Identifier != rootFolder {
			row, ok := t.rows[ref.Identifier]
			if !ok || row.Type != "FOLDER" {
				return httpio.Answer{}, fault.New(fault.NotFound, "there is no folder %s", ref.Identifier)
			}
			out = showFile(row, t)
		}
		out["children"] = t.in(ref.Identifier)
		return httpio.OK(c.Request, out), nil
	}
}

func (d *door) removeFile(r resource) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		version, err := c.IfMatch()
		if err != nil {
			return httpio.Answer{}, err
		}
		ref := r.ref(c)
		if err := c.Allow(govern.Delete, ref); err != nil {
			return httpio.Answer{}, err
		}
		err = d.discard(c.Ctx, ref, entity.Change{By: c.Who.Actor.ID, Version: version}, forcedFile(c.Q))
		return httpio.OK(c.Request, err == nil), err
	}
}

// forcedFile reports whether a request changes what documents refer to all the same.
func forcedFile(q url.Values) bool { return cmp.Or(q.Get("forceDelete"), q.Get("force")) == "true" }
