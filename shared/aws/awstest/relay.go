package awstest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// relayArchive is the command relay, built once for all tests of a package.
var relayArchive = sync.OnceValues(func() ([]byte, error) {
	return Archive("github.com/slipway-cd/slipway/shared/aws/awstest/testdata/relay")
})

// Relay makes a function whose invocations are those of fns by the name given, here
// in the test, and returns its ARN. Errors keep their ASL name. LocalStack's
// functions are processes beside the test, so that they reach it on 127.0.0.1.
func Relay(t testing.TB, cfg aws.Config, fns core.Functions, name string) string {
	t.Helper()
	archive, err := relayArchive()
	must(t, "building the relay", err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		answer, err := fns.Invoke(r.Context(), name, payload)
		if err != nil {
			w.Header().Set("Error-Type", fault.ClassOf(err).ASL)
			w.WriteHeader(http.StatusInternalServerError)
			answer = []byte(err.Error())
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return Function(t, cfg, archive, map[string]string{"RELAY_URL": server.URL})
}
