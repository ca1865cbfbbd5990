package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// account answers as Harness's services do: in the shapes of its OpenAPI document, with
// fields that mean nothing here, in pages, and now and then not at all.
type account struct {
	t     *testing.T
	calls map[string]int
	fail  func(call string, n int) (status int, header, body string)
}

const pipelineText = "# ours\npipeline:\n  name: Deploy\n  identifier: deploy\n  orgIdentifier: default\n  projectIdentifier: web\n  tags: {}\n  stages: []\n"

// answers are the bodies by method, path and what of the query tells them apart. Of what
// is not here there is nothing.
var answers = map[string]string{
	"GET /ng/api/organizations": `{"content":[{"organization":{"identifier":"default","name":"default","description":"","tags":{}},"createdAt":1,"lastModifiedAt":2,"harnessManaged":false},
		{"organization":{"identifier":"empty","name":"Empty","description":null,"tags":{}},"harnessManaged":false}],"totalPages":1}`,
	"GET /ng/api/projects default": `{"content":[{"project":{"orgIdentifier":"default","identifier":"web","name":"Web","color":"#0063f7","modules":["CD"],"description":"","tags":{"a":""}},"createdAt":1},
		{"project":{"orgIdentifier":"default","identifier":"hidden","name":"Hidden","modules":[]}}],"totalPages":1}`,
	"GET /ng/api/variables default/web": `{"content":[{"variable":{"identifier":"region","name":"region","description":"","orgIdentifier":"default","projectIdentifier":"web","type":"String",
		"spec":{"valueType":"FIXED","fixedValue":"eu"}},"createdAt":1,"lastModifiedAt":1}],"totalPages":1}`,
	"GET /ng/api/v2/secrets default/web": `{"content":[{"secret":{"type":"SecretText","name":"Key","identifier":"key","orgIdentifier":"default","projectIdentifier":"web","tags":{},"description":null,"owner":null,
		"spec":{"errorMessageForInvalidYaml":null,"type":"SecretTextSpec","secretManagerIdentifier":"harnessSecretManager","valueType":"Inline","value":null,"additionalMetadata":null}},"createdAt":1,"updatedAt":1,"draft":false,"governanceMetadata":null}],"totalPages":1}`,
	"POST /ng/api/connectors/listV2 default/web": `{"content":[
		{"connector":{"name":"Harness Built-in Secret Manager","identifier":"harnessSecretManager","description":null,"accountIdentifier":"acc","orgIdentifier":"default","projectIdentifier":"web","tags":{},"type":"GcpKms","spec":{}},"harnessManaged":true,"status":null},
		{"connector":{"name":"Hub","identifier":"hub","description":"","accountIdentifier":"acc","orgIdentifier":"default","projectIdentifier":"web","tags":{},"type":"DockerRegistry","parentUniqueId":"u",
			"spec":{"dockerRegistryUrl":"https://r.example","providerType":"Other","auth":{"type":"UsernamePassword","spec":{"username":"u","usernameRef":null,"passwordRef":"key"}},"delegateSelectors":[],"executeOnDelegate":true,"ignoreTestConnection":false}},
			"createdAt":1,"status":{"status":"SUCCESS"},"activityDetails":{},"harnessManaged":false,"gitDetails":{"valid":null},"favorite":false}],"totalPages":1}`,
	"POST /template/api/templates/list-metadata default/web 0": `{"content":[{"accountId":"acc","orgIdentifier":"default","projectIdentifier":"web","identifier":"say","name":"Say","versionLabel":"1","templateEntityType":"Step","childType":"Wait","stableTemplate":false,"storeType":"INLINE","yamlVersion":"0"}],"totalPages":2,"totalElements":2,"last":false,"number":0,"pageable":{}}`,
	"POST /template/api/templates/list-metadata default/web 1": `{"content":[{"accountId":"acc","orgIdentifier":"default","projectIdentifier":"web","identifier":"say","name":"Say","versionLabel":"2","templateEntityType":"Step","childType":"Wait","stableTemplate":true,"storeType":"INLINE","yamlVersion":"0"}],"totalPages":2,"totalElements":2,"last":true,"number":1,"pageable":{}}`,
	"GET /template/api/templates/say default/web 1":            `{"yaml":"template: {name: Say, identifier: say, versionLabel: \"1\", type: Step, spec: {type: Wait, spec: {duration: 10s}}}\n","versionLabel":"1"}`,
	"GET /template/api/templates/say default/web 2":            `{"yaml":"template: {name: Say, identifier: say, versionLabel: \"2\", type: Step, spec: {type: Wait, spec: {duration: 20s}}}\n","versionLabel":"2"}`,
	"GET /ng/api/servicesV2 default/web": `{"content":[{"service":{"accountId":"acc","identifier":"inline","orgIdentifier":"default","projectIdentifier":"web","name":"Inline","deleted":false,"tags":{},"yaml":"service: {name: Inline, identifier: inline}\n","storeType":"INLINE"},"createdAt":1},
		{"service":{"accountId":"acc","identifier":"remote","orgIdentifier":"default","projectIdentifier":"web","name":"Remote","deleted":false,"tags":{},"yaml":null,"storeType":"REMOTE","fallbackBranch":"main"},"createdAt":1},
		{"service":{"accountId":"acc","identifier":"lost","orgIdentifier":"default","projectIdentifier":"web","name":"Lost","deleted":false,"yaml":null,"storeType":"REMOTE"}}],"totalPages":1}`,
	"GET /ng/api/servicesV2/remote default/web": `{"service":{"identifier":"remote","yaml":"service: {name: Remote, identifier: remote}\n","storeType":"REMOTE"}}`,
	"GET /ng/api/servicesV2/lost default/web":   `{"service":{"identifier":"lost","yaml":null,"storeType":"REMOTE"}}`,
	"GET /ng/api/environmentsV2 default/web": `{"content":[{"environment":{"accountId":"acc","orgIdentifier":"default","projectIdentifier":"web","identifier":"prod","name":"Prod","description":null,"color":"#123456","type":"Production","deleted":false,"tags":{},"yaml":"environment: {name: Prod, identifier: prod, type: Production}\n","storeType":"INLINE"}},
		{"environment":{"orgIdentifier":"default","projectIdentifier":"web","identifier":"gone","name":"Gone","deleted":true,"yaml":"environment: {name: Gone, identifier: gone, type: Production}\n"}}],"totalPages":1}`,
	"GET /ng/api/infrastructures default/web prod":   `{"content":[{"infrastructure":{"accountId":"acc","identifier":"k8s","orgIdentifier":"default","projectIdentifier":"web","environmentRef":"prod","name":"K8s","type":"KubernetesDirect","deploymentType":"Kubernetes","yaml":"infrastructureDefinition: {name: K8s, identifier: k8s, environmentRef: prod, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: c, namespace: n, releaseName: r}}\n"}}],"totalPages":1}`,
	"POST /ng/api/environmentGroup/list default/web": `{"content":[{"envGroup":{"accountId":"acc","orgIdentifier":"default","projectIdentifier":"web","identifier":"all","name":"All","color":"#0063F7","deleted":false,"tags":{},"envIdentifiers":["prod"],"envResponse":[],"yaml":"environmentGroup: {name: All, identifier: all, envIdentifiers: [prod]}\n"}}],"totalPages":1}`,
	"POST /ng/api/serviceOverrides/v2/list default/web ENV_GLOBAL_OVERRIDE": `{"content":[{"identifier":"prod","accountId":"acc","orgIdentifier":"default","projectIdentifier":"web","environmentRef":"prod","serviceRef":null,"infraIdentifier":null,"type":"ENV_GLOBAL_OVERRIDE",
		"spec":{"variables":[{"name":"a","type":"String","value":"b"}],"manifests":null},"yamlInternal":null,"newlyCreated":false}],"totalPages":1}`,
	"POST /ng/api/freeze/list default/web":                        `{"content":[{"accountId":"acc","type":"MANUAL","status":"Disabled","name":"Night","identifier":"night","orgIdentifier":"default","projectIdentifier":"web","windows":[],"freezeScope":"project"}],"totalPages":1}`,
	"GET /ng/api/freeze/night default/web":                        `{"identifier":"night","yaml":"freeze: {name: Night, identifier: night, status: Disabled, windows: []}\n"}`,
	"GET /ng/api/file-store default/web":                          `{"content":[{"accountIdentifier":"acc","orgIdentifier":"default","projectIdentifier":"web","identifier":"values","name":"values.yaml","type":"FILE","parentIdentifier":"Root","fileUsage":"MANIFEST_FILE","path":"/values.yaml","tags":[],"draft":false}],"totalPages":1}`,
	"POST /pipeline/api/pipelines/list default/web":               `{"content":[{"name":"Deploy","identifier":"deploy","numOfStages":1,"storeType":"INLINE","yamlVersion":"0","isDraft":false},{"name":"Git","identifier":"git","storeType":"REMOTE","connectorRef":"github"},{"name":"New","identifier":"new","storeType":"INLINE","yamlVersion":"1"}],"totalPages":1}`,
	"GET /pipeline/api/pipelines/deploy default/web":              quotedIn(`{"yamlPipeline":%s,"resolvedTemplatesPipelineYaml":null,"gitDetails":{},"modules":["cd"],"storeType":"INLINE"}`, pipelineText),
	"GET /pipeline/api/pipelines/new default/web":                 `{"yamlPipeline":"version: 1\nkind: pipeline\nspec:\n  stages: []\n"}`,
	"GET /pipeline/api/inputSets default/web deploy":              `{"content":[{"identifier":"friday","name":"Friday","pipelineIdentifier":"deploy","inputSetType":"INPUT_SET","isOutdated":false},{"identifier":"both","name":"Both","pipelineIdentifier":"deploy","inputSetType":"OVERLAY_INPUT_SET"}],"totalPages":1}`,
	"GET /pipeline/api/inputSets/friday default/web deploy":       `{"identifier":"friday","inputSetYaml":"inputSet: {name: Friday, identifier: friday, orgIdentifier: default, projectIdentifier: web, pipeline: {identifier: deploy}}\n","errorResponse":false}`,
	"GET /pipeline/api/inputSets/overlay/both default/web deploy": `{"identifier":"both","overlayInputSetYaml":"overlayInputSet: {name: Both, identifier: both, orgIdentifier: default, projectIdentifier: web, pipelineIdentifier: deploy, inputSetReferences: [friday]}\n"}`,
	"GET /pipeline/api/triggers default/web deploy":               `{"content":[{"name":"Push","identifier":"push","type":"Webhook","triggerStatus":{},"enabled":true,"yaml":null,"yamlVersion":"0"}],"totalPages":1}`,
	"GET /pipeline/api/triggers/push/details default/web deploy":  `{"identifier":"push","yaml":"trigger: {name: Push, identifier: push, enabled: true, orgIdentifier: default, projectIdentifier: web, pipelineIdentifier: deploy, source: {type: Scheduled, spec: {type: Cron, spec: {expression: 0 0 * * *}}}}\n"}`,
}

func quotedIn(format, text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(format, b)
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	call := r.Method + " " + r.URL.Path
	a.calls[call]++
	if q.Get("accountIdentifier") != "acc" || r.Header.Get("x-api-key") != "pat.acc.x.y" {
		http.Error(w, `{"status":"ERROR","code":"INVALID_TOKEN","message":"Token is not valid."}`, http.StatusUnauthorized)
		return
	}
	if status, header, body := a.fail(call, a.calls[call]); status != 0 {
		w.Header().Set("Retry-After", header)
		http.Error(w, body, status)
		return
	}
	home := strings.Trim(q.Get("orgIdentifier")+"/"+q.Get("projectIdentifier"), "/")
	if home == "default/hidden" {
		http.Error(w, `{"status":"ERROR","code":"NG_ACCESS_DENIED","message":"Missing permission core_project_view","correlationId":"c"}`, http.StatusForbidden)
		return
	}
	if strings.HasPrefix(call, "GET /ng/api/file-store/files/values/") {
		fmt.Fprint(w, "image: {tag: \"1\"}\n")
		return
	}
	body, known := "", false
	for _, more := range []string{"", q.Get("pageIndex"), q.Get("versionLabel"), q.Get("environmentIdentifier"), q.Get("type"), q.Get("pipelineIdentifier"), q.Get("targetIdentifier")} {
		if b, ok := answers[strings.TrimSpace(strings.TrimSpace(call+" "+home)+" "+more)]; ok {
			body, known = b, true
		}
	}
	if !known {
		body = `{"content":[],"totalPages":0,"totalItems":0,"empty":true}`
	}
	fmt.Fprintf(w, `{"status":"SUCCESS","data":%s,"metaData":null,"correlationId":"c"}`, body)
}

// walked is what a walk hands over, by scope, kind and name.
func walked(t *testing.T, fail func(call string, n int) (int, string, string), have func(Document) bool) (docs map[string]Document, missed []string, a *account, waits []time.Duration, err error) {
	t.Helper()
	a = &account{t: t, calls: map[string]int{}, fail: fail}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	s, err := New(server.URL, "pat.acc.x.y", "")
	if err != nil {
		t.Fatal(err)
	}
	s.wait = func(_ context.Context, _ int, after time.Duration) error { waits = append(waits, after); return nil }
	docs = map[string]Document{}
	err = s.Walk(t.Context(), have, func(d Document) error {
		docs[strings.Join([]string{d.Org, d.Project, d.Kind, d.Parent, d.Identifier, d.Label}, "|")] = d
		return nil
	}, func(what string, err error) { missed = append(missed, what+": "+err.Error()) })
	return docs, missed, a, waits, err
}

func never(string, int) (int, string, string) { return 0, "", "" }
func none(Document) bool                      { return false }

func TestWalkReadsWhatHarnessAnswers(t *testing.T) {
	fail := func(call string, n int) (int, string, string) {
		switch {
		case call == "GET /pipeline/api/pipelines/git":
			return 400, "", `{"status":"ERROR","code":"SCM_BAD_REQUEST","message":"The credentials provided in the Github connector are invalid"}`
		case call == "GET /ng/api/variables" && n == 1:
			return 429, "7", `{"message":"slow down"}`
		case call == "GET /ng/api/servicesV2" && n == 1:
			return 502, "", "<html>bad gateway</html>"
		}
		return 0, "", ""
	}
	docs, missed, _, waits, err := walked(t, fail, none)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k, d := range docs {
		keys = append(keys, k)
		if d.Kind == "file" {
			continue
		}
		e, diags := document.Read(d.YAML, document.Expected{Scope: core.Scope{Account: "acc", Org: d.Org, Project: d.Project}, Anywhere: true, File: k})
		if e == nil || string(e.Kind) != d.Kind || e.Identifier != d.Identifier && d.Kind != "overrides" || e.Parent != d.Parent {
			t.Errorf("%s is not read: %s\n%s", k, diags, d.YAML)
		}
		for _, x := range diags {
			if x.Severity != core.SeverityUnsupported && d.Kind != "pipeline" && d.Kind != "freeze" && d.Kind != "trigger" {
				t.Errorf("%s: %s", k, x)
			}
		}
	}
	slices.Sort(keys)
	const web = "default|web|"
	want := []string{"default||project||hidden|", "default||project||web|", web + "connector||hub|", web + "environmentGroup||all|", web + "environment||prod|", web + "file||values|", web + "freeze||night|",
		web + "infrastructureDefinition|prod|k8s|", web + "inputSet|deploy|both|", web + "inputSet|deploy|friday|", web + "overrides||prod|", web + "pipeline||deploy|", web + "secret||key|", web + "service||inline|",
		web + "service||remote|", web + "template||say|1", web + "template||say|2", web + "trigger|deploy|push|", web + "variable||region|", "||organization||default|", "||organization||empty|"}
	slices.Sort(want)
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	if got := docs[web+"pipeline||deploy|"].YAML; got != pipelineText {
		t.Errorf("the pipeline's text has changed:\n%s", got)
	}
	if docs[web+"template||say|1"].Stable || !docs[web+"template||say|2"].Stable || docs[web+"environment||prod|"].Color != "#123456" {
		t.Error("what is said beside the documents is lost")
	}
	if string(docs[web+"file||values|"].Content) != "image: {tag: \"1\"}\n" {
		t.Error("the file's content is lost")
	}
	said := strings.Join(missed, "\n")
	for _, part := range []string{"pipeline git of project default/web: GET /pipeline/api/pipelines/git: 400 The credentials", "service lost of project default/web: it is kept in Git",
		"pipeline new of project default/web: not supported yet", "service of project default/hidden: GET /ng/api/servicesV2: the key may not: Missing permission"} {
		if !strings.Contains(said, part) {
			t.Errorf("nothing is said of %q:\n%s", part, said)
		}
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, 0}, waits); diff != "" {
		t.Error(diff)
	}
}

func TestWalkEndsWhenNothingElseWillGoWell(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		kind   fault.Kind
	}{"throttled for good": {429, fault.Throttled}, "away": {503, fault.Unavailable}, "the key is revoked": {401, fault.Unauthenticated}} {
		t.Run(name, func(t *testing.T) {
			_, _, a, waits, err := walked(t, func(call string, _ int) (int, string, string) {
				if call == "GET /pipeline/api/pipelines/deploy" {
					return tc.status, "", "{}"
				}
				return 0, "", ""
			}, none)
			if !fault.Is(err, tc.kind) {
				t.Errorf("it ends with %v", err)
			}
			if calls := a.calls["GET /pipeline/api/pipelines/deploy"]; calls != len(waits)+1 || tc.status != 401 && calls != tries {
				t.Errorf("%d calls, %d waits", calls, len(waits))
			}
		})
	}
}

func TestWalkReadsNothingTwice(t *testing.T) {
	_, _, a, _, err := walked(t, never, func(d Document) bool { return d.Kind == "pipeline" || d.Label == "2" })
	if err != nil {
		t.Fatal(err)
	}
	if n := a.calls["GET /pipeline/api/pipelines/deploy"] + a.calls["GET /pipeline/api/pipelines/git"]; n != 0 {
		t.Errorf("what is there was read again, %d times", n)
	}
	if n := a.calls["GET /template/api/templates/say"]; n != 1 {
		t.Errorf("the template was read %d times", n)
	}
	if a.calls["GET /pipeline/api/inputSets/friday"] != 1 {
		t.Error("what belongs to a pipeline that is there was not read")
	}
}
