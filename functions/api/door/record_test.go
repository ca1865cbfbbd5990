package door_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/replay"
)

// TestRecord gives all of a run but its secrets and tokens, to its account alone.
func TestRecord(t *testing.T) {
	const value = "s3cr3t-v4lue"
	f := apitest.Start(t)
	if err := f.Platform.Ports().Secrets.Put(t.Context(), core.SecretName(core.Scope{Account: core.DefaultAccount, Org: core.DefaultOrg, Project: core.DefaultProject}, "token"), []byte(value)); err != nil {
		t.Fatal(err)
	}
	run := f.Run(strings.Replace(apitest.Hello, `echo hi; v=1`, `v='<+secrets.getValue(\"token\")>'; echo $v`, 1))
	f.Await(run, "Success")
	path := "/slipway/v1/runs/" + run + "/record"
	answer := f.Do(apitest.Request{Method: "GET", Path: path, User: "carol"})
	var rec replay.Recording
	answer.Into(t, http.StatusOK, &rec)
	report, err := replay.Run(&rec)
	if err != nil || !report.Agrees || len(report.Tracks) != 2 {
		t.Errorf("the replay says %+v %v", report, err)
	}
	if strings.Contains(string(answer.Body), value) {
		t.Error("the secret is in it")
	}
	for _, s := range rec.Tracks["0.1"] {
		if e := s.Event.Entered; e != nil && !strings.HasPrefix(e.Token, "token-") {
			t.Errorf("a token is in it: %s", e.Token)
		}
	}
	var rest replay.Recording
	f.Get(path+"?after="+"T%230%23S", &rest)
	if len(rest.Tracks["0"]) != 0 || len(rest.Tracks["0.1"]) != len(rec.Tracks["0.1"]) || rest.Launch.Plan != nil {
		t.Errorf("behind track 0 there is %+v", rest.Tracks)
	}
	f.Do(apitest.Request{Method: "GET", Path: path + "?after=run", User: "admin"}).Into(t, http.StatusBadRequest, nil)
	f.Do(apitest.Request{Method: "GET", Path: path}).Into(t, http.StatusUnauthorized, nil)
	f.AddToken("other", "elsewhere", "eve")
	f.Do(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"x-api-key": "other"}}).Into(t, http.StatusNotFound, nil)
}
