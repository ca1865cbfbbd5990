package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
)

// TestCredentials makes what people and machines sign in with, uses it until it ends, and
// keeps what stands beside documents: groups, filters and files.
func TestCredentials(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := client.Place{Org: "default", Project: "held_" + newID()}
		for _, text := range []string{"project: {name: Held, identifier: " + at.Project + "}",
			"connector: {name: Hub, identifier: hub, type: DockerRegistry, spec: {dockerRegistryUrl: 'https://x', providerType: Other, auth: {type: Anonymous}}}",
			"connector: {name: Code, identifier: code, type: Github, spec: {url: 'https://x', type: Account, authentication: {type: Http, spec: {type: Anonymous}}}}"} {
			if _, err := w.user["admin"].Apply(t.Context(), client.Applied{Place: at, File: "held.yaml", YAML: text}); err != nil {
				t.Fatal(w.name, err)
			}
		}
		h := held{w, "accountIdentifier=default&orgIdentifier=default&projectIdentifier=" + at.Project}
		h.tokens(t)
		h.group(t)
		h.filter(t)
		h.file(t)
		h.delegates(t)
		if err := w.user["admin"].DeleteEntity(t.Context(), client.EntityRef{Place: client.Place{Org: "default"}, Kind: "project", ID: at.Project}, true); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	})
}

// held is a project of its own on a control plane.
type held struct {
	*world
	at string // as a query
}

// do makes a request as the admin and returns the data of its answer.
func (h held) do(t *testing.T, method, path, body string) any {
	t.Helper()
	var out struct{ Data any }
	h.must(t, http.StatusOK, method, path, "admin", body).into(t, &out)
	return out.Data
}

// opens asks what a token is answered.
func (h held) opens(t *testing.T, what, token string, status int) {
	t.Helper()
	if a, err := h.call(t.Context(), "GET", "/ng/api/servicesV2?"+h.at, "", "", "x-api-key", token); err != nil || a.status != status {
		t.Errorf("%s: a token %s: %v %v, want %d", h.name, what, a, err, status)
	}
}

// tokens makes a token of a service account, uses, rotates and ends it.
func (h held) tokens(t *testing.T) {
	const of, far = `"apiKeyType":"SERVICE_ACCOUNT","parentIdentifier":"ci"`, int64(4102444800000)
	h.do(t, "POST", "/ng/api/serviceaccount?"+h.at, `{"identifier":"ci","name":"CI","email":"ci@example.com"}`)
	h.do(t, "POST", "/ng/api/apikey?"+h.at, `{"identifier":"key","name":"Key",`+of+`}`)
	token := `{"identifier":"t","name":"T","apiKeyIdentifier":"key",` + of
	first, _ := h.do(t, "POST", "/ng/api/token?"+h.at, token+"}").(string)
	h.opens(t, "that is new", first, http.StatusOK)
	if a, err := h.call(t.Context(), "GET", "/ng/api/servicesV2?accountIdentifier=default&orgIdentifier=default", "", "", "x-api-key", first); err != nil || a.status != http.StatusForbidden {
		t.Errorf("%s: a project's token in its organization: %v %v", h.name, a, err)
	}
	rotate := "/ng/api/token/rotate/t?" + h.at + "&apiKeyType=SERVICE_ACCOUNT&parentIdentifier=ci&apiKeyIdentifier=key&rotateTimestamp="
	second, _ := h.do(t, "POST", rotate+fmt.Sprint(far), "").(string)
	h.opens(t, "within its grace", first, http.StatusOK)
	third, _ := h.do(t, "POST", rotate+"1", "").(string)
	h.opens(t, "that was rotated", second, http.StatusUnauthorized)
	h.opens(t, "that came of it", third, http.StatusOK)
	h.do(t, "PUT", "/ng/api/token/t?"+h.at, token+`,"validFrom":1,"validTo":2}`)
	h.opens(t, "that has expired", third, http.StatusUnauthorized)
}

func (h held) group(t *testing.T) {
	h.do(t, "POST", "/ng/api/user-groups?"+h.at, `{"identifier":"team","name":"Team","users":["bob"]}`)
	member := "/ng/api/user-groups/team/member/bob?" + h.at
	if in := h.do(t, "GET", member, ""); in != true {
		t.Errorf("%s: bob is in the group he was put in: %v", h.name, in)
	}
	h.do(t, "DELETE", member, "")
	if in := h.do(t, "GET", member, ""); in != false {
		t.Errorf("%s: bob is in the group he was taken out of: %v", h.name, in)
	}
}

// filter saves a filter and lists by what it says.
func (h held) filter(t *testing.T) {
	org, project := "default", h.at[strings.LastIndex(h.at, "=")+1:]
	h.do(t, "POST", "/ng/api/filters?accountIdentifier=default",
		fmt.Sprintf(`{"name":"Hubs","identifier":"hubs","orgIdentifier":%q,"projectIdentifier":%q,"filterProperties":{"filterType":"Connector","types":["DockerRegistry"]}}`, org, project))
	var kept struct {
		Data struct{ FilterProperties map[string]any }
	}
	h.must(t, http.StatusOK, "GET", "/ng/api/filters/hubs?"+h.at+"&type=Connector", "admin", "").into(t, &kept)
	if kept.Data.FilterProperties["filterType"] != "Connector" {
		t.Errorf("%s: the filter: %v", h.name, kept)
	}
	var page struct {
		Data struct {
			TotalItems int
			Content    []struct{ Connector struct{ Identifier string } }
		}
	}
	h.must(t, http.StatusOK, "POST", "/ng/api/connectors/listV2?"+h.at, "admin", `{"filterType":"Connector","types":["DockerRegistry"]}`).into(t, &page)
	if page.Data.TotalItems != 1 || page.Data.Content[0].Connector.Identifier != "hub" {
		t.Errorf("%s: connectors by type: %+v", h.name, page.Data)
	}
}

func (h held) file(t *testing.T) {
	body := ""
	for _, field := range [][2]string{{"identifier", "values"}, {"name", "values.yaml"}, {"type", "FILE"}, {"parentIdentifier", "Root"}, {"content", "a: ü\n"}} {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + field[0] + "\"\r\n\r\n" + field[1] + "\r\n"
	}
	h.must(t, http.StatusOK, "POST", "/ng/api/file-store?"+h.at, "admin", body+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
	if a := h.must(t, http.StatusOK, "GET", "/ng/api/file-store/files/values/download?"+h.at, "admin", ""); string(a.body) != "a: ü\n" {
		t.Errorf("%s: the file: %q", h.name, a.body)
	}
}

// delegates makes a token for delegates, uses and revokes it. An empty call says whether
// it is known.
func (h held) delegates(t *testing.T) {
	const route = "/ng/api/delegate-token-ng?accountIdentifier=default&tokenName="
	name := "pool-" + newID()
	var made struct{ Resource struct{ Value string } }
	h.must(t, http.StatusOK, "POST", route+name, "admin", "").into(t, &made)
	for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized} {
		a, err := h.call(t.Context(), "POST", "/slipway/v1/delegate/sync", "", "", "Authorization", "Bearer "+made.Resource.Value)
		if err != nil || a.status != status {
			t.Errorf("%s: a delegate's token: %v %v, want %d", h.name, a, err, status)
		}
		h.must(t, http.StatusOK, "PUT", route+name+"&status=REVOKED", "admin", "")
	}
	h.must(t, http.StatusOK, "DELETE", route+name, "admin", "")
}
