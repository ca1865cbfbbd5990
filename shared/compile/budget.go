package compile

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// budget checks the tags that bound what a run may cost. An input that has no value
// yet is looked at when it has one; expressions have none in tags.
func (c *compiler) budget(p *yamldoc.Node, tags map[string]string) {
	for _, tag := range []string{core.TagBudget, core.TagBudgetAction} {
		if strings.HasPrefix(tags[tag], "<+input>") {
			return
		}
	}
	_, _, tag, err := core.ParseBudget(tags)
	if err == nil {
		return
	}
	c.errorf(p.Get("tags").Get(tag), CodeValue, "write it as tags: {"+core.TagBudget+": \"0.05 USD\", "+core.TagBudgetAction+": warn}",
		"%s", err)
}
