package compile

import (
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// approval checks what the field table of HarnessApproval cannot say.
func (c *compiler) approval(spec *yamldoc.Node, what string) {
	if ap := spec.Get("approvers"); ap != nil && ap.Kind == yamldoc.Map && c.none(ap, "userGroups") && c.none(ap, "serviceAccounts") {
		c.errorf(ap, CodeMissingField, "add userGroups:", "approvers of %s names no user group and no service account: nobody could approve", what)
	}
	list := spec.Get("approverInputs")
	if list == nil {
		return
	}
	seen := newIDs()
	for _, it := range list.Items {
		if name := it.Get("name"); name.Scalar() {
			c.unique(seen, name.Text, name, "the approver input", what)
		}
		kinds := 0
		for _, k := range []string{"allowedValues", "selectOneFrom", "selectManyFrom", "regex"} {
			if n := it.Get(k); n != nil && !c.empty(n) {
				kinds++
			}
		}
		if kinds > 1 {
			c.errorf(it, CodeValue, "keep one of them", "an approver input of %s has more than one of allowedValues, selectOneFrom, selectManyFrom and regex", what)
		}
		if re := it.Get("regex"); re.Scalar() && !isExpression(re) {
			c.regex(re, re.Pos, re.Text, CodeValue)
		}
	}
}

// none reports a list that is absent or empty.
func (c *compiler) none(m *yamldoc.Node, key string) bool {
	n := m.Get(key)
	return n == nil || c.empty(n)
}
