package door_test

import (
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
)

// TestAccountOfItsOwn calls a deployment by the identifier that its clients have always
// sent, and by another's.
func TestAccountOfItsOwn(t *testing.T) {
	const id = "kmpySmUISimoRrJL6NL73w"
	f := apitest.StartAs(t, platform.Config{Account: id})
	path := "/gateway/ng/api/organizations/default?accountIdentifier="
	if r := do(f, "GET", path+id, ""); r.Status != 200 || !strings.Contains(string(r.Body), `"identifier":"default"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := do(f, "GET", path+"default", ""); r.Status != 403 {
		t.Errorf("another account: %d %s", r.Status, r.Body)
	}
	if r := do(f, "POST", "/ng/api/servicesV2?accountIdentifier="+id, `{"identifier":"web","name":"Web"}`); !strings.Contains(string(r.Body), `"accountId":"`+id+`"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
