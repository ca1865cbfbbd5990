package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestLaunchOnce loses the first answer: the second request has the same key.
func TestLaunchOnce(t *testing.T) {
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) == 1 {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"run":"R"}`))
	}))
	defer server.Close()
	c, err := client.New(server.URL, "t", "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := launchOnce(t.Context(), c, client.Launch{YAML: "x"})
	if err != nil || out.Run != "R" || len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("got %+v, %v with keys %q", out, err, keys)
	}
}

// TestLaunchNobody gives up at once when nobody listens.
func TestLaunchNobody(t *testing.T) {
	c, err := client.New("http://127.0.0.1:1", "t", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := launchOnce(t.Context(), c, client.Launch{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}
