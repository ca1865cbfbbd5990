package client

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/slipway-cd/slipway/shared/fault"
)

// scoped is the query of Harness's own routes.
func (p Place) scoped(q url.Values) url.Values {
	out := url.Values{}
	for name, v := range map[string]string{"accountIdentifier": p.Account, "orgIdentifier": p.Org, "projectIdentifier": p.Project} {
		if v != "" {
			out.Set(name, v)
		}
	}
	for name, v := range q {
		out[name] = v
	}
	return out
}

// Listed reads all that one of Harness's lists holds in a place: pages, or an array.
func (c *Client) Listed(ctx context.Context, path string, at Place, q url.Values) (out []map[string]any, err error) {
	q = at.scoped(q)
	for page := 0; ; page++ {
		for _, name := range []string{"page", "pageIndex"} {
			q.Set(name, strconv.Itoa(page))
		}
		for _, name := range []string{"size", "pageSize"} {
			q.Set(name, "100")
		}
		var answer struct {
			Data json.RawMessage `json:"data"`
		}
		if err := c.get(ctx, path, q, &answer); err != nil {
			return nil, err
		}
		if bytes.HasPrefix(bytes.TrimSpace(answer.Data), []byte("[")) {
			return out, json.Unmarshal(answer.Data, &out)
		}
		var data struct {
			TotalPages int              `json:"totalPages"`
			Content    []map[string]any `json:"content"`
		}
		if err := json.Unmarshal(answer.Data, &data); err != nil {
			return nil, fault.New(fault.Internal, "%s answers otherwise than lists do: %w", path, err)
		}
		if out = append(out, data.Content...); len(data.Content) == 0 || page+1 >= data.TotalPages {
			return out, nil
		}
	}
}

// Keep creates something in a place by one of Harness's routes, or with replace changes it.
func (c *Client) Keep(ctx context.Context, path string, at Place, replace bool, body map[string]any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	method := http.MethodPost
	if replace {
		method = http.MethodPut
	}
	return c.call(ctx, method, path+"?"+at.scoped(nil).Encode(), text, nil)
}

const fileRoute = "/ng/api/file-store"

// FileContent reads a file of the file store.
func (c *Client) FileContent(ctx context.Context, at Place, id string) (out []byte, err error) {
	return out, c.get(ctx, fileRoute+"/files/"+url.PathEscape(id)+"/download", at.scoped(nil), &out)
}

// KeepFile puts a file or folder into the file store; content is nil for a folder.
func (c *Client) KeepFile(ctx context.Context, at Place, replace bool, fields map[string]string, content []byte) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := form.WriteField(name, fields[name]); err != nil {
			return err
		}
	}
	if content != nil {
		part, err := form.CreateFormFile("content", fields["name"])
		if err != nil {
			return err
		}
		if _, err := part.Write(content); err != nil {
			return err
		}
	}
	if err := form.Close(); err != nil {
		return err
	}
	method, path := http.MethodPost, fileRoute
	if replace {
		method, path = http.MethodPut, fileRoute+"/"+url.PathEscape(fields["identifier"])
	}
	return c.send(ctx, method, path+"?"+at.scoped(nil).Encode(), form.FormDataContentType(), body.Bytes(), nil)
}
