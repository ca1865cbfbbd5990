package door_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
)

// service is a service's document whose value is much of one character, as long as size
// says that it is, by a comment at its end.
func service(id, fill string, size func(string) int, want int) string {
	text := "service:\n  name: Big\n  identifier: " + id + "\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n"
	for n := 0; size(text) < want-1_100_000; n++ {
		text += fmt.Sprintf("        - {name: v%d, type: String, value: '%s'}\n", n, strings.Repeat(fill, 250_000/len(fill)))
	}
	for size(text) < want-200_000 {
		text += "# " + strings.Repeat("a", 100_000) + "\n"
	}
	text += "# "
	return text + strings.Repeat("a", want-size(text))
}

func length(s string) int { return len(s) }

// TestLargestDocuments keeps documents at the bounds and reads them again by every route;
// what is a byte larger is not kept.
func TestLargestDocuments(t *testing.T) {
	f := apitest.Start(t)
	const home = "org=default&project=default"
	const ng = "accountIdentifier=default&orgIdentifier=default&projectIdentifier=default"
	for name, tc := range map[string]struct {
		fill   string
		size   func(string) int
		want   int
		reason string // why it is refused
	}{
		"bytes":        {"ü", length, core.MaxEntityYAML, ""},
		"bytes over":   {"ü", length, core.MaxEntityYAML + 1, "3145729 bytes"},
		"quotes":       {`"`, core.Sent, core.MaxEntitySent, ""},
		"quotes over":  {`"`, core.Sent, core.MaxEntitySent + 1, "could not be read again"},
		"angles":       {`<`, core.Sent, core.MaxEntitySent, ""},
		"angles over":  {`<`, core.Sent, core.MaxEntitySent + 1, "could not be read again"},
		"separators":   {"\u2028", core.Sent, core.MaxEntitySent, ""},
		"more of them": {"\u2028", core.Sent, core.MaxEntitySent + 1, "could not be read again"},
	} {
		t.Run(name, func(t *testing.T) {
			id := strings.ReplaceAll(name, " ", "_")
			text := service(id, tc.fill, tc.size, tc.want)
			a := f.Do(apitest.Request{Method: http.MethodPut, Path: "/slipway/v1/entities?" + home, Body: text, User: "admin", Header: map[string]string{"Content-Type": "application/yaml"}})
			if tc.reason != "" {
				if a.Status != http.StatusRequestEntityTooLarge || !strings.Contains(string(a.Body), tc.reason) {
					t.Errorf("%d %.500s", a.Status, a.Body)
				}
				return
			}
			a.Into(t, http.StatusCreated, nil)
			var own struct{ YAML string }
			var theirs struct {
				Data struct{ Service struct{ YAML string } }
			}
			var past struct {
				Changes []struct{ YAML string }
			}
			f.Get("/slipway/v1/entities/service/"+id+"?"+home, &own)
			f.Get("/ng/api/servicesV2/"+id+"?"+ng, &theirs)
			f.Get("/slipway/v1/entities/service/"+id+"/history?"+home, &past)
			for route, got := range map[string]string{"own": own.YAML, "NG": theirs.Data.Service.YAML, "history": past.Changes[0].YAML} {
				if got != text {
					t.Errorf("%s: %d bytes of %d", route, len(got), len(text))
				}
			}
		})
	}
}

// TestAnswersFit asks for more than one answer can carry.
func TestAnswersFit(t *testing.T) {
	f := apitest.Start(t)
	admin, err := client.New(f.Platform.URL(), f.Platform.AdminToken(), "")
	if err != nil {
		t.Fatal(err)
	}
	at := client.Place{Org: "default", Project: "default"}
	var texts []string
	for n := range 5 { // 3 versions of one and 2 of the other
		text := service("big"+fmt.Sprint(n%2), "a", length, core.MaxEntityYAML-n)
		if _, err := admin.Apply(t.Context(), client.Applied{Place: at, File: "big.yaml", YAML: text}); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	for _, tc := range []struct {
		size   string
		status int
	}{{"50", http.StatusRequestEntityTooLarge}, {"1", http.StatusOK}} {
		q := url.Values{"orgIdentifier": {"default"}, "projectIdentifier": {"default"}, "size": {tc.size}}
		a := f.Do(apitest.Request{Method: http.MethodGet, Path: "/ng/api/servicesV2?" + q.Encode(), User: "admin"})
		if a.Status != tc.status || a.Status != http.StatusOK && !strings.Contains(string(a.Body), "ask for fewer at once") {
			t.Errorf("a page of %s: %d %.500s", tc.size, a.Status, a.Body)
		}
	}
	changes, err := admin.History(t.Context(), client.EntityRef{Place: at, Kind: "service", ID: "big0"})
	if err != nil || len(changes) != 3 || changes[0].YAML != texts[4] || changes[1].YAML != texts[2] || changes[2].YAML != texts[0] {
		t.Errorf("%d changes: %v", len(changes), err)
	}
}
