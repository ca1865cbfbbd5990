package ng

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// v1Paths are the paths of a collection of Harness's v1 routes in each scope.
func v1Paths(name string) []string {
	return []string{"/v1/" + name, "/v1/orgs/{org}/" + name, "/v1/orgs/{org}/projects/{project}/" + name}
}

// bare answers as v1 routes do: what went well without an envelope, under a status, and
// what is not there with 404.
func bare(status int, h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		a, err := h(c)
		if e, ok := a.Body.(httpio.Envelope); ok {
			a.Body = e.Data
		}
		if a.Status = status; status == http.StatusNoContent {
			a.Body = nil
		}
		return a, httpio.Plainly(err)
	}
}

// plainly tells of what is not there with 404, for clients that look at the status.
func plainly(h request.Handler) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		a, err := h(c)
		return a, httpio.Plainly(err)
	}
}

// inNG is a call with the parameters of a v1 list as NG routes call them.
func inNG(c *request.Call, fields map[string]string) (*request.Call, error) {
	q := url.Values{}
	for from, to := range map[string]string{"page": "page", "limit": "size", "search_term": "searchTerm", "identifiers": "identifiers"} {
		if v, ok := c.Q[from]; ok {
			q[to] = v
		}
	}
	if field := c.Q.Get("sort"); field != "" {
		to, ok := fields[field]
		if !ok {
			return nil, fault.New(fault.Unsupported, "not supported yet: query parameter sort=%s", field)
		}
		q.Set("sort", strings.TrimSuffix(to+","+c.Q.Get("order"), ","))
	}
	next := *c
	next.Q = q
	return &next, nil
}

// v1Fields are what v1 lists may be ordered by.
var v1Fields = map[string]string{"identifier": "identifier", "slug": "identifier", "name": "name", "created": "createdAt", "updated": "lastModifiedAt"}

// v1Page answers with a page of a v1 list.
func v1Page(items []any, total int, p httpio.Paging) httpio.Answer {
	return httpio.Answer{Body: items, Header: map[string]string{"X-Total-Elements": strconv.Itoa(total),
		"X-Page-Number": strconv.Itoa(p.Page), "X-Page-Size": strconv.Itoa(p.Size)}}
}

// local refuses requests that mean Git, and those with any of the parameters more.
func local(h request.Handler, more ...string) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		if err := httpio.Unsupported(c.Q, append(more, inGit...)...); err != nil {
			return httpio.Answer{}, err
		}
		return h(c)
	}
}
